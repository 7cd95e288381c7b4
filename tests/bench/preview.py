#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""How soon the preview in a dialog of a real GIMP follows a value.

In each GIMP, on a screen of its own, somebody changes the first number of a filter again and again, on
an RGBA picture of 8 bits: all of it shows, and then a part at 100 %. The plug-in tells of each new
picture how long it took from the changed value until that was drawn. The table gives medians in
milliseconds, and how much of that was spent where: to read the picture, which the dialog has, to
compute, with the ways to a GPU and back, and to draw: to reduce the result to what shows, and to bring
that to the window. They overlap where a run goes in bands. The last column is how long the dialog
took to read the picture from GIMP, before all this. CUDA_FILTERS_BUILD and CUDA_FILTERS_ROOTS are as
for the tests.
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
from cases import picture  # noqa: E402
from gimp_call import parts_of  # noqa: E402
from screen import Screen, Session  # noqa: E402

FILTERS = ("gamma", "gaussian-blur", "unsharp-mask", "median-blur", "canny")
VIEWS = {"all of it": "0", "a part at 100 %": "1"}
# The first of a view are not counted: the device, and what it keeps, is there then.
UNCOUNTED = 2
# A point of the preview.
MIDDLE = 190, 140


class Dialog:
    """A dialog with a preview, and who uses it."""

    def __init__(self, screen, session, row):
        self.screen, self.session, self.row = screen, session, row
        self.window = screen.window(row.title)
        self.lines = 0

    def pictures(self):
        """What was told of the pictures that have shown: the device, and seconds by part."""
        log = self.session.log_path.read_text(errors="replace")
        return [(device, parts_of(parts)) for device, parts in
                re.findall(r"^cuda-filters: preview of \S+ on (.*?): (shown .*)", log, re.MULTILINE)]

    def reading(self):
        """How long the picture was read from GIMP, in seconds."""
        log = self.session.log_path.read_text(errors="replace")
        return float(re.search(r"^cuda-filters: preview: read in ([\d.]+) s", log, re.MULTILINE)[1])

    def next(self, act):
        """Does something that changes the picture and returns what is told of the new one."""
        known = len(self.pictures())
        act()

        def shown():
            """a new picture in the preview"""
            return self.pictures()[known:]
        return gimps.poll(shown, 60)[-1]

    def look(self, key):
        """Chooses a view by its key."""
        self.screen.do("xdotool", "mousemove", "--window", self.window, *MIDDLE, "click", "1")
        self.screen.keys(self.window, key)
        self.screen.settled(self.window)

    def moves(self, count):
        """Makes the first number a little larger each time."""
        param = next(param for param in self.row.params if param.kind in ("real", "integer"))
        self.screen.keys(self.window, "alt+" + re.search("_(.)", param.label).group(1).lower())
        self.screen.settled(self.window)
        return [self.next(lambda: self.screen.keys(self.window, "Up")) for _ in range(count)]


def measure(gimp, screen, row, options):
    """For each view the medians of its parts in milliseconds, by which device, and the first reading."""
    path = gimp.path("preview.xcf")
    body = f"""
(let* ((img (load-image "{path}")))
  (attempt "{path}.told" (lambda () {gimp.call(row, {}, mode="RUN-INTERACTIVE")}))
  (gimp-image-delete img))"""
    found = {}
    with Session(gimp, screen, body, CUDA_FILTERS_VERBOSE="1") as session:
        dialog = Dialog(screen, session, row)
        screen.do("xdotool", "windowmove", dialog.window, "0", "0")
        screen.do("xdotool", "windowsize", dialog.window, *options.window.split("x"))
        gimps.poll(dialog.pictures, 60)
        screen.settled(dialog.window)
        for view, key in VIEWS.items():
            dialog.look(key)
            told = dialog.moves(UNCOUNTED + options.moves)[UNCOUNTED:]
            parts = {part: 1000.0 * statistics.median(parts[part] for _, parts in told)
                     for part in told[0][1]}
            found[view] = parts | {"device": told[-1][0], "picture": 1000.0 * dialog.reading()}
        screen.photograph(dialog.window, gimp.path("preview.png"))
        screen.keys(dialog.window, "Escape")
        session.process.wait(60)
    return found


def print_row(name, view, parts):
    device = sum(parts[part] for part in ("context", "upload", "compute", "download"))
    cells = (parts["after"], parts["read"], device, parts["write"] + parts["draw"], parts["picture"])
    print(f"| {name} | {view} | " + " | ".join(f"{cell:.1f}" for cell in cells)
          + f" | {parts['device']} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*", default=FILTERS)
    parser.add_argument("--size", default="6000x4000")
    parser.add_argument("--window", default="1270x800", help="the size of the dialog")
    parser.add_argument("--moves", type=int, default=10, help="in each view")
    parser.add_argument("--gimp", action="append", help="a version, such as 3.0; all if none is given")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the same numbers")
    parser.add_argument("--pictures", type=pathlib.Path, help="a folder for a picture of each dialog")
    options = parser.parse_args()
    found = {}
    screen = Screen()
    try:
        for gimp in gimps.find():
            if options.gimp and gimp.version not in options.gimp:
                continue
            print(f"{gimp}, {options.size}, a dialog of {options.window}, ms\n\n"
                  "| filter | shows | from value to picture | read | compute | draw | picture read from "
                  "GIMP | on |\n| --- | --- |" + 5 * " ---: |" + " --- |", flush=True)
            xcf.write(gimp.path("preview.xcf"), xcf.Image(
                [xcf.Layer(picture("u1", 4, *map(int, options.size.split("x"))))]))
            for name in options.filters:
                views = measure(gimp, screen, engine.find(name), options)
                found.setdefault(str(gimp), {})[name] = views
                for view, parts in views.items():
                    print_row(name, view, parts)
                if options.pictures:
                    shutil.copy2(gimp.path("preview.png"), options.pictures / f"preview-{name}-{gimp}.png")
    finally:
        screen.close()
        for gimp in gimps.find():
            shutil.rmtree(gimp.folder)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
