; SPDX-FileCopyrightText: the gimp-cuda-filters authors
; SPDX-License-Identifier: LGPL-3.0-or-later
; What cuda-batch.scm needs to know of GIMP 2.10.

(define cuda-batch-image #f)

(define (cuda-batch-picture source steps flat result)
  (set! cuda-batch-image (car (gimp-file-load RUN-NONINTERACTIVE source source)))
  (let* ((image cuda-batch-image) (layers (gimp-image-get-layers image)))
    (if (= (car (gimp-image-base-type image)) INDEXED) (gimp-image-convert-rgb image))
    (plug-in-cuda-chain RUN-NONINTERACTIVE image
                        (if (= (car layers) 1)
                            (vector-ref (cadr layers) 0)
                            (car (gimp-image-merge-visible-layers image CLIP-TO-IMAGE)))
                        steps)
    (if flat
        (begin (gimp-context-set-background '(255 255 255))
               (gimp-image-flatten image)))
    (gimp-file-save RUN-NONINTERACTIVE image (car (gimp-image-get-active-drawable image)) result
                    result)))

(define (cuda-batch-close)
  (if cuda-batch-image (gimp-image-delete cuda-batch-image))
  (set! cuda-batch-image #f))
