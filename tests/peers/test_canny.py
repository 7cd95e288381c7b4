# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Canny's edges as OpenCV finds them, and what they must be however the image is cut."""
import os
import pathlib
import subprocess

import numpy as np
import pytest

BUILD = pathlib.Path(os.environ.get("CUDA_FILTERS_BUILD", "build"))
THRESHOLDS = [(0, 1), (10, 30), (50.5, 120.25), (70, 130), (100, 200), (200, 400), (399.99, 400),
              (700, 1100), (1400, 1500)]


def canny(tmp_path, image, **params):
    """Where our filter draws an edge in 8-bit codes of shape (height, width[, channels])."""
    height, width = image.shape[:2]
    model = "y" if image.ndim == 2 else {3: "rgb", 4: "rgba"}[image.shape[2]]
    source, result = tmp_path / "in.raw", tmp_path / "out.raw"
    np.ascontiguousarray(image).tofile(source)
    subprocess.run(
        [BUILD / "tests/tool/apply", "canny", "--width", str(width), "--height", str(height),
         "--format", f"{model}-u8", "--encoding", "srgb", source, result,
         *(f"{k.replace('_', '-')}={v}" for k, v in params.items())], check=True)
    out = np.fromfile(result, np.uint8).reshape(image.shape)
    return (out if out.ndim == 2 else out[..., 0]) > 0


def photo(height, width):
    """Smooth parts, edges in all directions and grain."""
    import cv2
    rng = np.random.default_rng(4)
    y, x = np.mgrid[0:height, 0:width].astype(float)
    image = 90 + 60 * np.sin(x / 37) * np.cos(y / 23) + 8 * rng.normal(size=(height, width))
    image += 70 * (np.hypot(x - width / 3, y - height / 2) < height / 4)
    image += 40 * ((x * 3 + y * 5) % 211 < 60) - 30 * ((x - y) % 97 < 20)
    return cv2.GaussianBlur(image.clip(0, 255).astype(np.uint8), (0, 0), 0.8)


def noise(height, width):
    return np.random.default_rng(6).integers(0, 256, (height, width), dtype=np.uint8)


def blocks(height, width):
    """Few values: most magnitudes are ties."""
    rng = np.random.default_rng(8)
    return np.kron(rng.integers(0, 3, (height // 3 + 1, width // 4 + 1)) * 100,
                   np.ones((3, 4), int))[:height, :width].astype(np.uint8)


@pytest.mark.parametrize("norm", ["l2", "l1"])
@pytest.mark.parametrize("make", [photo, noise, blocks])
@pytest.mark.parametrize("size", [(613, 811), (1400, 97), (1, 50), (50, 1), (2, 2)])
def test_canny_is_opencvs(tmp_path, make, size, norm):
    import cv2
    image = make(*size)
    for low, high in THRESHOLDS:
        wanted = cv2.Canny(image, low, high, apertureSize=3, L2gradient=norm == "l2") > 0
        got = canny(tmp_path, image, sigma=0, low_threshold=low, high_threshold=high, norm=norm)
        assert np.array_equal(got, wanted), (low, high)


@pytest.mark.parametrize("channel", ["red", "green", "blue"])
def test_a_channel_is_the_gray_images(tmp_path, channel):
    image = np.dstack([photo(300, 200), noise(300, 200), blocks(300, 200), noise(300, 200)])
    gray = image[..., ["red", "green", "blue"].index(channel)]
    wanted = canny(tmp_path, gray, sigma=0)
    assert np.array_equal(canny(tmp_path, image, sigma=0, channel=channel), wanted)


def test_the_blur_is_opencvs(tmp_path):
    """Ties aside, which rounding decides."""
    import cv2
    image = photo(400, 600)
    blurred = cv2.GaussianBlur(image.astype(np.float32), (0, 0), 1.4,
                               borderType=cv2.BORDER_REPLICATE)
    gradients = [cv2.Sobel(blurred, cv2.CV_32F, dx, 1 - dx, borderType=cv2.BORDER_REPLICATE)
                 for dx in (1, 0)]
    # OpenCV's own takes gradients of 16 bits: with 16 to a unit, little is rounded.
    wanted = cv2.Canny(*(np.rint(16 * g).astype(np.int16) for g in gradients), 16 * 40, 16 * 90,
                       L2gradient=True) > 0
    got = canny(tmp_path, image, sigma=1.4, low_threshold=40, high_threshold=90)
    assert wanted.mean() > 0.01
    assert np.mean(got != wanted) < 2e-3


def spiral(height, width, step=8):
    """A one-pixel line from the corner to the middle, that meets itself nowhere."""
    image = np.zeros((height, width), np.uint8)
    top, left, bottom, right = 4, 4, height - 5, width - 5
    while bottom - top > 2 * step and right - left > 2 * step:
        image[top, left - (step if left > 4 else 0):right + 1] = 60
        image[top:bottom + 1, right] = 60
        image[bottom, left:right + 1] = 60
        image[top + step:bottom + 1, left] = 60
        top, left, bottom, right = top + step, left + step, bottom - step, right - step
    return image


@pytest.mark.parametrize("size", [(300, 200), (5003, 601)])
def test_a_spiral_lives_by_one_strong_end(tmp_path, size):
    import cv2
    image = spiral(*size)
    parameters = dict(sigma=0, low_threshold=100, high_threshold=400)
    assert not canny(tmp_path, image, **parameters).any()
    image[4, 4:30] = 110
    wanted = cv2.Canny(image, 100, 400, L2gradient=True) > 0
    got = canny(tmp_path, image, **parameters)
    assert np.array_equal(got, wanted)
    assert got.sum() > image.astype(bool).sum() / 2
