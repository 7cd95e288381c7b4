# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Oilify is GEGL's, with an exponent of 1 SciPy's mean of a disc, and with a large one the most frequent color."""
import numpy as np
import pytest

from ours import SCIPY_MODES, engine, float_picture, gegl, rgba

ndimage = pytest.importorskip("scipy.ndimage")


def disc(radius):
    y, x = np.mgrid[-radius:radius + 1, -radius:radius + 1]
    return x * x + y * y <= radius * radius


def pictures(seed):
    """Noise, some colors that are mixed, and what is smooth with edges and noise."""
    random = np.random.default_rng(seed)
    noise = random.integers(0, 256, (40, 60, 4), dtype=np.uint8)
    colors = random.integers(0, 256, (12, 4), dtype=np.uint8)[random.integers(0, 12, (40, 60))]
    return noise, colors, rgba(float_picture(60, 80) * 0.7 + 0.3)


@pytest.mark.parametrize("use_inten", ["yes", "no"])
@pytest.mark.parametrize("seed", range(4))
def test_is_gegls(tmp_path, seed, use_inten):
    """Within a code, but for pixels of whose disc a value is between two bins but for rounding."""
    random = np.random.default_rng(seed + 10)
    for image in pictures(seed):
        values = {"mask-radius": int(random.integers(1, 13)), "exponent": int(random.integers(1, 21)),
                  "intensities": int(random.integers(8, 257)), "use-inten": use_inten}
        theirs = gegl(tmp_path, "gegl:oilify", image, *(
            f"{key}={value}" for key, value in values.items() if key != "use-inten"),
            f"use-inten={'true' if use_inten == 'yes' else 'false'}")
        ours = engine(tmp_path, "oilify", image, "srgb", **values)
        assert np.abs(ours - image.astype(float)).mean() > 2
        assert (np.abs(ours - theirs).max(-1) <= 1.01).mean() > 0.995, values


@pytest.mark.parametrize("border", SCIPY_MODES)
@pytest.mark.parametrize("radius", [1, 7, 30])
def test_without_weights_is_scipys_mean(tmp_path, border, radius):
    image = np.random.default_rng(radius).random((37, 45, 4), np.float32)
    for intensities in 8, 256:
        got = engine(tmp_path, "oilify", image, "linear", mask_radius=radius, exponent=1, intensities=intensities,
                     border=border)
        wanted = np.stack([ndimage.convolve(image[..., c].astype(float), disc(radius) / disc(radius).sum(),
                                            mode=SCIPY_MODES[border]) for c in range(4)], -1)
        assert np.abs(got - wanted).max() < 2e-6


@pytest.mark.parametrize("use_inten", ["yes", "no"])
def test_the_most_frequent_color_wins(tmp_path, use_inten):
    """By channels it is the bin's own value: here there is none between 5 / 8 and 1."""
    random = np.random.default_rng(3)
    image = np.where(random.random((30, 40, 1)) < 0.1, random.random((30, 40, 3)) * 0.5, 0.7).astype(np.float32)
    got = engine(tmp_path, "oilify", image, "linear", mask_radius=9, exponent=20, intensities=9, border="wrap",
                 use_inten=use_inten)
    assert np.abs(got - (0.7 if use_inten == "yes" else 5 / 8)).max() < 1e-6


def test_what_is_flat_or_beyond_stays_within(tmp_path):
    for use_inten in "yes", "no":
        flat = np.full((20, 30, 4), 200, np.uint8)
        values = {"intensities": 256, "use-inten": use_inten, "mask-radius": 40}
        got = engine(tmp_path, "oilify", flat, "linear", **values)
        assert (got == flat).all()
        wild = np.random.default_rng(1).normal(0.5, 3, (20, 30, 4)).astype(np.float32)
        wild[3, 4], wild[8, 9, 0], wild[12, 3, 1] = np.nan, np.inf, -np.inf
        got = engine(tmp_path, "oilify", wild, "linear", **values)
        assert got.min() >= 0 and got.max() <= 1 and np.isfinite(got).all()
