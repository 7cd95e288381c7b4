#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Whole calls of our filters in GIMP without a window, beside GIMP's own and the bare wire.

In each GIMP, on an RGBA picture of 8 bits, calls from Script-Fu take turns: the wire, which is a
plug-in that reads and writes all tiles and does nothing (tests/bench/wire), our filter, and GIMP's
own where it has one. Each call of a plug-in is a fresh process. The table gives medians in seconds:
what a call took, what it spent where, the wire's tiles (read + write + merge), how many times those
the call took but for 0.15 s, our tiles (read + write) as a share of the wire's, and GIMP's own.
CUDA_FILTERS_BUILD and CUDA_FILTERS_ROOTS are as for the tests; CUDA_FILTERS_WIRE=1 has GIMP 3 move the
pixels, too.
"""
import argparse
import json
import pathlib
import re
import shutil
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "gimp"))

import engine  # noqa: E402
import gimps  # noqa: E402
import xcf  # noqa: E402
from cases import picture, table_file  # noqa: E402

# What is measured of a filter, where its initial values say little.
VALUES = {
    "box-blur": {"radius-x": 10, "radius-y": 10},
    "gaussian-blur": {"std-dev-x": 10.0, "std-dev-y": 10.0},
    "median-blur": {"neighborhood": "circle", "radius": 20},
    "unsharp-mask": {"std-dev": 3.0, "scale": 0.5, "threshold": 0.0},
    "color-lut": {"file": table_file()},
    "convolution-matrix": {"matrix": "0,-1,0;-1,5,-1;0,-1,0"},
    "pixel-math": {"formula": "c = 1 - c"},
    "surface-blur": {"radius": 100, "threshold": 15.0},
    "gamma": {"gamma": 2.2}, "add": {"value": 0.1}, "subtract": {"value": 0.1},
    "multiply": {"value": 1.1}, "chain": {"steps": "gaussian-blur std-dev-x=2 std-dev-y=2 | invert"},
}
# GIMP's own: the call in 2.10 and the operation of 3.x.
OWN = {
    "box-blur": (None, ("gegl:box-blur", {"radius": 10})),
    # Its radius is the standard deviation by 0.32.
    "gaussian-blur": ("plug-in-gauss RUN-NONINTERACTIVE img LAYER 31 31 0",
                      ("gegl:gaussian-blur", {"std-dev-x": 10.0, "std-dev-y": 10.0})),
    "invert": ("gimp-drawable-invert LAYER FALSE", ("gegl:invert-gamma", {})),
    "median-blur": ("plug-in-median-blur RUN-NONINTERACTIVE img LAYER 20 50.0",
                    ("gegl:median-blur", {"radius": 20})),
    "selective-blur": ("plug-in-sel-gauss RUN-NONINTERACTIVE img LAYER 5.0 51",
                       ("gegl:gaussian-blur-selective", {"blur-radius": 5.0, "max-delta": 0.2})),
    "sobel": ("plug-in-sobel RUN-NONINTERACTIVE img LAYER 1 1 0", ("gegl:edge-sobel", {})),
    "unsharp-mask": ("plug-in-unsharp-mask RUN-NONINTERACTIVE img LAYER 3.0 0.5 0",
                     ("gegl:unsharp-mask", {"std-dev": 3.0, "scale": 0.5})),
}
# What a call may take beside the wire's tiles.
ALLOWANCE = 0.15


def own_call(gimp, name):
    """GIMP's own filter as Script-Fu, or None."""
    call, operation = OWN.get(name, (None, None))
    if gimp.is3 and operation:
        values = " ".join(f'"{key}" {value}' for key, value in operation[1].items())
        return (f'(gimp-drawable-merge-new-filter (layer img 0) "{operation[0]}" "" '
                f"LAYER-MODE-REPLACE 1.0 {values})")
    if not gimp.is3 and call:
        return f"({call.replace('LAYER', '(layer img 0)')})"
    return None


def install_wire(gimp):
    """Puts the plug-in that does nothing beside ours."""
    plugin, folder = gimp.plugin(), gimp.folder / "own/cuda-wire"
    build = next(path for path in plugin.parents if (path / "build.ninja").exists())
    folder.mkdir()
    shutil.copy2(build / f"tests/bench/wire/wire-gimp{3 if gimp.is3 else 2}", folder / "cuda-wire")


def parts_of(line):
    """Seconds by part in a line such as 'cuda-wire: read 0.1 s, write 0.2 s'."""
    return {name: float(seconds) for name, seconds in re.findall(r"([a-z]+) ([\d.]+) s", line)}


def measure(gimp, filters, size, calls):
    """For each filter the seconds of its calls, the wire's and GIMP's own, and the parts of both."""
    width, height = size
    source, times = gimp.path("bench.xcf"), gimp.path("times")
    xcf.write(source, xcf.Image([xcf.Layer(picture("u1", 4, width, height))]))
    wire = (f"(plug-in-cuda-wire {'#:run-mode ' if gimp.is3 else ''}RUN-NONINTERACTIVE "
            + ("#:image img #:drawables (vector (layer img 0)))" if gimp.is3 else
               "img (layer img 0))"))
    rounds = []
    for row in filters:
        turns = {"wire": wire, "ours": gimp.call(row, VALUES.get(row.name, {})),
                 "own": own_call(gimp, row.name)}
        timed = "\n".join(f'(timed "{row.name} {kind}" (lambda () {call}))'
                          for kind, call in turns.items() if call)
        rounds.append(f"""
(set! img (load-image "{source}"))
(do ((n 0 (+ n 1))) ((= n {calls})) {timed})
(gimp-image-delete img)""")
    body = f"""
(define img 0)
(define (now) (let ((t (gettimeofday))) (+ (car t) (/ (cadr t) 1000000.0))))
(define out (open-output-file "{times}"))
(define (timed name thunk)
  (let ((start (now)))
    (thunk)
    (display name out) (display " " out) (display (- (now) start) out) (newline out)))
{''.join(rounds)}
(close-output-port out)"""
    log = gimp.script_fu(body, timeout=3600, CUDA_FILTERS_VERBOSE="1")
    found = {row.name: {"wire": [], "ours": [], "own": []} for row in filters}
    for line in times.read_text().splitlines():
        name, kind, seconds = line.split()
        found[name][kind].append(float(seconds))
    if any(len(kinds["ours"]) != calls for kinds in found.values()):
        sys.exit(f"{gimp}: the run broke off\n{log}")
    told = re.findall(r"^cuda-wire: (.*)|^cuda-filters: (\S+) on (.*?): (start .*)", log, re.M)
    wires = [parts_of(wire) for wire, *_ in told if wire]
    for number, row in enumerate(filters):
        kinds = found[row.name]
        kinds["device"] = next((device for _, name, device, _ in told if name == row.name), "")
        kinds["wire parts"] = wires[number * calls:(number + 1) * calls]
        kinds["parts"] = [parts_of(line) for _, name, _, line in told if name == row.name]
    return found


def medians(parts):
    """The median of each part, which takes no time in calls that have none of that name."""
    names = dict.fromkeys(name for call in parts for name in call)
    return {name: statistics.median(call.get(name, 0.0) for call in parts) for name in names}


def summary(kinds):
    """The medians of a filter's calls and the figures made of them."""
    # Inside of GIMP 3 nothing is read or written, and what is computed counts as merged.
    parts = {"read": 0.0, "wait": 0.0, "write": 0.0} | medians(kinds["parts"])
    wire = medians(kinds["wire parts"])
    call, tiles = statistics.median(kinds["ours"]), sum(wire.values())
    return {"device": kinds["device"], "call": call, "first_call": kinds["ours"][0], **parts,
            "wire": tiles, "call_by_wire": (call - ALLOWANCE) / tiles,
            "tiles_by_wire": ((parts["read"] + parts["write"]) / (wire["read"] + wire["write"])),
            "own": statistics.median(kinds["own"]) if kinds["own"] else None}


def print_table(gimp, size, rows):
    """The summaries of one GIMP's filters."""
    devices = sorted({row["device"] for row in rows.values()})
    print(f"{gimp}, {size}, {', '.join(devices)}\n")
    print("| filter | call | start | read | wait | write | merge | wire | (call − 0.15) / wire | "
          "tiles / wire's | GIMP's own | by ours |")
    print("| --- |" + 11 * " ---: |")
    for name, row in rows.items():
        own = f"{row['own']:.2f} | {row['own'] / row['call']:.2f}" if row["own"] else "– | –"
        numbers = " | ".join(f"{row[part]:.3f}" for part in
                             ("call", "start", "read", "wait", "write", "merge", "wire"))
        print(f"| {name} | {numbers} | {row['call_by_wire']:.2f} | {row['tiles_by_wire']:.2f} | "
              f"{own} |")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*", help="names; all that keep the size if there are none")
    parser.add_argument("--size", action="append", help="one or more; 6000x4000 if none is given")
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--gimp", action="append", help="a version, such as 3.0; all if none is given")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the same numbers")
    options = parser.parse_args()
    filters = [engine.find(name) for name in options.filters] or engine.in_place()
    found = {}
    for gimp in gimps.find():
        if options.gimp and gimp.version not in options.gimp:
            shutil.rmtree(gimp.folder)
            continue
        try:
            install_wire(gimp)
            sizes = found[str(gimp)] = {}
            for size in options.size or ["6000x4000"]:
                width, height = map(int, size.split("x"))
                measured = measure(gimp, filters, (width, height), options.calls)
                sizes[size] = {name: summary(kinds) for name, kinds in measured.items()}
                print_table(gimp, f"{width} x {height}", sizes[size])
        finally:
            shutil.rmtree(gimp.folder)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
