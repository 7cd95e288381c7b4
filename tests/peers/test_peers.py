# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The same filters as other people compute them: SciPy, OpenCV and GEGL."""
import shutil

import numpy as np
import pytest

from ours import SCIPY_MODES, engine, float_picture, gegl, rgba


@pytest.fixture
def picture():
    return float_picture()


@pytest.mark.parametrize("border", [b for b in SCIPY_MODES if b != "transparent"])
@pytest.mark.parametrize("sigma", [(0.6, 2.5), (5, 5), (9, 12), (31, 8)])
def test_gaussian_blur_is_scipys(tmp_path, picture, sigma, border):
    from scipy import ndimage
    wanted = picture.astype(np.float64)
    for axis, s in ((1, sigma[0]), (0, sigma[1])):
        wanted = ndimage.gaussian_filter1d(wanted, s, axis, mode=SCIPY_MODES[border], truncate=8)
    got = engine(tmp_path, "gaussian-blur", picture, "linear", std_dev_x=sigma[0],
                 std_dev_y=sigma[1], border=border)
    assert np.abs(got - wanted).max() <= (2e-5 if max(sigma) <= 10 else 2e-4)


@pytest.mark.parametrize("sigma", [1.5, 4, 10])
def test_gaussian_blur_is_opencvs(tmp_path, picture, sigma):
    import cv2
    wanted = cv2.GaussianBlur(picture, (0, 0), sigma, borderType=cv2.BORDER_REFLECT)
    got = engine(tmp_path, "gaussian-blur", picture, "linear", std_dev_x=sigma, std_dev_y=sigma,
                 border="mirror")
    # OpenCV cuts its bell off at 4 sigma: 6e-5 of the weights lie beyond.
    assert np.abs(got - wanted).max() <= 4e-4


def test_gaussian_blur_of_31_by_31_is_the_truncated_kernels(tmp_path, picture):
    import cv2
    wanted = cv2.GaussianBlur(picture, (31, 31), 5, borderType=cv2.BORDER_REPLICATE)
    got = engine(tmp_path, "gaussian-blur", picture, "linear", std_dev_x=5, std_dev_y=5)
    assert np.abs(got - wanted).max() <= 1e-2


@pytest.mark.parametrize("sigma", [2, 10])
def test_gaussian_blur_is_gegls(tmp_path, picture, sigma):
    """GIMP's own blur, in linear light and weighted by alpha."""
    if shutil.which("gegl") is None:
        pytest.skip("the command gegl is not installed")
    image = rgba(picture)
    wanted = gegl(tmp_path, "gaussian-blur", image, f"std-dev-x={sigma}", f"std-dev-y={sigma}",
                  "filter=fir", "clip-extent=true", "abyss-policy=clamp")
    got = engine(tmp_path, "gaussian-blur", image, "srgb", std_dev_x=sigma, std_dev_y=sigma)
    opaque = got[..., 3] >= 16  # below, a code of alpha is many of colour
    difference = np.abs(got.astype(float) - wanted)
    assert difference[..., 3].max() <= 1.5
    assert difference[opaque].max() <= 2.5


MATRICES = {
    "sharpen": np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]]),
    "sobel": np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]]),
    "row": np.array([[1, 2, 3, 4, 5]]),
    "random 7x5": np.random.default_rng(1).normal(size=(5, 7)).round(3),
    "random 127x3": np.random.default_rng(2).normal(size=(3, 127)).round(3),
}


@pytest.mark.parametrize("border", SCIPY_MODES)
@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES.keys())
def test_convolution_matrix_is_scipys(tmp_path, picture, matrix, border):
    from scipy import ndimage
    text = ";".join(",".join(str(v) for v in row) for row in matrix)
    wanted = ndimage.correlate(picture.astype(np.float64), matrix[..., None].astype(np.float64),
                               mode=SCIPY_MODES[border])
    got = engine(tmp_path, "convolution-matrix", picture, "srgb", matrix=text, divisor=2,
                 offset=0.25, alpha_weighting="no", border=border)
    assert np.abs(got - (wanted / 2 + 0.25)).max() <= 1e-5 * np.abs(matrix).sum()


def test_convolution_matrix_is_opencvs(tmp_path, picture):
    import cv2
    matrix = MATRICES["random 7x5"]
    text = ";".join(",".join(str(v) for v in row) for row in matrix)
    wanted = cv2.filter2D(picture, -1, matrix.astype(np.float32), borderType=cv2.BORDER_REPLICATE)
    got = engine(tmp_path, "convolution-matrix", picture, "srgb", matrix=text)
    assert np.abs(got - wanted).max() <= 1e-5 * np.abs(matrix).sum()


POINT_FILTERS = [
    ("add", {"value": 0.3, "clamp": "no"}, "linear", lambda p: p + 0.3),
    ("add", {"value": 0.3}, "linear", lambda p: np.minimum(p + 0.3, 1)),
    ("subtract", {"value": 0.3}, "linear", lambda p: np.maximum(p - 0.3, 0)),
    ("multiply", {"value": 1.75}, "linear", lambda p: p * 1.75),
    ("multiply", {"value": 3, "clamp": "yes"}, "linear", lambda p: np.clip(p * 3, 0, 1)),
    ("gamma", {"gamma": 2.2}, "linear", lambda p: np.sign(p) * np.abs(p) ** (1 / 2.2)),
    ("lower-clamp", {"red": -0.5, "green": 0.25, "blue": 0.75}, "linear",
     lambda p: np.maximum(p, [-0.5, 0.25, 0.75])),
    ("monochrome", {}, "linear", lambda p: np.repeat(p @ [[0.3], [0.59], [0.11]], 3, axis=2)),
    ("threshold", {"low": 0.2, "high": 0.6, "channel": "value"}, "srgb",
     lambda p: np.repeat((p.max(2, keepdims=True) >= np.float32(0.2))
                         & (p.max(2, keepdims=True) <= np.float32(0.6)), 3, axis=2)),
]


@pytest.mark.parametrize("name, values, encoding, wanted", POINT_FILTERS)
def test_point_filters_are_numpys(tmp_path, picture, name, values, encoding, wanted):
    got = engine(tmp_path, name, picture, encoding, **values)
    assert np.abs(got - wanted(picture.astype(np.float64))).max() <= 1e-5


def test_gray_world_is_numpys(tmp_path, picture):
    means = picture.astype(np.float64).mean((0, 1))
    got = engine(tmp_path, "gray-world", picture, "srgb")
    assert np.abs(got - picture * (means.mean() / means)).max() <= 1e-5
    means = got.mean((0, 1), dtype=np.float64)
    assert np.abs(means - means.mean()).max() <= 1e-6


@pytest.mark.parametrize("keep_colors", ["yes", "no"])
def test_stretch_contrast_is_gegls(tmp_path, picture, keep_colors):
    """In perceptual values, which is what GEGL's perceptual switch means."""
    if shutil.which("gegl") is None:
        pytest.skip("the command gegl is not installed")
    image = rgba(picture * 0.5 + 0.2)
    image[..., 3] = 255
    wanted = gegl(tmp_path, "stretch-contrast", image, f"keep-colors={keep_colors == 'yes'}",
                  "perceptual=true")
    got = engine(tmp_path, "stretch-contrast", image, "srgb", keep_colors=keep_colors)
    assert np.abs(got - wanted).max() <= 1.5


def test_stretch_contrast_is_opencvs(tmp_path, picture):
    import cv2
    wanted = cv2.normalize(picture, None, 0, 1, cv2.NORM_MINMAX)
    got = engine(tmp_path, "stretch-contrast", picture, "srgb")
    assert np.abs(got - wanted).max() <= 1e-5


def test_stretch_contrast_finds_a_maximum_that_occurs_once(tmp_path):
    image = np.full((301, 299, 3), 60, np.uint8)
    image[123, 217, 1] = 180
    image[7, 5, 2] = 20
    got = engine(tmp_path, "stretch-contrast", image, "srgb")
    assert got[123, 217, 1] == 255 and got[7, 5, 2] == 0 and got[0, 0, 0] == 64


def test_lower_clamp_keeps_green_and_blue_apart(tmp_path, picture):
    got = engine(tmp_path, "lower-clamp", picture, "linear", green=0.25, blue=0.75)
    assert got[..., 1].min() == 0.25 and got[..., 2].min() == 0.75


@pytest.mark.parametrize("key, threshold, despill", [
    ("blue", 0, "yes"), ("green", 0.2, "no"), ("red", 0.4, "yes")])
def test_matte_difference_is_numpys(tmp_path, picture, key, threshold, despill):
    index = ["red", "green", "blue"].index(key)
    alpha = np.linspace(0, 1, picture.shape[1], dtype=np.float32)
    image = np.dstack([picture, np.broadcast_to(alpha, picture.shape[:2])])
    wanted = image.astype(np.float64)
    k, m = wanted[..., index], np.delete(wanted[..., :3], index, 2).max(2)
    wanted[..., 3] *= np.where(k > threshold, 1 - np.maximum(0, k - m), 1)
    if despill == "yes":
        wanted[..., index] = np.minimum(k, m)
    got = engine(tmp_path, "matte-difference", image, "linear", key=key, threshold=threshold,
                 despill=despill)
    assert np.abs(got - wanted).max() <= 1e-6


def test_matte_invert_is_numpys(tmp_path, picture):
    image = rgba(picture)
    wanted = image.copy()
    wanted[..., 3] = 255 - wanted[..., 3]
    assert np.array_equal(engine(tmp_path, "matte-invert", image, "srgb"), wanted)


@pytest.mark.parametrize("channel, threshold", [("red", 100), ("green", 31)])
def test_threshold_is_opencvs(tmp_path, picture, channel, threshold):
    import cv2
    image = np.clip(picture * 200, 0, 255).astype(np.uint8)
    index = ["red", "green", "blue"].index(channel)
    wanted = cv2.threshold(image[..., index], threshold, 255, cv2.THRESH_BINARY)[1]
    got = engine(tmp_path, "threshold", image, "srgb", channel=channel,
                 low=(threshold + 0.5) / 255)
    assert np.array_equal(got[..., 0], wanted)


def test_invert_is_numpys(tmp_path, picture):
    image = rgba(picture)
    wanted = image.copy()
    wanted[..., :3] = 255 - wanted[..., :3]
    assert np.array_equal(engine(tmp_path, "invert", image, "srgb"), wanted)
