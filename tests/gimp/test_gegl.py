# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The GEGL operations on the command line, without a display and without GIMP."""
import re
import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image

import engine
import gimps
from cases import other_values, picture

MODULE = engine.BUILD / f"plugin/gegl/{gimps.PLUGIN}.so"
ROWS = engine.in_place()
PICTURE = picture("u1", 4)


class Gegl:
    """The gegl command of somebody who has the module installed."""

    def __init__(self, home):
        self.home = home
        modules = home / ".local/share/gegl-0.4/plug-ins"
        modules.mkdir(parents=True)
        shutil.copy2(MODULE, modules)
        self.source = home / "in.png"
        Image.fromarray(PICTURE).save(self.source)

    def run(self, *words, **variables):
        """What the command prints, on both streams; it must succeed."""
        settings = {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "LC_ALL": "C.UTF-8",
                    "CUDA_FILTERS_DEVICE": "cpu"} | variables
        done = subprocess.run(["gegl", *map(str, words)], env=settings, timeout=120, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = done.stdout.decode(errors="replace")
        assert done.returncode == 0, output
        return output

    def apply(self, row, values, **variables):
        """The picture after an operation, and what was printed."""
        sink = self.home / f"{row.name}.png"
        output = self.run(self.source, "-o", sink, "--", f"cuda:{row.name}",
                          *(f"{name}={_word(value)}" for name, value in row.properties(values).items()),
                          **variables)
        return np.asarray(Image.open(sink)), output


def _word(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.fixture(scope="module", name="gegl")
def _gegl(tmp_path_factory):
    return Gegl(tmp_path_factory.mktemp("home"))


def _complaints(output):
    return [line for line in output.splitlines() if "cuda-filters-" in line]


def test_links_what_gegl_has():
    """No library of CUDA, nor of GIMP; and no symbol but GEGL's two that another module could take."""
    tags = subprocess.run(["readelf", "-d", MODULE], check=True, capture_output=True, text=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(\w+)", tags))
    assert "libgegl" in needed and "NODELETE" in tags
    assert needed <= {"libgegl", "libbabl", "libglib", "libgobject", "libgmodule", "libstdc", "libm",
                      "libgcc_s", "libc", "libpthread", "ld", "libjson", "libgio", "libpng16"}
    names = subprocess.run(["nm", "-D", "--defined-only", MODULE], check=True, capture_output=True,
                           text=True).stdout
    assert set(re.findall(r" T (\S+)", names)) == {"gegl_module_query", "gegl_module_register"}


def test_lists_every_operation(gegl):
    """Those filters, and no others, whose result has the size of its input."""
    output = gegl.run("--list-all")
    found = {line for line in output.split() if line.startswith("cuda:")}
    assert found == {f"cuda:{row.name}" for row in ROWS}
    assert not _complaints(output)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_operation_equals_engine(gegl, row):
    """A PNG that went through an operation is the engine's answer."""
    values = other_values(row)
    found, output = gegl.apply(row, values)
    engine.assert_same(found, engine.apply(row.name, values, PICTURE, linear=False))
    assert not _complaints(output)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_pieces_and_threads_change_nothing(gegl, row):
    """Whatever tiles, pieces and threads GEGL works with, the bits are the same."""
    values = other_values(row)
    wanted, _ = gegl.apply(row, values)
    for threads, tile, chunk, swap in (1, "32x32", 900, "ram"), (3, "64x16", 5000, str(gegl.home)):
        found, output = gegl.apply(row, values, GEGL_THREADS=str(threads), GEGL_TILE_SIZE=tile,
                                   GEGL_CHUNK_SIZE=str(chunk), GEGL_SWAP=swap)
        assert found.tobytes() == wanted.tobytes()
        assert not _complaints(output)


def _runs(output):
    return re.findall(r"cuda-filters: cuda:\S.* on .*: (\d+) × (\d+) of 150 × 140 pixels", output)


def test_what_analyzes_the_picture_runs_once(gegl):
    """The pieces that GEGL asks for come from one run, or from as few as their surroundings allow."""
    variables = {"GEGL_CHUNK_SIZE": "900", "GEGL_THREADS": "2", "CUDA_FILTERS_VERBOSE": "1"}
    for name in "stretch-contrast", "canny":
        _, output = gegl.apply(engine.find(name), {}, **variables)
        assert _runs(output) == [("150", "140")]
    _, output = gegl.apply(engine.find("median-blur"), {"radius": 40}, **variables)
    assert len(_runs(output)) == 1
    _, output = gegl.apply(engine.find("invert"), {}, **variables)
    assert len(_runs(output)) > 10


def test_operations_one_after_the_other_run_as_one(gegl):
    """With the bits of one after the other, which CUDA_FILTERS_FUSE=no asks for."""
    words = []
    for name, values in ("gaussian-blur", {"std-dev-x": 2.5}), ("invert", {}), ("median-blur", {}), ("sharpen", {}):
        words += [f"cuda:{name}", *(f"{key}={value}" for key, value in values.items())]
    pictures, sink = [], gegl.home / "neighbors.png"
    for fuse, runs in ("yes", 1), ("no", 4):
        output = gegl.run(gegl.source, "-o", sink, "--", *words, CUDA_FILTERS_FUSE=fuse,
                          CUDA_FILTERS_VERBOSE="1")
        assert len(_runs(output)) == runs
        assert output.count("cuda:gaussian-blur, cuda:invert, cuda:median-blur, cuda:sharpen as one on ") == (runs == 1)
        pictures.append(np.asarray(Image.open(sink)))
    engine.assert_same(*pictures)


def test_a_device_that_is_not_there_means_the_processor(gegl):
    """Nothing fails for want of a GPU; one line says what was asked for."""
    row = engine.find("invert")
    wanted, _ = gegl.apply(row, {})
    for name, value in (("DEVICE", "nonsense"), ("DEVICE", "99"), ("MEMORY", "nonsense")):
        variable = "CUDA_FILTERS_" + name
        found, output = gegl.apply(row, {}, **{variable: value}, GEGL_CHUNK_SIZE="900")
        assert found.tobytes() == wanted.tobytes()
        [line] = _complaints(output)
        assert variable in line and value in line


def test_values_that_do_not_fit_change_nothing(gegl):
    """The picture comes out as it was, and one line says why."""
    for name, values in (("canny", {"low-threshold": 200.0, "high-threshold": 100.0}),
                         ("convolution-matrix", {"matrix": "1,2;nonsense"}),
                         ("chain", {"steps": "gaussian-blurr"})):
        found, output = gegl.apply(engine.find(name), values, GEGL_CHUNK_SIZE="900")
        assert found.tobytes() == PICTURE.tobytes()
        [line] = _complaints(output)
        assert f"cuda:{name}" in line
