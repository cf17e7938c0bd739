; SPDX-License-Identifier: MIT
; Lists without end: the rest of a stream is a procedure that computes it when asked.
(define (stream-from n)
  (cons n (lambda () (stream-from (+ n 1)))))

(define (stream-rest stream) ((cdr stream)))

(define (stream-filter keep? stream)
  (if (keep? (car stream))
      (cons (car stream) (lambda () (stream-filter keep? (stream-rest stream))))
      (stream-filter keep? (stream-rest stream))))

(define (stream-take n stream)
  (if (= n 0)
      '()
      (cons (car stream) (stream-take (- n 1) (stream-rest stream)))))

(define (sieve stream)
  (let ((prime (car stream)))
    (cons prime
          (lambda ()
            (sieve (stream-filter (lambda (n) (not (= 0 (remainder n prime))))
                                  (stream-rest stream)))))))

(print (stream-take 20 (sieve (stream-from 2))))

; A loop written as a tail call needs no stack, however often it runs.
(define (even-number? n) (if (= n 0) #t (odd-number? (- n 1))))
(define (odd-number? n) (if (= n 0) #f (even-number? (- n 1))))
(print (even-number? 300000))
