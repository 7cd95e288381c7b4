#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""gimp_call.py [WIDTH HEIGHT [CALLS]]: whole calls of our Gaussian blur against GIMP's own.

In one run of each GIMP, on an RGBA picture of 8 bits (6000 x 4000), medians of five calls, taken in
turns. GIMP 2.10: plug-in-gauss of radius 31, which is a standard deviation of 10. GIMP 3: the
operation gegl:gaussian-blur. CUDA_FILTERS_BUILD and CUDA_FILTERS_ROOTS as for the tests.
"""
import pathlib
import shutil
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "gimp"))

import engine  # noqa: E402
import gimps  # noqa: E402
import xcf  # noqa: E402
from cases import picture  # noqa: E402

SIGMA, RADIUS = 10.0, 31


def theirs(gimp):
    """GIMP's own blur, as Script-Fu."""
    if gimp.is3:
        return (f'(gimp-drawable-merge-new-filter (layer img 0) "gegl:gaussian-blur" "" '
                f'LAYER-MODE-REPLACE 1.0 "std-dev-x" {SIGMA} "std-dev-y" {SIGMA})')
    return f"(plug-in-gauss RUN-NONINTERACTIVE img (layer img 0) {RADIUS} {RADIUS} 0)"


def measure(gimp, width, height, calls):
    """Seconds of each call: ours and GIMP's."""
    source, times = gimp.path("bench.xcf"), gimp.path("times")
    xcf.write(source, xcf.Image([xcf.Layer(picture("u1", 4, width, height))]))
    row = engine.find("gaussian-blur")
    ours = gimp.call(row, {"std-dev-x": SIGMA, "std-dev-y": SIGMA})
    body = f"""
(define (now) (let ((t (gettimeofday))) (+ (car t) (/ (cadr t) 1000000.0))))
(define out (open-output-file "{times}"))
(define (timed name thunk)
  (let ((start (now)))
    (thunk)
    (display name out) (display " " out) (display (- (now) start) out) (newline out)))
(define img (load-image "{source}"))
(define (round n)
  (if (> n 0)
    (begin
      (timed "ours" (lambda () {ours}))
      (timed "theirs" (lambda () {theirs(gimp)}))
      (round (- n 1)))))
(round {calls})
(close-output-port out)
(gimp-image-delete img)"""
    log = gimp.script_fu(body, timeout=900)
    found = {"ours": [], "theirs": []}
    for line in times.read_text().splitlines():
        name, seconds = line.split()
        found[name].append(float(seconds))
    if len(found["theirs"]) != calls:
        sys.exit(f"{gimp}: the run broke off\n{log}")
    return found


def main():
    numbers = [int(word) for word in sys.argv[1:]]
    width, height = numbers[:2] or (6000, 4000)
    calls = numbers[2] if len(numbers) > 2 else 5
    for gimp in gimps.find():
        try:
            found = measure(gimp, width, height, calls)
        finally:
            shutil.rmtree(gimp.folder)
        ours, theirs_ = (statistics.median(found[name]) for name in ("ours", "theirs"))
        own = "gegl:gaussian-blur" if gimp.is3 else "plug-in-gauss"
        print(f"{gimp} {width}x{height}: plug-in-cuda-gaussian-blur {ours:.3f} s, "
              f"{own} {theirs_:.3f} s, ratio {ours / theirs_:.2f}")
        for name, seconds in found.items():
            print(f"  {name}: " + " ".join(f"{second:.3f}" for second in seconds))


main()
