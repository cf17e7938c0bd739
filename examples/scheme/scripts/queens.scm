; SPDX-License-Identifier: MIT
; In how many ways can n queens stand on an n by n board, none attacking another?
(define (safe? row distance placed)
  (cond ((null? placed) #t)
        ((= (car placed) row) #f)
        ((= (abs (- (car placed) row)) distance) #f)
        (else (safe? row (+ distance 1) (cdr placed)))))

(define (count-placements size)
  (define (place column placed)
    (if (= column size)
        1
        (let try ((row 0) (ways 0))
          (cond ((= row size) ways)
                ((safe? row 1 placed)
                 (try (+ row 1) (+ ways (place (+ column 1) (cons row placed)))))
                (else (try (+ row 1) ways))))))
  (place 0 '()))

(do ((size 1 (+ size 1)))
    ((> size 7))
  (print size ": " (count-placements size)))
