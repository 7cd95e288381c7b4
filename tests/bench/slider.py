#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""How long the canvas of GIMP 3 takes to follow a slider of our operations, and of GIMP's own.

In each GIMP 3, without a window, an effect is put on an RGBA picture of 8 bits, and its values are
changed again and again. Each time GIMP renders the canvas of a copy, which a GPU has to be given
again: all of the picture in growing pieces, while GIMP has nothing else to do. Or it is asked for the
middle of the picture itself, which a GPU may still have: as many pixels as a screen of 1920 × 1080
has, which it renders tile by tile. The same with the effect at the bottom, in the middle and at the top of
five of ours. The table gives milliseconds from the change until that is done: the
first time, the medians of the later moves, what the operation itself took of these and in how many
pieces, and GIMP's own where it has one. The last row is an effect of hardly any work: what GIMP itself
does for each move. The first effect of all that goes to a GPU has to start it. CUDA_FILTERS_BUILD and
CUDA_FILTERS_ROOTS are as for the tests.

Where there is a GIMP but neither this script nor a build, --write FILE here and then, there,

    CUDA_FILTERS_VERBOSE=1 gimp-console-3.0 -i -s -f --quit --batch-interpreter=python-fu-eval \\
      -b "exec(open('FILE').read())" > LOG 2>&1

measure the same, and --read LOG prints the table of it.
"""
import argparse
import json
import math
import pathlib
import re
import shutil
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "gimp"))

import engine  # noqa: E402
import gimps  # noqa: E402
from gimp_call import OWN, VALUES  # noqa: E402
from stack import STACK  # noqa: E402

# Both positions of what is moved, where no rule can make them up.
POSITIONS = {"chain": ({"steps": "gaussian-blur std-dev-x=2 std-dev-y=2 | invert"},
                       {"steps": "gaussian-blur std-dev-x=2.2 std-dev-y=2.2 | invert"}),
             "gegl:edge-sobel": ({"keep-sign": True}, {"keep-sign": False})}
# An effect of hardly any work.
IDLE = ("gegl:exposure", ({"exposure": 0.1}, {"exposure": 0.2}))

# What GIMP does; it gets SIZE, MOVES and CASES. Python, since no call of Script-Fu changes the
# values of an effect that is there.
PROGRAM = gimps.EFFECTS_IN_PYTHON + r"""
import sys, time

def new_layer(image, width, height):
    layer = Gimp.Layer.new(image, "", width, height, Gimp.ImageType.RGBA_IMAGE, 100.0,
                           Gimp.LayerMode.NORMAL)
    image.insert_layer(layer, None, 0)
    return layer

width, height = SIZE
image = Gimp.Image.new(width, height, Gimp.ImageBaseType.RGB)
image.undo_disable()
layer = new_layer(image, width, height)
for operation, values in ("gegl:plasma", {"turbulence": 2.0}), ("gegl:noise-rgb", {}):
    layer.merge_filter(effect_on(layer, operation, values))
new_layer(image, 1, 1)  # of one layer, GIMP would pick colors without its effects

def milliseconds(act):
    start = time.perf_counter()
    act()
    return 1000.0 * (time.perf_counter() - start)

def canvas():
    # A copy has to be rendered. GIMP answers what it is asked between two pieces.
    copy = image.duplicate()
    start = end = time.perf_counter()
    prompt = 0
    while prompt < 10:
        time.sleep(0.001)
        late = milliseconds(image.is_valid) > 0.7
        prompt = 0 if late else prompt + 1
        end = time.perf_counter() if late else end
    copy.delete()
    return 1000.0 * (end - start)

def middle():  # the mean of a square
    def pick():
        picked, _ = image.pick_color([layer], width // 2, height // 2, True, True,
                                     min(720, width // 2 - 1, height // 2 - 1))
        assert picked
    return milliseconds(pick)

def move(words, act, look):
    took = milliseconds(act)
    print("slider:", words, took + look(), file=sys.stderr, flush=True)

canvas()
middle()
for name, kind, operation, values, below, above in CASES:
    for other in below:
        layer.append_filter(effect_on(layer, *other))
    effect = effect_on(layer, operation, values[1])
    move(f"{name} {kind} first", lambda: layer.append_filter(effect), canvas)
    for other in above:
        layer.append_filter(effect_on(layer, *other))
    for view, look in ("canvas", canvas), ("middle", middle):
        for number in range(MOVES):
            move(f"{name} {kind} {view}", lambda: change(effect, values[number % 2]), look)
    for effect in layer.get_filters():
        effect.delete()
    middle()
print("slider: end", file=sys.stderr, flush=True)
image.delete()
"""


def _step(value, kind, low, high):
    """A number that is a little more, or less if it may not be more."""
    step = abs(value) / 10 or (high - low) / 100
    if kind == "integer":
        step = math.ceil(step)
    return value + step if value + step <= high else value - step


def _moved(row, values):
    """The values after a move of the filter's first slider, or of what it has instead."""
    for param in row.params:
        if param.kind in ("real", "integer"):
            linked = [other.name for other in row.params if other.linked_to == param.name]
            value = _step(values[param.name], param.kind, *param.range)
            return values | dict.fromkeys([param.name, *linked], value)
    for param in row.params:
        if param.kind == "choice":
            at = (param.choices.index(values[param.name]) + 1) % len(param.choices)
            return values | {param.name: param.choices[at]}
        if param.kind == "toggle":
            return values | {param.name: not values[param.name]}
    sys.exit(f"{row.name} has nothing to move")


def positions(row):
    """The values of a filter before and after a move."""
    if row.name in POSITIONS:
        return POSITIONS[row.name]
    values = row.initial() | VALUES.get(row.name, {})
    return tuple(_typed(row, values) for values in (values, _moved(row, values)))


def own_positions(operation, values):
    """Those of GIMP's own operation, or None if it has nothing to move."""
    if operation in POSITIONS:
        return POSITIONS[operation]
    sizes = {name: _step(value, "real" if isinstance(value, float) else "integer", 0, math.inf)
             for name, value in values.items() if name.startswith(("std-dev", "radius"))}
    return (values, values | sizes) if sizes else None


def _typed(row, values):
    """The values as Python in GIMP takes them: where a number may be broken it has to be a float."""
    real = {param.name for param in row.params if param.kind == "real"}
    return {name: float(value) if name in real else value for name, value in values.items()}


def program(filters, size, moves):
    """The Python program that measures inside of GIMP."""
    cases = []
    for row in filters:
        cases.append((row.name, "ours", "cuda:" + row.name, positions(row), [], []))
        _, own = OWN.get(row.name, (None, None))
        if own and own_positions(*own):
            cases.append((row.name, "own", own[0], own_positions(*own), [], []))
    stack = [(f"cuda:{name}", values) for name, values in STACK]
    for place, number in ("bottom", 0), ("middle", 2), ("top", 4):
        (operation, values), row = stack[number], engine.find(STACK[number][0])
        moved = _moved(row, row.initial() | values)
        cases.append((f"{place}-of-five", "ours", operation, (values, _typed(row, moved)),
                      stack[:number], stack[number + 1:]))
    cases.append((IDLE[0], "own", *IDLE, [], []))
    return f"SIZE, MOVES = {tuple(size)!r}, {moves}\nCASES = {cases!r}\n{PROGRAM}"


def read(log):
    """For each filter, kind and view, its moves: milliseconds, those of the operation, its pieces."""
    found, run = {}, []
    for line in log.splitlines():
        if piece := re.match(r"cuda-filters: cuda:\S+ on (.*?): (\d+) × (\d+) of .* pixels in ([\d.]+) s:",
                             line):
            run.append({"device": piece[1], "pixels": int(piece[2]) * int(piece[3]),
                        "ms": 1000 * float(piece[4])})
        elif line == "slider: end":
            return found
        elif move := re.match(r"slider: (\S+) (\S+) (\S+) ([\d.e+-]+)$", line):
            name, kind, view, time = move.groups()
            found.setdefault(name, {}).setdefault(kind, {}).setdefault(view, []).append(
                {"ms": float(time), "operation": sum(piece["ms"] for piece in run),
                 "pieces": len(run), "pixels": sum(piece["pixels"] for piece in run),
                 "device": run[-1]["device"] if run else ""})
            run = []
    sys.exit(f"the run broke off\n{log}")


def summary(kinds):
    """A filter's first look and the medians of its moves in milliseconds, and those of GIMP's own."""
    row = {}
    for kind, views in kinds.items():
        row[kind] = {"first": views["first"][0]["ms"], "device": views["canvas"][-1]["device"]}
        for view in "canvas", "middle":
            row[kind][view] = {part: statistics.median(move[part] for move in views[view])
                               for part in ("ms", "operation", "pieces")}
    return row


def _cells(kind):
    """The cells of a row that are about one operation: the first look, and both views."""
    cells = [f"{kind['first']:.1f}"]
    for view in kind["canvas"], kind["middle"]:
        # Each piece is told to the millisecond.
        exact = view["operation"] > 5 * view["pieces"]
        cells += [f"{view['ms']:.1f}", f"{view['operation']:.0f}" if exact else "–",
                  f"{view['pieces']:.0f}"]
    return cells


def print_table(title, rows):
    """The summaries of one GIMP's filters."""
    devices = sorted({row["ours"]["device"] for row in rows.values() if "ours" in row})
    print(f"{title}, {', '.join(devices)}, ms\n")
    print("| filter | first | canvas | operation | pieces | middle | operation | pieces | "
          "GIMP's own: first | canvas | middle |")
    print("| --- |" + 10 * " ---: |")
    for name, row in rows.items():
        ours = _cells(row["ours"]) if "ours" in row else 7 * ["–"]
        own = _cells(row["own"]) if "own" in row else 7 * ["–"]
        print("| " + " | ".join([name, *ours, own[0], own[1], own[4]]) + " |")
    print(flush=True)


def measure(gimp, filters, size, moves):
    """What read() returns, of a GIMP."""
    return read(gimp.python_fu(program(filters, size, moves), timeout=3600, CUDA_FILTERS_VERBOSE="1"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*", help="names; those that GIMP has, too, if there are none")
    parser.add_argument("--size", default="6000x4000")
    parser.add_argument("--moves", type=int, default=6, help="in each view")
    parser.add_argument("--gimp", action="append", help="a version, such as 3.0; all if none is given")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the same numbers")
    parser.add_argument("--write", type=pathlib.Path, help="a file for the program; nothing is measured")
    parser.add_argument("--read", type=pathlib.Path, help="a log of that program")
    options = parser.parse_args()
    found = {}
    if options.read:
        moves = read(options.read.read_text(errors="replace"))
        found[options.read.name] = {name: summary(kinds) for name, kinds in moves.items()}
        print_table(options.read.name, found[options.read.name])
    else:
        filters = [engine.find(name) for name in options.filters or OWN]
        size = tuple(map(int, options.size.split("x")))
    if options.write:
        options.write.write_text(program(filters, size, options.moves))
    for gimp in gimps.find() if not options.read and not options.write else ():
        try:
            if not gimp.is3 or options.gimp and gimp.version not in options.gimp:
                continue
            moves = measure(gimp, filters, size, options.moves)
        finally:
            shutil.rmtree(gimp.folder)
        found[str(gimp)] = {name: summary(kinds) for name, kinds in moves.items()}
        print_table(f"{gimp}, {size[0]} x {size[1]}", found[str(gimp)])
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
