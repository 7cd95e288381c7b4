# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The pictures of the benchmark: every number is there as text, and the same numbers give the same file."""
import json
import pathlib
import subprocess
import sys

import pytest

CHARTS = pathlib.Path(__file__).resolve().parents[1] / "bench/charts.py"


def summary(pixels, own):
    return {"call": 0.25 * pixels, "read": 0.1, "wait": 0.02, "write": 0.05, "own": own}


@pytest.mark.parametrize("kind, words", [
    ("parts", ["GIMP 3.0", "sobel", "invert", "2.50 s", "7.25 s", "compute", "GIMP's own"]),
    ("sizes", ["GIMP 3.0", "sobel", "invert", "invert, GIMP's own", "million pixels"]),
])
def test_picture(tmp_path, kind, words):
    found = {"gimp-3.0": {f"{side}000x1000": {"sobel": summary(side, None),
                                              "invert": summary(side, 0.725 * side)}
                          for side in (1, 10)}}
    numbers = tmp_path / "numbers.json"
    numbers.write_text(json.dumps(found))
    pictures = [tmp_path / "first.svg", tmp_path / "second.svg"]
    for picture in pictures:
        subprocess.run([sys.executable, "-B", CHARTS, kind, numbers, picture], check=True)
    text = pictures[0].read_text()
    assert [word for word in words if f">{word}</text>" not in text] == []
    assert text == pictures[1].read_text()
