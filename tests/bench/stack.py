#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""What a stack of effects costs in GIMP 3, beside the same filters one after the other and as a chain.

In each GIMP 3, without a window, on an RGBA picture of 8 bits, or of floats, these take turns: five of
our operations merged one after the other; the same five as effects of one layer, merged together; the
same as cuda:chain; and the first three of GIMP's own, one after the other. The table gives medians in seconds,
and what our operations told of themselves in the last turn. CUDA_FILTERS_BUILD and CUDA_FILTERS_ROOTS
are as for the tests.
"""
import argparse
import pathlib
import re
import shutil
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "gimp"))

import gimps  # noqa: E402
import xcf  # noqa: E402
from cases import picture  # noqa: E402

STACK = (("gaussian-blur", {"std-dev-x": 2.0, "std-dev-y": 2.0}),
         ("median-blur", {"radius": 3}), ("unsharp-mask", {"std-dev": 3.0}),
         ("gamma", {"gamma": 1.1}), ("sharpen", {"amount": 0.3}))
OWN = (("gegl:gaussian-blur", {"std-dev-x": 2.0, "std-dev-y": 2.0}),
       ("gegl:median-blur", {"radius": 3}), ("gegl:unsharp-mask", {"std-dev": 3.0}))


def _effect(verb, operation, values):
    words = " ".join(f'"{key}" {value}' if not isinstance(value, str) else f'"{key}" "{value}"'
                     for key, value in values.items())
    return f'(gimp-drawable-{verb}-new-filter layer "{operation}" "" LAYER-MODE-REPLACE 1.0 {words})'


def ways():
    """What is measured: a name and the Script-Fu that does it to `layer`."""
    ours = [(f"cuda:{name}", values) for name, values in STACK]
    steps = " | ".join(" ".join([name, *(f"{key}={value}" for key, value in values.items())])
                       for name, values in STACK)
    return {
        "one after the other": "".join(_effect("merge", *each) for each in ours),
        "stack": "".join(_effect("append", *each) for each in ours)
                 + "(gimp-drawable-merge-filters layer)",
        "chain": _effect("merge", "cuda:chain", {"steps": steps}),
        "GIMP's own, one after the other": "".join(_effect("merge", *each) for each in OWN),
    }


def measure(gimp, size, turns, samples):
    """Seconds of each turn by way, and what the operations printed in the last one."""
    source, times = gimp.path("stack.xcf"), gimp.path("times")
    xcf.write(source, xcf.Image([xcf.Layer(picture(samples, 4, *size))]))
    timed = "\n".join(f'(timed "{name}" (lambda (layer) {code}))' for name, code in ways().items())
    log = gimp.script_fu(f"""
(define (now) (let ((t (gettimeofday))) (+ (car t) (/ (cadr t) 1000000.0))))
(define out (open-output-file "{times}"))
(define img (load-image "{source}"))
(define (timed name thunk)
  (let* ((copy (car (gimp-image-duplicate img))) (layer (vector-ref (car (gimp-image-get-layers copy)) 0)))
    (gimp-message (string-append "turn: " name))
    (let ((start (now)))
      (thunk layer)
      (display name out) (display "|" out) (display (- (now) start) out) (newline out))
    (gimp-image-delete copy)))
(do ((n 0 (+ n 1))) ((= n {turns})) {timed})
(close-output-port out)
(gimp-image-delete img)""", timeout=3600, CUDA_FILTERS_VERBOSE="1")
    found = {name: [] for name in ways()}
    for line in times.read_text().splitlines():
        name, seconds = line.split("|")
        found[name].append(float(seconds))
    return found, {name: re.findall("cuda-filters: (cuda:.*)", part)
                   for name, part in re.findall(r"turn: ([^\n]*)\n(.*?)(?=turn: |\Z)", log, re.S)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="3000x2000")
    parser.add_argument("--samples", default="u1", choices=["u1", "f4"],
                        help="of the picture: 8 bits, or 32-bit floats")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--gimp", action="append", help="a version, such as 3.0; all if none is given")
    options = parser.parse_args()
    size = tuple(map(int, options.size.split("x")))
    for gimp in gimps.find():
        if not gimp.is3 or (options.gimp and gimp.version not in options.gimp):
            shutil.rmtree(gimp.folder)
            continue
        try:
            found, told = measure(gimp, size, options.turns, options.samples)
            print(f"{gimp}, {options.size}\n\n| way | seconds | first |\n| --- | ---: | ---: |")
            for name, seconds in found.items():
                print(f"| {name} | {statistics.median(seconds):.3f} | {seconds[0]:.3f} |")
            print()
            for name, lines in told.items():
                print("\n".join([f"{name}:", *(f"  {line}" for line in lines)]), flush=True)
        finally:
            shutil.rmtree(gimp.folder)


if __name__ == "__main__":
    main()
