# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Colors by tables from files: SciPy, OpenColorIO and ffmpeg give the same."""
import shutil
import subprocess

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from ours import SOURCE, engine, float_picture


def _cube(tmp_path, size, low=(0.0, 0.0, 0.0), high=(1.0, 1.0, 1.0), seed=3):
    """A file with a bent cube and noise, and its nodes by [blue][green][red]."""
    rng = np.random.default_rng(seed)
    axis = np.linspace(0, 1, size)
    blue, green, red = np.meshgrid(axis, axis, axis, indexing="ij")
    nodes = np.stack([red ** 1.3 + 0.1 * green, 0.9 * green ** 0.8 + 0.1 * blue, blue - 0.2 * red * green], axis=-1)
    nodes = np.round(nodes + rng.normal(0, 0.3 / size, nodes.shape), 6)
    path = tmp_path / f"{size}.cube"
    path.write_text("\n".join([
        'TITLE "bent"', f"LUT_3D_SIZE {size}", "DOMAIN_MIN " + " ".join(map(str, low)),
        "DOMAIN_MAX " + " ".join(map(str, high)), *(" ".join(map(str, node)) for node in nodes.reshape(-1, 3))]))
    return path, nodes


def _tetrahedral(nodes, places):
    """By the vertices of the simplex: sort the fractions, and walk along the axes in that order."""
    size = len(nodes)
    places = np.clip(places, 0, 1) * (size - 1)
    cell = np.minimum(places.astype(int), size - 2)
    fractions = places - cell
    order = np.argsort(-fractions, axis=-1, kind="stable")
    weights = np.take_along_axis(fractions, order, -1)
    weights = np.concatenate([np.ones_like(weights[..., :1]), weights, np.zeros_like(weights[..., :1])], axis=-1)
    at, total = cell.copy(), 0.0
    for k in range(4):
        node = nodes[at[..., 2], at[..., 1], at[..., 0]]
        total = total + (weights[..., k] - weights[..., k + 1])[..., None] * node
        if k < 3:
            np.put_along_axis(at, order[..., k:k + 1], np.take_along_axis(at, order[..., k:k + 1], -1) + 1, -1)
    return total


@pytest.mark.parametrize("size", [2, 17, 33, 65])
@pytest.mark.parametrize("interpolation", ["tetrahedral", "trilinear"])
def test_cubes_are_numpys(tmp_path, size, interpolation):
    low, high = (-0.25, 0.0, 0.1), (1.0, 1.5, 0.9)
    path, nodes = _cube(tmp_path, size, low, high)
    picture = float_picture()
    got = engine(tmp_path, "color-lut", picture, "srgb", file=path, interpolation=interpolation)
    places = (picture.astype(float) - low) / (np.array(high) - low)
    if interpolation == "tetrahedral":
        wanted = _tetrahedral(nodes, places)
    else:
        axis = np.linspace(0, 1, size)
        wanted = RegularGridInterpolator((axis,) * 3, nodes)(np.clip(places, 0, 1)[..., ::-1])
    assert np.abs(got - wanted).max() <= 1e-5


def test_curves_are_numpys(tmp_path):
    rng = np.random.default_rng(4)
    curves = np.sort(rng.uniform(0, 1, (100, 3)), axis=0).round(6)
    path = tmp_path / "curves.cube"
    path.write_text("LUT_1D_SIZE 100\n" + "\n".join(" ".join(map(str, row)) for row in curves))
    picture = float_picture()
    got = engine(tmp_path, "color-lut", picture, "srgb", file=path, amount=0.25)
    axis = np.linspace(0, 1, 100)
    wanted = np.stack([np.interp(picture[..., c], axis, curves[:, c]) for c in range(3)], axis=-1)
    assert np.abs(got - (0.75 * picture + 0.25 * wanted)).max() <= 1e-5


def test_hald_image_is_the_cube_that_it_shows(tmp_path):
    import cv2
    level = 5
    _, nodes = _cube(tmp_path, level * level)
    codes = np.round(np.clip(nodes, 0, 1) * 65535).astype(np.uint16)
    cv2.imwrite(str(tmp_path / "hald.png"), codes.reshape(level ** 3, level ** 3, 3)[..., ::-1])
    picture = float_picture()
    got = engine(tmp_path, "color-lut", picture, "srgb", file=tmp_path / "hald.png")
    assert np.abs(got - _tetrahedral(codes / 65535.0, picture.astype(float))).max() <= 1e-5


@pytest.mark.parametrize("interpolation", ["tetrahedral", "trilinear"])
def test_cube_is_opencolorios(tmp_path, interpolation):
    ocio = pytest.importorskip("PyOpenColorIO")
    path, _ = _cube(tmp_path, 33)
    picture = np.clip(float_picture(), 0, 1)
    by = {"tetrahedral": ocio.INTERP_TETRAHEDRAL, "trilinear": ocio.INTERP_LINEAR}[interpolation]
    transform = ocio.FileTransform(src=str(path), interpolation=by)
    wanted = picture.copy()
    ocio.Config.CreateRaw().getProcessor(transform).getDefaultCPUProcessor().applyRGB(wanted)
    got = engine(tmp_path, "color-lut", picture, "srgb", file=path, interpolation=interpolation)
    assert np.abs(got - wanted).max() <= 1e-5


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="there is no ffmpeg")
@pytest.mark.parametrize("interpolation", ["tetrahedral", "trilinear"])
def test_cube_is_ffmpegs(tmp_path, interpolation):
    path, _ = _cube(tmp_path, 33)
    picture = np.round(np.clip(float_picture(), 0, 1) * 255).astype(np.uint8)
    height, width, _ = picture.shape
    filters = f"lut3d=file={path}:interp={interpolation}"
    done = subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
                           "-i", "-", "-vf", filters, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                          input=picture.tobytes(), stdout=subprocess.PIPE, check=True)
    theirs = np.frombuffer(done.stdout, np.uint8).reshape(picture.shape)
    got = engine(tmp_path, "color-lut", picture, "srgb", file=path, interpolation=interpolation)
    # It drops the fraction of a code where we round.
    assert np.abs(got.astype(int) - theirs).max() <= 1


def test_another_table_gives_another_picture(tmp_path):
    """The comparisons above can fail: with another table they do."""
    picture = float_picture()
    first, _ = _cube(tmp_path, 17)
    second = SOURCE / "tests/tables/look.cube"
    one, two = (engine(tmp_path, "color-lut", picture, "srgb", file=path) for path in (first, second))
    assert np.abs(one - two).max() > 0.05
