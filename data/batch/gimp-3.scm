; SPDX-FileCopyrightText: the gimp-cuda-filters authors
; SPDX-License-Identifier: LGPL-3.0-or-later
; What cuda-batch.scm needs to know of GIMP 3.

(define cuda-batch-image #f)

(define (cuda-batch-picture source steps flat result)
  (set! cuda-batch-image (car (gimp-file-load RUN-NONINTERACTIVE source)))
  (let* ((image cuda-batch-image) (layers (car (gimp-image-get-layers image))))
    (if (= (car (gimp-image-get-base-type image)) INDEXED) (gimp-image-convert-rgb image))
    (plug-in-cuda-chain #:run-mode RUN-NONINTERACTIVE #:image image
                        #:drawables (if (= (vector-length layers) 1)
                                        layers
                                        (vector (car (gimp-image-merge-visible-layers
                                                       image CLIP-TO-IMAGE))))
                        #:steps steps )
    (if flat
        (begin (gimp-context-set-background '(255 255 255))
               (gimp-image-flatten image)))
    (gimp-file-save RUN-NONINTERACTIVE image result)))

(define (cuda-batch-close)
  (if cuda-batch-image (gimp-image-delete cuda-batch-image))
  (set! cuda-batch-image #f))
