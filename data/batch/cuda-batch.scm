; SPDX-FileCopyrightText: the gimp-cuda-filters authors
; SPDX-License-Identifier: LGPL-3.0-or-later
; Filters many pictures, a file at a time, from Script-Fu: load this file, then gimp-2.10.scm or
; gimp-3.scm, which tell how each GIMP does it, and call cuda-batch, all in one -b.
; docs/batch.md shows how; the command cuda-batch beside this file does it for you.

(define (last-position wanted text)
  (let loop ((i (- (string-length text) 1)))
    (cond ((< i 0) #f)
          ((char=? (string-ref text i) wanted) i)
          (else (loop (- i 1))))))

(define (end-of text begin) (substring text begin (string-length text)))

(define (folder-of path)
  (let ((slash (last-position #\/ path)))
    (if slash (substring path 0 (+ slash 1)) "")))

(define (name-of path)
  (let ((slash (last-position #\/ path)))
    (if slash (end-of path (+ slash 1)) path)))

(define (without-suffix name)
  (let ((dot (last-position #\. name)))
    (if (and dot (> dot 0)) (substring name 0 dot) name)))

; Whether a name fits a pattern, in which * stands for any characters and ? for one.
(define (fits? pattern name)
  (let fits ((p 0) (n 0))
    (cond ((= p (string-length pattern)) (= n (string-length name)))
          ((char=? (string-ref pattern p) #\*)
           (or (fits (+ p 1) n)
               (and (< n (string-length name)) (fits p (+ n 1)))))
          ((= n (string-length name)) #f)
          ((or (char=? (string-ref pattern p) #\?)
               (char=? (string-ref pattern p) (string-ref name n)))
           (fits (+ p 1) (+ n 1)))
          (else #f))))

; The files directly in a folder (with a slash at the end) whose names fit; no hidden ones.
(define (files-in folder pattern)
  (let ((stream (dir-open-stream folder)))
    (let loop ((name (if stream (dir-read-entry stream))) (found '()))
      (cond ((not stream) found)
            ((eof-object? name) (dir-close-stream stream) found)
            ((and (not (char=? (string-ref name 0) #\.)) (fits? pattern name)
                  (= (file-type (string-append folder name)) FILE-TYPE-FILE))
             (loop (dir-read-entry stream) (cons (string-append folder name) found)))
            (else (loop (dir-read-entry stream) found))))))

; The files that a word means: of a folder, of a pattern in the last part of a path, or one file.
; What means none is taken for a file, which will turn out not to be there.
(define (files-of word)
  (let ((kind (file-type word)))
    (cond ((= kind FILE-TYPE-DIR) (files-in (string-append word "/") "*"))
          ((= kind FILE-TYPE-FILE) (list word))
          (else
            (let ((found (files-in (folder-of word) (name-of word))))
              (if (null? found) (list word) found))))))

(define (sorted items before?)
  (define (merged a b)
    (let loop ((a a) (b b) (done '()))
      (cond ((null? a) (append (reverse done) b))
            ((null? b) (append (reverse done) a))
            ((before? (car b) (car a)) (loop a (cdr b) (cons (car b) done)))
            (else (loop (cdr a) b (cons (car a) done))))))
  (define (halves items a b)
    (if (null? items) (cons a b) (halves (cdr items) (cons (car items) b) a)))
  (if (or (null? items) (null? (cdr items)))
      items
      (let ((parts (halves items '() '())))
        (merged (sorted (car parts) before?) (sorted (cdr parts) before?)))))

(define (one-line text)
  (list->string (map (lambda (c) (if (char=? c #\newline) #\space c)) (string->list text))))

; Calls thunk; #f, or the error that it failed with, in one line.
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
    (and problem (one-line problem))))

; Applies `steps`, as plug-in-cuda-chain takes them, to every picture that the words of the list
; `pictures` mean (absolute paths of folders, of files, or patterns such as "/in/*.jpg"), and writes
; the results to `folder` in `format`, such as "png". Several layers are merged first, colours that are indexed become RGB.
; Two more arguments K N take the K-th part of N only, so that N GIMPs can share the work.
; A picture that fails is told of and the rest goes on; at the end that is an error.
(define (cuda-batch pictures steps folder format . part)
  (let* ((target-of (lambda (file)
                      (string-append folder "/" (without-suffix (name-of file)) "." format)))
         (jobs (sorted (map (lambda (file) (cons (target-of file) file))
                            (apply append (map files-of pictures)))
                       (lambda (a b)
                         (or (string<? (car a) (car b))
                             (and (string=? (car a) (car b)) (string<? (cdr a) (cdr b)))))))
         (count (length jobs))
         (k (if (null? part) 1 (car part)))
         (n (if (null? part) 1 (cadr part))))
    (if (not (defined? 'plug-in-cuda-chain))
        (error "plug-in-cuda-chain is missing: the CUDA filters are not installed for this GIMP."))
    (if (= count 0) (error "There are no pictures to filter."))
    (let loop ((rest jobs) (i 1) (last "") (failed 0))
      (cond ((null? rest)
             (gimp-message "cuda-batch: finished")
             (if (> failed 0)
                 (error (string-append "cuda-batch: " (number->string failed)
                                       " pictures failed, see above."))))
            ((not (= (modulo (- i k) n) 0)) (loop (cdr rest) (+ i 1) (caar rest) failed))
            (else
              (let* ((target (caar rest))
                     (source (cdar rest))
                     (problem
                       (cond ((string=? target last)
                              "its result would replace that of another picture of the same name")
                             ((string=? target source) "its result would replace it")
                             (else (problem-of (lambda ()
                                                 (cuda-batch-picture source steps target format)))))))
                (cuda-batch-close)
                (gimp-message
                  (string-append "[" (number->string i) "/" (number->string count) "] "
                                 (one-line source)
                                 (if problem (string-append " FAILED: " problem) " ok")))
                (loop (cdr rest) (+ i 1) target (if problem (+ failed 1) failed))))))))
