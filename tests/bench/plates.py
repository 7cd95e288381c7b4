# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""How well align-plates does on scans: build/tests/tool/apply must be there.

    /usr/bin/python3 tests/bench/plates.py SCAN...

For each scan it prints the shifts, the normalized cross-correlation of the plates' gradient
magnitudes at these shifts, the best one that any shift of up to 25 pixels has, and their ratio.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

RANGE = 25
SOURCE = pathlib.Path(__file__).resolve().parents[2]
APPLY = pathlib.Path(os.environ.get("CUDA_FILTERS_BUILD", SOURCE / "build"), "tests/tool/apply")


def shifts(scan, **values):
    """What the filter finds for a gray scan of bytes: dx1, dy1, dx2, dy2."""
    with tempfile.TemporaryDirectory() as folder:
        source, sink = pathlib.Path(folder, "in"), pathlib.Path(folder, "out")
        scan.tofile(source)
        command = [APPLY, "align-plates", "--width", scan.shape[1], "--height", scan.shape[0],
                   "--format", "y-u8", source, sink]
        command += [f"{name}={value}" for name, value in values.items()]
        printed = subprocess.run([str(word) for word in command], check=True, capture_output=True,
                                 text=True).stdout
    found = dict(line.split() for line in printed.splitlines())
    return [float(found[name]) for name in ("dx1", "dy1", "dx2", "dy2")]


def gradients(plate):
    """The size of the gradient of each pixel."""
    y, x = np.gradient(plate.astype("f8") / 255)
    return np.hypot(x, y)


def correlation(plate, middle, dx, dy):
    """Of gradients, with the plate moved by whole pixels; a tenth at each side is left out."""
    height, width = middle.shape
    top, left = max(height // 10, RANGE), max(width // 10, RANGE)
    a = middle[top:height - top, left:width - left]
    b = plate[top - dy:height - top - dy, left - dx:width - left - dx]
    return float(np.corrcoef(a.ravel(), b.ravel())[0, 1])


def main(paths):
    for path in paths:
        scan = np.asarray(Image.open(path).convert("L"))
        height = scan.shape[0] // 3
        first, middle, last = (gradients(scan[i * height:(i + 1) * height]) for i in range(3))
        for metric in ("correlation", "mse"):
            found = shifts(scan, metric=metric)
            ratios = []
            for plate, (dx, dy) in ((first, found[:2]), (last, found[2:])):
                here = correlation(plate, middle, int(dx), int(dy))
                best = max((correlation(plate, middle, x, y), x, y)
                           for y in range(-RANGE, RANGE + 1) for x in range(-RANGE, RANGE + 1))
                ratios.append(here / best[0])
                print(f"{path} {metric}: {dx:+g} {dy:+g} gives {here:.4f}, "
                      f"best {best[1]:+d} {best[2]:+d} gives {best[0]:.4f}")
            print(f"{path} {metric}: mean ratio {np.mean(ratios):.4f}, "
                  f"by quarters of pixels {shifts(scan, metric=metric, subpixel=4)}")


if __name__ == "__main__":
    main(sys.argv[1:])
