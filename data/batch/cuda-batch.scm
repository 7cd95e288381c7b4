; SPDX-FileCopyrightText: the gimp-cuda-filters authors
; SPDX-License-Identifier: LGPL-3.0-or-later
; What a GIMP does for the command cuda-batch, by Script-Fu: the command runs this file, then
; gimp-2.10.scm or gimp-3.scm, which tell how each GIMP does it, and then a call of cuda-batch.

; Calls thunk; #f, or the error that it failed with.
(define (problem-of thunk)
  (let* ((outer-hook *error-hook*)
         (text-of (lambda (part) (if (string? part) part (atom->string part))))
         (problem (call-with-current-continuation
                    (lambda (return)
                      (set! *error-hook*
                            (lambda parts (return (apply string-append (map text-of parts)))))
                      (thunk)
                      #f))))
    (set! *error-hook* outer-hook)
    problem))

; Applies `steps`, as plug-in-cuda-chain takes them, to `pictures`: lists of a number, a file to read
; and a file to write. Several layers are merged first, colors that are indexed become RGB, and if
; `flat` is true, transparency becomes white. After each picture, the pipe `answers` gets its number
; and what it failed with, if it did, and the character 30.
(define (cuda-batch steps flat answers pictures)
  (if (not (defined? 'plug-in-cuda-chain))
      (error "plug-in-cuda-chain is missing: the CUDA filters are not installed for this GIMP."))
  (for-each
    (lambda (picture)
      (let ((problem (problem-of (lambda ()
                                   (cuda-batch-picture (cadr picture) steps flat (caddr picture))))))
        (cuda-batch-close)
        (let ((port (open-output-file answers)))  ; what is written leaves it when it is closed
          (display (car picture) port)
          (if problem (begin (display " " port) (display problem port)))
          (write-char (integer->char 30) port)
          (close-output-port port))))
    pictures))
