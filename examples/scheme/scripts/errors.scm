; SPDX-License-Identifier: MIT
; Errors that a program catches.
(define (try thunk)
  (guard (e ((error? e) (list 'error (error-message e) (error-irritants e)))
            ((symbol? e) (list 'symbol e)))
    (thunk)))

(print (try (lambda () (+ 1 2))))
(print (try (lambda () (car '()))))
(print (try (lambda () (error "no such thing:" 'x 42))))
(print (try (lambda () (raise 'out-of-cheese))))
(print (try (lambda () (undefined-procedure 1))))
(print (try (lambda () ("not a procedure" 1))))
(print (try (lambda () ((lambda (a b) a) 1))))
(print (try (lambda () (vector-ref (vector 1 2) 2))))
(print (try (lambda () (/ 1 0))))
(print (try (lambda () (letrec ((a b) (b 1)) a))))

; A clause that does not match lets the error pass to the guard around it.
(print (guard (e ((string? e) (string-append "outer caught " e)))
         (guard (e ((number? e) e))
           (raise "a string"))))

; Recursion without end is an error like any other, and the program goes on after it.
(define (endless n) (+ 1 (endless n)))
(print (guard (e ((error? e) (error-message e))) (endless 0)))
(print "still here")
