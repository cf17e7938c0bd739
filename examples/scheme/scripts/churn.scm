; SPDX-License-Identifier: MIT
; Two hundred thousand accounts, each forgotten at once, and no two of them at the same time.
; An account is a frame and four procedures; the frame refers to the procedures and they
; refer to the frame, so no reference count ever falls to zero. Only the collector can
; free them:
;
;     scheme --heap-limit=16M churn.scm            finishes
;     scheme --heap-limit=16M --no-gc churn.scm    runs out of memory
;
(define (make-account balance)
  (define (deposit amount)
    (set! balance (+ balance amount))
    (report))
  (define (withdraw amount)
    (if (< balance amount)
        (error "not enough money" balance)
        (deposit (- amount))))
  (define (report) balance)
  (define (dispatch message amount)
    (cond ((eq? message 'deposit) (deposit amount))
          ((eq? message 'withdraw) (withdraw amount))
          (else (error "what is that?" message))))
  dispatch)

(define (use-account number)
  (let ((account (make-account number)))
    (account 'deposit 100)
    (account 'withdraw 30)))

(define accounts 200000)

(print (let loop ((number 0) (total 0))
         (if (= number accounts)
             total
             (loop (+ number 1) (+ total (use-account number))))))
