#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Where a call of the plug-in spends its time before the first tile and after the last.

In each GIMP a script calls a filter on a small picture, so that hardly anything is computed, with
CUDA_FILTERS_WIRE=1, since the plug-in would else ask GIMP 3 for no tiles. A library that is loaded
before all others (tests/bench/startup) notes when each step begins, at a cost of less than 0.1 ms. The
table gives medians in milliseconds. CUDA_FILTERS_BUILD and CUDA_FILTERS_ROOTS are as for the tests.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "gimp"))

import engine  # noqa: E402
import gimps  # noqa: E402
import xcf  # noqa: E402
from cases import picture  # noqa: E402

STEPS = {
    "process": "GIMP makes the process",
    "main": "libraries are loaded, until main()",
    "babl": "babl starts",
    "gegl": "GEGL starts",
    "questions": "messages to and from GIMP, until the first tile is asked for",
    "work": "tiles, computing, merge",
    "answer": "the answer, until the script goes on",
    "call": "the whole call",
}


def measure(gimp, row, size, calls):
    """For each call the times of day of its steps, in microseconds."""
    source, times, log = gimp.path("start.xcf"), gimp.path("times"), gimp.path("steps")
    xcf.write(source, xcf.Image([xcf.Layer(picture("u1", 4, *size))]))
    build = next(path for path in gimp.plugin().parents if (path / "build.ninja").exists())
    probe = gimp.folder / "probe.so"
    shutil.copy2(build / "tests/bench/startup/probe.so", probe)
    output = gimp.script_fu(f"""
(define out (open-output-file "{times}"))
(define (note step)
  (let ((t (gettimeofday)))
    (display (car t) out) (display " " out) (display (cadr t) out) (display step out)))
(define img (load-image "{source}"))
(do ((n 0 (+ n 1))) ((= n {calls}))
  (note " call ") {gimp.call(row, {})} (note " end\\n"))
(close-output-port out)
(gimp-image-delete img)""", LD_PRELOAD=str(probe), STARTUP_LOG=str(log),
                            CUDA_FILTERS_WIRE="1")
    found = []
    for line in times.read_text().splitlines():
        second, rest, _, end_second, end_rest, _ = line.split()
        found.append({"call": int(second) * 1000000 + int(rest),
                      "end": int(end_second) * 1000000 + int(end_rest)})
    if len(found) != calls:
        sys.exit(f"{gimp}: the run broke off\n{output}")
    for line in log.read_text().splitlines():
        time, step = line.split()
        for call in found:
            if call["call"] <= int(time) <= call["end"]:
                call[step] = int(time)
    return found


def durations(call):
    """The milliseconds of each step."""
    babl = call["babl-ready"] - call["babl"]
    gegl = call["gegl-ready"] - call["gegl"]
    if call["babl"] > call["gegl"]:  # GIMP 3 starts babl before; in 2.10 GEGL does it
        gegl -= babl
    spent = {
        "process": call["process"] - call["call"],
        "main": call["main"] - call["process"],
        "babl": babl,
        "gegl": gegl,
        "questions": call["tile"] - call["main"] - babl - gegl,
        "work": call["answer"] - call["tile"],
        "answer": call["end"] - call["answer"],
        "call": call["end"] - call["call"],
    }
    return {step: spent[step] / 1000 for step in STEPS}


def print_table(found):
    print("| ms | " + " | ".join(found) + " |")
    print("| --- |" + " ---: |" * len(found))
    for step, words in STEPS.items():
        print(f"| {words} | " + " | ".join(f"{spent[step]:.1f}" for spent in found.values()) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="invert")
    parser.add_argument("--size", default="64x64")
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--gimp", action="append", help="a version, such as 3.0; all if none is given")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the same numbers")
    options = parser.parse_args()
    row, found = engine.find(options.filter), {}
    size = tuple(map(int, options.size.split("x")))
    for gimp in gimps.find():
        try:
            if options.gimp and gimp.version not in options.gimp:
                continue
            calls = [durations(call) for call in measure(gimp, row, size, options.calls)]
        finally:
            shutil.rmtree(gimp.folder)
        found[str(gimp)] = {step: statistics.median(call[step] for call in calls) for step in STEPS}
    print_table(found)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
