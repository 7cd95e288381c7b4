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
    opaque = got[..., 3] >= 16  # below, a code of alpha is many of color
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


@pytest.mark.parametrize("mode", ["luminance", "channels", "joint"])
@pytest.mark.parametrize("low, high", [(0, 0), (0.05, 0.02), (0.4, 0.4), (0, 0.001)])
def test_autocontrast_is_numpys(tmp_path, picture, mode, low, high):
    """By order statistics of floats, none of them interpolated."""
    values = picture.astype(np.float64)
    lists = {"luminance": (values @ [0.2125, 0.7154, 0.0721])[..., None], "channels": values,
             "joint": values.reshape(1, -1, 1)}[mode]
    lists = lists.reshape(-1, lists.shape[-1])
    ranks = [int(low * len(lists)), len(lists) - 1 - int(high * len(lists))]
    low_value, high_value = np.partition(lists, ranks, axis=0)[ranks]
    wanted = np.clip((values - low_value) / (high_value - low_value), 0, 1)
    got = engine(tmp_path, "autocontrast", picture, "srgb", low_fraction=low, high_fraction=high,
                 mode=mode)
    assert np.abs(got - wanted).max() <= 1e-5


@pytest.mark.parametrize("percent", [0, 1, 10])
def test_autocontrast_is_pillows(tmp_path, picture, percent):
    from PIL import Image, ImageOps
    image = rgba(picture * 0.6 + 0.2)[..., :3]
    wanted = np.asarray(ImageOps.autocontrast(Image.fromarray(image), cutoff=percent)).astype(int)
    got = engine(tmp_path, "autocontrast", image, "srgb", low_fraction=percent / 100,
                 high_fraction=percent / 100, mode="channels")
    assert ((got - wanted == 0) | (got - wanted == 1)).all()  # Pillow cuts its fractions off


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float16, np.float32])
def test_autocontrast_finds_a_maximum_that_occurs_once(tmp_path, dtype):
    top = 1 if np.issubdtype(dtype, np.floating) else np.iinfo(dtype).max
    image = np.full((301, 299, 3), 0.25 * top).astype(dtype)
    image[123, 217] = 0.75 * top
    image[7, 5] = 0.125 * top
    for mode in ("luminance", "channels", "joint"):
        got = engine(tmp_path, "autocontrast", image, "srgb", mode=mode)
        assert (got[123, 217] == top).all() and (got[7, 5] == 0).all()
        # A fraction that is less than one pixel changes nothing, one of a pixel does.
        same = engine(tmp_path, "autocontrast", image, "srgb", mode=mode, high_fraction=1e-6)
        assert np.array_equal(same, got)
        cut = engine(tmp_path, "autocontrast", image, "srgb", mode=mode, high_fraction=2e-5)
        assert (cut[0, 0] == top).all()


def test_autocontrast_leaves_a_flat_picture_alone(tmp_path):
    for dtype, value in ((np.uint8, 77), (np.uint16, 7777), (np.float32, -2.5)):
        image = np.full((61, 47, 3), value, dtype) + np.arange(3).astype(dtype)
        for mode, fraction in (("luminance", 0), ("luminance", 0.4), ("channels", 0.1)):
            got = engine(tmp_path, "autocontrast", image, "srgb", mode=mode,
                         low_fraction=fraction, high_fraction=fraction)
            assert np.array_equal(got, image)


def test_autocontrast_takes_fractions_by_their_word(tmp_path):
    """Of 1000 different values, 0.1 below and 0.2 above are cut off: 100 and 200 of them."""
    rng = np.random.default_rng(3)
    values = rng.permutation(np.linspace(-1, 3, 1000, dtype=np.float32)).reshape(25, 40, 1)
    got = engine(tmp_path, "autocontrast", values, "srgb", low_fraction=0.1, high_fraction=0.2)
    low, high = np.sort(values, axis=None)[[100, 799]]
    assert (got == 0).sum() == 101 and (got == 1).sum() == 201
    assert ((values <= low) == (got == 0)).all() and ((values >= high) == (got == 1)).all()


def cast_picture():
    """8-bit gray steps, some color and grain, under bluish light."""
    rng = np.random.default_rng(11)
    y, x = np.mgrid[:120, :160]
    steps = (x // 20 + 1) / 8.0 * 0.9
    color = np.stack([steps, steps, steps], axis=-1)
    color[:30, :, 0] *= 0.4
    color[30:50, :, 1] *= 0.6
    color[50:65, :, 2] *= 0.3
    return np.rint((color + rng.uniform(0, 0.05, color.shape)) * [200, 215, 240]).astype(np.uint8)


@pytest.mark.parametrize("luma, chroma", [(150, 15), (100, 20), (190.25, 12.5)])
def test_white_balance_is_opencvs(tmp_path, luma, chroma):
    """The paper's way, step by step, on OpenCV's Y, Cr and Cb."""
    import cv2
    image = cast_picture()
    codes = image.astype(np.float32)
    tones = cv2.cvtColor(codes, cv2.COLOR_RGB2YCrCb).astype(np.float64)
    tones[..., 1:] -= 0.5  # which is OpenCV's zero of floats
    may_be = (tones[..., 0] >= luma) & (np.abs(tones[..., 1:]) <= chroma).all(-1)
    candidates = tones[may_be]
    assert 10 < len(candidates) < may_be.size
    ends = np.stack([candidates[candidates[:, 0].argmax()], candidates.mean(0)])
    white = ((tones >= ends.min(0) - 1e-3) & (tones <= ends.max(0) + 1e-3)).all(-1)
    wanted = image.astype(float)
    for c, mean in enumerate([image[white].mean(0)] * 2 + [image.mean((0, 1))]):  # the cast: blue
        wanted[..., c] *= mean @ [0.299, 0.587, 0.114] / mean[c]
    got = engine(tmp_path, "white-balance", image, "srgb", white_luma=luma, white_chroma=chroma,
                 equalize="no")
    assert np.abs(got - np.clip(wanted, 0, 255)).max() <= 0.75  # OpenCV's factors are short
    assert np.abs(got.astype(int) - image).max() > 10


def test_white_balance_makes_white_white(tmp_path):
    """With equal histograms, the white is found under a strong cast too."""
    image = cast_picture()
    got = engine(tmp_path, "white-balance", image, "srgb").astype(int)
    patch = got[70:, 145:].mean((0, 1))
    before = image[70:, 145:].mean((0, 1))
    assert abs(before[0] - before[1]) > 10 and abs(patch[0] - patch[1]) < 3


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_white_balance_without_cast_or_candidate_changes_nothing(tmp_path, dtype):
    top = 1 if dtype == np.float32 else np.iinfo(dtype).max
    gray = np.repeat((np.random.default_rng(2).random((40, 50, 1)) * top).astype(dtype), 3, axis=2)
    assert np.array_equal(engine(tmp_path, "white-balance", gray, "srgb"), gray)
    dark = np.zeros((40, 50, 3), dtype)
    dark[..., 2] = top // 2 if dtype != np.float32 else 0.5
    assert np.array_equal(engine(tmp_path, "white-balance", dark, "srgb"), dark)


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
