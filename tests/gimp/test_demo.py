# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""./demo in folders and with pictures of any name; what it would build and install is there already."""
import os
import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image

import engine

# What the demo's folder has after .ci/packages.sh: nothing is installed or built.
_BUILT = """
need_package_lists() { :; }
need_packages() { :; }
configure() { mkdir -p "$1"; nvcc=/usr/bin/nvcc; gpu=none; }
ninja() { :; }
meson() { :; }
"""

# What stands for data/sheet.py where there is no Pillow: it looks whether all pictures are there.
_SHEET = """
import pathlib, sys
assert len(sys.argv) == 14 and all(pathlib.Path(path).is_file() for path in sys.argv[2::2])
pathlib.Path(sys.argv[1]).touch()
"""


@pytest.mark.parametrize("name", [b"plain", b"GETwidth", b"it's \"a\" \\ in a\nname %s $HOME", b"caf\xe9 & co"])
def test_any_names(gimp, name):
    folder = gimp.path("demo") / os.fsdecode(name)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / ".ci").mkdir(parents=True)
    functions = (engine.SOURCE / ".ci/packages.sh").read_text()
    (folder / ".ci/packages.sh").write_text(functions + _BUILT)
    shutil.copy(engine.SOURCE / "demo", folder)
    (folder / "data").mkdir()
    sheet = folder / "data/sheet.py"
    if gimp.root:  # without Pillow
        sheet.write_text(_SHEET)
    else:
        shutil.copy(engine.SOURCE / "data/sheet.py", sheet)
    pixels = np.random.default_rng(1).integers(0, 256, (30, 40, 3), "u1")
    picture = folder / (os.fsdecode(name) + ".png")
    Image.fromarray(pixels).save(os.fsencode(picture), "PNG")
    done = subprocess.run(gimp.command([folder / "demo", picture]), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
    assert os.fsencode(picture) + b": 40 x 30 pixels\n" in done.stdout
    assert done.stdout.endswith(b"(Built without CUDA: this machine has an nvcc, but no GPU that nvidia-smi knows.)\n")
    table = [line.split() for line in done.stdout.partition(b"whole calls")[2].splitlines()[1:6]]
    assert [line[0] for line in table] == [
        b"median-blur", b"gaussian-blur", b"unsharp-mask", b"guided-filter", b"canny"]
    assert [line[3] == b"-" for line in table] == [False, False, False, True, True]  # GIMP's own
    results = {path.name: path for path in (folder / "demo-output").iterdir()}
    assert sorted(results) == ["canny.png", "gaussian-blur.png", "guided-filter.png", "median-blur.png",
                               "original.png", "sheet.png", "unsharp-mask.png"]
    blurred = engine.apply("median-blur", {"radius": 20}, pixels, linear=False)
    for file, wanted in ("original.png", pixels), ("median-blur.png", blurred):
        with Image.open(os.fsencode(results[file])) as result:
            assert (np.asarray(result)[..., :3] == wanted).all()
    if not gimp.root:
        with Image.open(os.fsencode(results["sheet.png"])) as result:
            assert result.size == (3 * 496 + 16, 2 * (360 + 50) + 16)
