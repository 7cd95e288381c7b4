#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""showcase.py SERIES FILE: photographs Canny Edges on the canvas of GIMP 3, as README.md shows it.

SERIES is 3.0 or 3.2; the variables by which the tests find GIMP must be set. It runs where the plug-in would.
"""
import subprocess
import sys

from PIL import Image

import gimps
from engine import SOURCE
from screen import Screen, Session


def photograph(gimp, screen, path):
    """Opens the picture, chooses the filter in the menus, and switches to inverted lines in a split view."""
    picture = gimp.path("evening.png")
    subprocess.run(["/usr/bin/python3", SOURCE / "data/make_picture.py", picture, "1500", "1000"], check=True)
    with Image.open(picture) as image:
        image.convert("RGB").save(picture)
    body = f"""
(let* ((img (load-image "{picture}")))
  (gimp-display-new img)
  (wait-for "{picture}.end"))"""
    with Session(gimp, screen, body):
        window = screen.window("evening")
        screen.do("xdotool", "windowsize", "--sync", window, "1280", "760")
        screen.do("xdotool", "windowmove", window, "0", "0")
        screen.settled(window)
        screen.keys(window, "shift+ctrl+j")  # as large as the window
        screen.settled(window)
        screen.keys(window, "alt+r")
        screen.settled(window)
        screen.keys(window, "Up", "Right")
        screen.settled(window)
        screen.keys(window, *["Down"] * 7, "Right", "y")
        dialog = screen.window(r"Canny Edges \(CUDA\)")
        screen.settled(dialog)
        screen.do("xdotool", "windowmove", dialog, "880", "60")
        screen.do("xdotool", "mousemove", "--window", dialog, "18", "226", "click", "1")  # Invert
        screen.keys(dialog, "alt+v")
        screen.settled(dialog)
        screen.settled(window)
        screen.photograph_all(gimp.path("screen.png"))
    with Image.open(gimp.path("screen.png")) as image:
        image.crop((0, 0, 1280, 760)).save(path, quality=90, subsampling=0, optimize=True)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    gimp = next(gimp for gimp in gimps.find() if gimp.version == sys.argv[1])
    screen = Screen()
    try:
        photograph(gimp, screen, sys.argv[2])
    finally:
        screen.close()


main()
