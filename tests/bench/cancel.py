#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""How soon a long run ends after a click on Cancel, and GIMP is there again for who uses it.

In each GIMP, on a screen of its own, diffusion works on an RGBA picture of 8 bits until somebody
clicks on Cancel: in a call of the procedure, beside the bar of its progress; in the dialog of the
procedure, while its preview computes; and, in GIMP 3, in the dialog of the effect, while the canvas
does. The table gives milliseconds from just before the click, medians and the worst: until the plug-in's
process is gone, or the effect's dialog; and until GIMP answers the script that called, or, of an
effect, any script. What is not cancelled within a minute is given as such. Where there is a GPU the
filter works there, unless CUDA_FILTERS_DEVICE says something else; with --size and --iterations its run
is made long enough. CUDA_FILTERS_BUILD and CUDA_FILTERS_ROOTS are as for the tests.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "gimp"))

import engine  # noqa: E402
import gimps  # noqa: E402
import xcf  # noqa: E402
from cases import picture  # noqa: E402
from screen import Screen, Session, open_effect  # noqa: E402

ROW = engine.find("diffusion")
# How long a run works before the click, in seconds.
WORKS_FOR = 2.0


def clicked(screen, window, x, y):
    """Clicks on a point of a window; returns when that began."""
    screen.do("xdotool", "mousemove", "--window", window, x, y)
    time.sleep(0.05)
    began = time.monotonic()
    subprocess.Popen(["xdotool", "click", "1"], env=os.environ | {"DISPLAY": screen.name})
    return began


def milliseconds(began, question):
    """How long it took since then until the answer is true."""
    gimps.poll(question, 60, 0.001)
    return 1000.0 * (time.monotonic() - began)


def is_gone(plugin):
    """Whether a process has ended; one that nobody has asked about yet has."""
    try:
        return (pathlib.Path(f"/proc/{plugin}/stat").read_text().rpartition(")")[2].split()[0]) == "Z"
    except OSError:
        return True


class Round:
    """One run in a GIMP: `ended` is the file that is there when the script goes on."""

    def __init__(self, gimp, screen, session, ended, iterations):
        self.gimp, self.screen, self.session, self.ended = gimp, screen, session, ended
        self.iterations = iterations

    def plugin(self, seconds):
        def computing():
            """the plug-in at its work"""
            return gimps.computing_plugin(self.session.process.pid, seconds)
        return gimps.poll(computing, 60)

    def both(self, began, gone):
        """Until something is gone, and until GIMP answers."""
        return milliseconds(began, gone), milliseconds(began, self.ended.exists)

    def call(self):
        """Cancel beside the bar of the progress."""
        if self.gimp.is3:
            window = self.screen.window("GIMP$")
            height = self.screen.size(window)[1]
            bar = (0, height - 26, 4000, 18)
            before = self.screen.pixels(window, *bar)
            plugin = self.plugin(0.1)
            time.sleep(WORKS_FOR)
            # The button is the last thing that has come there.
            changed = np.nonzero((self.screen.pixels(window, *bar) != before).any(axis=(0, 2)))[0]
            began = clicked(self.screen, window, int(changed[-1]) - 20, height - 17)
        else:
            plugin = self.plugin(0.1)
            time.sleep(WORKS_FOR)
            window = self.screen.window("^Progress$")
            width, height = self.screen.size(window)
            began = clicked(self.screen, window, width - 60, height - 28)
        return self.both(began, lambda: is_gone(plugin))

    def dialog(self):
        """Cancel in the plug-in's dialog."""
        dialog = self.screen.window(ROW.title)
        self.screen.settled(dialog)
        self.screen.keys(dialog, "alt+i", "ctrl+a")
        self.screen.type(dialog, self.iterations)
        self.screen.keys(dialog, "Tab")
        time.sleep(WORKS_FOR)
        plugin = self.plugin(0.0)
        width, height = self.screen.size(dialog)
        return self.both(clicked(self.screen, dialog, width - 148, height - 28),
                         lambda: is_gone(plugin))

    def effect(self):
        """Cancel in the dialog of an effect."""
        window = self.screen.window("GIMP$")
        dialog = open_effect(self.screen, window, ROW.name)
        self.screen.do("xdotool", "mousemove", "--window", dialog, "290", "116", "click", "1")
        self.screen.keys(dialog, "ctrl+a")
        self.screen.type(dialog, self.iterations)
        self.screen.keys(dialog, "Tab")
        time.sleep(WORKS_FOR)
        width, height = self.screen.size(dialog)
        began = clicked(self.screen, dialog, int(0.6 * width), height - 21)
        self.ended.with_suffix(".asked").touch()

        def closed():
            """the end of a dialog"""
            return dialog not in self.screen.do("xdotool", "search", "--onlyvisible", "--name", ".",
                                                check=False).split()
        return self.both(began, closed)


def script(gimp, path, kind, options):
    """Script-Fu that has somebody cancel a run again and again."""
    mode = "RUN-INTERACTIVE" if kind == "dialog" else "RUN-NONINTERACTIVE"
    values = {} if kind == "dialog" else {"iterations": options.iterations}
    act = gimp.call(ROW, values, mode=mode)
    rounds = ""
    for number in range(options.runs):
        ended = f"{path}.{number}"
        rounds += (f'(wait-for "{ended}.asked") (write-file "{ended}.ended" "")' if kind == "effect" else
                   f'(wait-for "{ended}.begin") (attempt "{ended}.ended" (lambda () {act}))')
    return f"""
(let* ((img (load-image "{path}.in.xcf")))
  (gimp-display-new img)
  {rounds}
  (gimp-image-clean-all img))"""


def measure(gimp, screen, kind, options):
    """Both times of every run."""
    width, height = map(int, options.size.split("x"))
    path = gimp.path(f"cancel-{kind}")
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(picture("u1", 4, width, height))]))
    times = []
    with Session(gimp, screen, script(gimp, path, kind, options), CUDA_FILTERS_WIRE="1") as session:
        window = screen.window("GIMP$")
        for number in range(options.runs):
            screen.settled(window)
            ended = gimp.path(f"cancel-{kind}.{number}.ended")
            ended.with_suffix(".begin").touch()
            times.append(getattr(Round(gimp, screen, session, ended, options.iterations), kind)())
        session.process.wait(60)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=["call", "dialog", "effect"])
    parser.add_argument("--size", default="1500x1000")
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--gimp", action="append", help="a version, such as 3.0; all if none is given")
    options = parser.parse_args()
    print(f"{options.size}, {options.iterations} iterations, {options.runs} runs, ms\n\n"
          "| GIMP | Cancel in | process or dialog gone | worst | GIMP answers | worst |\n"
          "| --- | --- | ---: | ---: | ---: | ---: |", flush=True)
    screen = Screen()
    try:
        for gimp in gimps.find():
            for kind in options.kinds:
                if (options.gimp and gimp.version not in options.gimp) or (
                        kind == "effect" and not gimp.is3):
                    continue
                cells = [f"{figure(column):.0f}" for column in zip(*measure(gimp, screen, kind, options))
                         for figure in (statistics.median, max)]
                print(f"| {gimp} | {kind} | " + " | ".join(cells) + " |", flush=True)
    finally:
        screen.close()
        for gimp in gimps.find():
            shutil.rmtree(gimp.folder)


if __name__ == "__main__":
    main()
