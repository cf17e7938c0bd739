; SPDX-License-Identifier: MIT
; What the collector does, step by step.
(gc-disable)  ; so that it only runs when it is told to
(gc)

; A counter refers to its frame, and the frame refers to the counter: a cycle.
(define (make-counter)
  (define count 0)
  (define (next)
    (set! count (+ count 1))
    count)
  next)

(define counter (make-counter))
(define watcher
  (make-weak counter (lambda (weak) (print "the counter died: " (weak-value weak)))))

(counter)
(print (counter))
(print "found while it is in use: " (gc))
(set! counter #f)
(print "not in use, but its cycle keeps it alive: " (procedure? (weak-value watcher)))
(print "found when it is not: " (gc))
(print "nothing is left to find: " (gc))

; A list that leads to itself.
(define ring (list 1 2 3))
(set-cdr! (cddr ring) ring)
(print ring)
(set! ring #f)
(print "found of the ring: " (gc))

; Code is data: a constant inside a procedure that refers to the procedure.
(define (self) '(nobody))
(set-car! (self) self)
(print (eq? self (car (self))))
(set! self #f)
(print "code found: " (> (gc) 3))
