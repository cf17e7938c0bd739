; SPDX-License-Identifier: MIT
; Hash tables, strings, and sorting.
(define text
  '(the snake that bites its tail is the oldest picture of a cycle and the snake
    lives on because it eats what nobody needs any more of the snake))

(define counts (make-hash-table))

(for-each
 (lambda (word)
   (let ((name (symbol->string word)))
     (hash-table-set! counts name (+ 1 (hash-table-ref counts name 0)))))
 text)

(define (split list)
  (if (or (null? list) (null? (cdr list)))
      (cons list '())
      (let ((halves (split (cddr list))))
        (cons (cons (car list) (car halves))
              (cons (cadr list) (cdr halves))))))

(define (merge a b before?)
  (cond ((null? a) b)
        ((null? b) a)
        ((before? (car b) (car a)) (cons (car b) (merge a (cdr b) before?)))
        (else (cons (car a) (merge (cdr a) b before?)))))

(define (sort list before?)
  (if (or (null? list) (null? (cdr list)))
      list
      (let ((halves (split list)))
        (merge (sort (car halves) before?) (sort (cdr halves) before?) before?))))

(define (often? a b)
  (let ((x (hash-table-ref counts a 0)) (y (hash-table-ref counts b 0)))
    (or (> x y) (and (= x y) (string<? a b)))))

(for-each
 (lambda (word) (print (hash-table-ref counts word 0) " " word))
 (filter (lambda (word) (> (hash-table-ref counts word 0) 1))
         (sort (hash-table-keys counts) often?)))

(define squares (make-vector 5 0))
(do ((i 0 (+ i 1)))
    ((= i (vector-length squares)))
  (vector-set! squares i (* i i)))
(print squares " " (vector->list squares))
(write (string-append "a \"quoted\" word" "\n" (number->string 2.5)))
(newline)
(print (string->number "1e3") " " (string->number "1+") " " (substring "ouroboros" 4))
