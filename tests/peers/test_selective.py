# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Filters that look at a neighborhood and leave out some of it, as GEGL computes them."""
import shutil
import subprocess

import numpy as np
import pytest

from ours import engine, exact_conversions, float_picture, rgba

pytestmark = pytest.mark.skipif(shutil.which("gegl") is None,
                                reason="the command gegl is not installed")


def pictures():
    """With a ramp of alpha, of 8 and of 16 bits."""
    picture = float_picture(97, 131)
    codes = rgba(picture)
    fine = np.dstack([np.clip(picture * 51000, 0, 65535), codes[..., 3] * 257.0])
    return [codes, fine.astype(np.uint16)]


def gegl(tmp_path, image, *operation, **variables):
    """An operation's picture from 0 to 1, in the encoding of `image`; more variables of its process."""
    import cv2
    bgra = image[..., [2, 1, 0, 3]]
    cv2.imwrite(str(tmp_path / "in.png"), bgra)
    subprocess.run(["gegl", tmp_path / "in.png", "-o", tmp_path / "out.png", "--", *operation,
                    "gegl:crop", "x=0", "y=0", f"width={image.shape[1]}", f"height={image.shape[0]}",
                    "gegl:png-save", f"path={tmp_path / 'fine.png'}", "bitdepth=16"],
                   env=exact_conversions(tmp_path) | variables, check=True)
    out = cv2.imread(str(tmp_path / "fine.png"), cv2.IMREAD_UNCHANGED)
    return out[..., [2, 1, 0, 3]].astype(float) / (65535.0 if out.dtype == np.uint16 else 255.0)


def close(got, wanted, image, allowed):
    """Within a code, or as far as `allowed`."""
    code = 1.0 / np.iinfo(image.dtype).max
    got = got.astype(float) * code
    off = np.abs(got - wanted)
    return off <= 1.01 * code + 1.0 / 65535.0 + allowed


@pytest.mark.parametrize("radius,pairs", [(1, 1), (1, 2), (3, 2), (8, 2), (8, 1), (23, 2), (17, 1)])
def test_snn_mean_is_gegls(tmp_path, radius, pairs):
    for image in pictures():
        wanted = gegl(tmp_path, image, "gegl:snn-mean", f"radius={radius}", f"pairs={pairs}")
        got = engine(tmp_path, "snn-mean", image, "srgb", radius=radius, pairs=pairs)
        fits = close(got, wanted, image, 1e-4)
        # Of colors that are as far but for rounding, either counts.
        assert fits.mean() >= 1 - 1e-4, np.argwhere(~fits)[:5]


@pytest.mark.parametrize("radius,delta", [(1, 0.2), (5, 0.2), (5, 1.0), (7.6, 0.1), (20, 0.35),
                                          (60, 0.2), (130, 0.4)])
def test_selective_blur_is_gegls(tmp_path, radius, delta):
    for image in pictures():
        wanted = gegl(tmp_path, image, "gegl:gaussian-blur-selective", f"blur-radius={radius}",
                      f"max-delta={delta}")
        got = engine(tmp_path, "selective-blur", image, "srgb", blur_radius=radius, max_delta=delta)
        fits = close(got, wanted, image, 1e-3)
        assert fits.all(), np.argwhere(~fits)[:5]


@pytest.mark.parametrize("iterations", [1, 2, 4, 8])
def test_noise_reduction_is_gegls(tmp_path, iterations):
    """By one thread: that of several, and of more than a megapixel, is smoothed in pieces."""
    picture = float_picture(290, 1100)
    fine = np.dstack([np.clip(picture * 9000 + 25000, 1, 65534), np.full(picture.shape[:2], 40000)])
    for image, share in [(rgba(picture + 0.1), 0.01), (fine.astype(np.uint16), 4e-4 * iterations)]:
        wanted = gegl(tmp_path, image, "gegl:noise-reduction", f"iterations={iterations}", GEGL_THREADS="1")
        got = engine(tmp_path, "noise-reduction", image, "srgb", iterations=iterations)
        fits = close(got, wanted, image, 1e-4)
        # Second differences of codes often are equal but for what GEGL's conversion rounds.
        assert fits.mean() >= 1 - share, np.argwhere(~fits)[:5]


@pytest.mark.parametrize("iterations", [1, 4])
def test_noise_reduction_is_the_same_of_parts(tmp_path, iterations):
    """Far from the ends of a part, whose tiles lie elsewhere: what is before them counts less and less."""
    picture = float_picture(330, 620)
    whole = engine(tmp_path, "noise-reduction", picture, "srgb", iterations=iterations)
    part = engine(tmp_path, "noise-reduction", picture[37:, 23:], "srgb", iterations=iterations)
    inner = np.s_[40:-40, 40:-40]
    off = np.abs(part[inner] - whole[37:, 23:][inner])
    assert (off > 1e-4).mean() <= 1e-5
