; SPDX-License-Identifier: MIT
; An evaluator for a small Scheme, written in Scheme: a program that makes many closures,
; environments and short-lived lists.
(define (make-environment outer) (cons '() outer))

(define (bind! environment name value)
  (set-car! environment (cons (cons name value) (car environment))))

(define (find-binding environment name)
  (if (null? environment)
      (error "unbound:" name)
      (or (assq name (car environment))
          (find-binding (cdr environment) name))))

(define (evaluate form environment)
  (cond ((symbol? form) (cdr (find-binding environment form)))
        ((not (pair? form)) form)
        ((eq? (car form) 'quote) (cadr form))
        ((eq? (car form) 'if)
         (if (evaluate (cadr form) environment)
             (evaluate (caddr form) environment)
             (evaluate (list-ref form 3) environment)))
        ((eq? (car form) 'lambda)
         (make-procedure (cadr form) (cddr form) environment))
        ((eq? (car form) 'define)
         (bind! environment (cadr form) (evaluate (caddr form) environment)))
        (else
         (apply (evaluate (car form) environment)
                (map (lambda (argument) (evaluate argument environment)) (cdr form))))))

(define (make-procedure names body outer)
  (lambda arguments
    (let ((environment (make-environment outer)))
      (let bind ((names names) (values arguments))
        (unless (null? names)
          (bind! environment (car names) (car values))
          (bind (cdr names) (cdr values))))
      (let run ((forms body))
        (if (null? (cdr forms))
            (evaluate (car forms) environment)
            (begin
              (evaluate (car forms) environment)
              (run (cdr forms))))))))

(define global (make-environment '()))
(for-each (lambda (binding) (bind! global (car binding) (cdr binding)))
          (list (cons '+ +) (cons '- -) (cons '* *) (cons '< <) (cons '= =)
                (cons 'cons cons) (cons 'list list)))

(define (run form) (evaluate form global))

(run '(define fib
        (lambda (n)
          (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))))
(print (run '(fib 16)))

; A counter whose environment holds the counter itself: a cycle in the inner language,
; made of cycles in the outer one.
(run '(define make-counter
        (lambda (start)
          (define again (lambda () (make-counter (+ start 1))))
          (list start again))))
(define (count-up counter n)
  (if (= n 0)
      (car counter)
      (count-up ((cadr counter)) (- n 1))))
(print (count-up (run '(make-counter 0)) 2000))
