; SPDX-License-Identifier: MIT
; A program with many kinds of objects, for the benchmark. `size` customers have accounts, which
; are closures in a hash table. Each day some customers move money, some leave and others come.
; An evaluator written here runs the bank's rules, and the books are sorted. Every account is a
; cycle of a frame and its procedures, and so is every loop.

; --- accounts: closures that refer to each other ------------------------------------------

(define (make-account owner balance)
  (define history '())
  (define (note kind amount)
    (set! history (cons (list kind amount balance) history))
    (if (> (length history) 8)
        (set! history (list (car history) (cadr history)))
        #f))
  (define (deposit amount)
    (set! balance (+ balance amount))
    (note 'in amount)
    balance)
  (define (withdraw amount)
    (if (< balance amount)
        (note 'refused amount)
        (begin (set! balance (- balance amount)) (note 'out amount)))
    balance)
  (lambda (message . arguments)
    (cond ((eq? message 'deposit) (apply deposit arguments))
          ((eq? message 'withdraw) (apply withdraw arguments))
          ((eq? message 'balance) balance)
          ((eq? message 'owner) owner)
          ((eq? message 'history) history)
          (else (error "account: what is that?" message)))))

(define bank (make-hash-table))
(define next-owner 0)

(define (open-account! balance)
  (hash-table-set! bank next-owner (make-account next-owner balance))
  (set! next-owner (+ next-owner 1)))

(define (close-account! owner)
  (let ((balance ((hash-table-ref bank owner #f) 'balance)))
    (hash-table-delete! bank owner)
    balance))

; --- rules: an evaluator with environments of association lists ------------------------------

(define (bind names values environment)
  (if (null? names)
      environment
      (cons (cons (car names) (car values)) (bind (cdr names) (cdr values) environment))))

(define (evaluate form environment)
  (cond ((symbol? form)
         (let ((binding (assq form environment)))
           (if binding (cdr binding) (error "unbound:" form))))
        ((not (pair? form)) form)
        ((eq? (car form) 'quote) (cadr form))
        ((eq? (car form) 'if)
         (evaluate (if (evaluate (cadr form) environment) (caddr form) (list-ref form 3))
                   environment))
        ((eq? (car form) 'lambda)
         (lambda arguments
           (evaluate (caddr form) (bind (cadr form) arguments environment))))
        ((eq? (car form) 'rec)
         (letrec ((self (lambda arguments
                          (evaluate (list-ref form 3)
                                    (bind (cons (cadr form) (caddr form))
                                          (cons self arguments)
                                          environment)))))
           self))
        (else
         (apply (evaluate (car form) environment)
                (map (lambda (argument) (evaluate argument environment)) (cdr form))))))

(define primitives
  (list (cons '+ +) (cons '- -) (cons '* *) (cons '< <) (cons 'quotient quotient)))

(define interest
  (evaluate '(rec interest (balance years)
               (if (< years 1)
                   balance
                   (interest (+ balance (quotient (* balance 3) 100)) (- years 1))))
            primitives))

; --- books: lists that are built, sorted and thrown away -------------------------------------

(define (split items)
  (let loop ((items items) (left '()) (right '()))
    (if (null? items)
        (cons left right)
        (loop (cdr items) (cons (car items) right) left))))

(define (merge a b before?)
  (let loop ((a a) (b b) (merged '()))
    (cond ((null? a) (append (reverse merged) b))
          ((null? b) (append (reverse merged) a))
          ((before? (car b) (car a)) (loop a (cdr b) (cons (car b) merged)))
          (else (loop (cdr a) b (cons (car a) merged))))))

(define (sort items before?)
  (if (or (null? items) (null? (cdr items)))
      items
      (let ((halves (split items)))
        (merge (sort (car halves) before?) (sort (cdr halves) before?) before?))))

(define (book owners)
  (sort (map (lambda (owner) (cons ((hash-table-ref bank owner #f) 'balance) owner)) owners)
        (lambda (a b) (> (car a) (car b)))))

; --- days ----------------------------------------------------------------------------------

(define money 0)

(define (pick owners step)
  (let loop ((owners owners) (i 0) (picked '()))
    (cond ((null? owners) picked)
          ((= 0 (remainder i step)) (loop (cdr owners) (+ i 1) (cons (car owners) picked)))
          (else (loop (cdr owners) (+ i 1) picked)))))

(define (one-day day)
  (let ((owners (hash-table-keys bank)))
    (for-each (lambda (owner)
                (let ((account (hash-table-ref bank owner #f)))
                  (account 'deposit day)
                  (account 'withdraw (* 2 day))
                  (interest (account 'balance) 4)
                  (set! money (+ money (- day (if (< (account 'balance) 0) 0 (* 2 day)))))))
              (pick owners 4))
    (book (pick owners 8))
    (for-each (lambda (owner)
                (set! money (- money (close-account! owner)))
                (open-account! 1000)
                (set! money (+ money 1000)))
              (pick owners 10))))

(do ((i 0 (+ i 1)))
    ((= i size))
  (open-account! 1000)
  (set! money (+ money 1000)))

(do ((day 1 (+ day 1)))
    ((= day 11))
  (one-day day))

(let ((sum (fold-left (lambda (sum owner) (+ sum ((hash-table-ref bank owner #f) 'balance)))
                      0 (hash-table-keys bank))))
  (if (= sum money) #t (error "money is missing:" sum money)))
