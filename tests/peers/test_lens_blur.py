# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Means over an aperture as SciPy computes them in double."""
import numpy as np
import pytest

from ours import SCIPY_MODES, engine, float_picture

ndimage = pytest.importorskip("scipy.ndimage")
BORDERS = [border for border in SCIPY_MODES if border != "transparent"]  # colors weigh by alpha


def aperture(shape, radius, blades=6, rotation=0.0):
    """The share that the shape covers of each pixel."""
    reach = int(radius) + 2
    y, x = np.mgrid[-reach:reach + 1, -reach:reach + 1].astype(float)
    distance = np.hypot(x, y)
    outside = distance - radius
    if shape == "polygon":
        normals = np.radians(rotation + 360 * (np.arange(blades) + 0.5) / blades)
        outside = np.max([x * np.cos(a) - y * np.sin(a) for a in normals], axis=0) - radius * np.cos(np.pi / blades)
    if shape == "ring":
        outside = np.maximum(outside, radius / 2 - distance)
    covered = np.clip(0.5 - outside, 0, 1)
    return covered / covered.sum()


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("values", [{"shape": "disc", "radius": 3.7}, {"shape": "ring", "radius": 9.2},
                                    {"shape": "polygon", "radius": 7.5, "blades": 5, "rotation": 17.0},
                                    {"shape": "polygon", "radius": 12.0, "blades": 3, "rotation": -80.0}])
def test_means_are_scipys(tmp_path, values, border):
    image = float_picture()[:53, :71, :3]
    mode = SCIPY_MODES[border]
    wanted = np.stack([ndimage.convolve(image[..., c].astype(float), aperture(**values), mode=mode)
                       for c in range(3)], axis=-1)
    got = engine(tmp_path, "lens-blur", image, "linear", border=border, **values)
    assert np.abs(got - wanted).max() < 1e-5 * max(1.0, np.abs(image).max())


@pytest.mark.parametrize("values", [{"shape": "disc", "radius": 6.0}, {"shape": "ring", "radius": 8.0},
                                    {"shape": "polygon", "radius": 8.0, "blades": 3, "rotation": 10.0}])
def test_a_point_becomes_the_aperture(tmp_path, values):
    image = np.zeros((31, 31, 3), np.float32)
    image[15, 15] = 1e4
    wanted = np.zeros((31, 31))
    covered = aperture(**values)
    reach = covered.shape[0] // 2
    wanted[15 - reach:16 + reach, 15 - reach:16 + reach] = covered
    got = engine(tmp_path, "lens-blur", image, "linear", **values)
    assert np.abs(got / 1e4 - wanted[..., None]).max() < 1e-6


def test_radius_0_only_brightens_highlights(tmp_path):
    image = float_picture()[:20, :30, :3].clip(0, 1)
    same = engine(tmp_path, "lens-blur", image, "linear", radius=0)
    assert np.array_equal(same, image)
    bright = engine(tmp_path, "lens-blur", image, "linear", radius=0, highlights=3, **{"highlight-threshold": 0.5})
    assert (bright >= image - 1e-6).all() and bright.max() > image.max()
