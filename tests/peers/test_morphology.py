# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Morphology as SciPy and OpenCV compute it, and its laws."""
import numpy as np
import pytest

from ours import SCIPY_MODES, engine, float_picture

ndimage = pytest.importorskip("scipy.ndimage")
SCIPYS = {"dilate": "grey_dilation", "erode": "grey_erosion", "open": "grey_opening", "close": "grey_closing",
          "gradient": "morphological_gradient", "top-hat": "white_tophat", "black-hat": "black_tophat"}
BORDERS = [border for border in SCIPY_MODES if border != "transparent"]
TYPES = (np.uint8, np.uint16, np.float32)


def picture_of(dtype, height=61, width=83):
    """Smooth parts, edges and noise, and single values that are random in the whole range."""
    floats = float_picture()[:height, :width]
    if dtype == np.float32:
        return floats
    top = np.iinfo(dtype).max
    codes = (np.clip(floats * 0.6 + 0.2, 0, 1) * top).astype(dtype)
    random = np.random.default_rng(7)
    return np.where(random.random(codes.shape) < 0.02, random.integers(0, top, codes.shape, dtype, True), codes)


def footprint(shape, radius):
    y, x = np.mgrid[-radius:radius + 1, -radius:radius + 1]
    return {"square": np.ones_like(x, bool), "disc": x * x + y * y <= (radius + 0.5) ** 2,
            "diamond": abs(x) + abs(y) <= radius, "horizontal": y == 0, "vertical": x == 0}[shape]


def scipys(operation, image, shape, radius, border):
    mode = {"mode": SCIPY_MODES[border]} if border != "transparent" else {"mode": "nearest"}
    return getattr(ndimage, SCIPYS[operation])(image, footprint=footprint(shape, radius)[..., None], **mode)


@pytest.mark.parametrize("shape,radius", [("square", 2), ("disc", 1), ("disc", 6), ("diamond", 5),
                                          ("horizontal", 9), ("vertical", 7)])
@pytest.mark.parametrize("operation", SCIPYS)
def test_operations_are_scipys(tmp_path, operation, shape, radius):
    """Exactly, in every number type that SciPy has."""
    for dtype in TYPES:
        image = picture_of(dtype)
        wanted = scipys(operation, image, shape, radius, "clamp")
        got = engine(tmp_path, "morphology", image, "srgb", operation=operation, shape=shape, radius=radius)
        assert np.array_equal(got, wanted), dtype


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("operation", ["dilate", "erode", "open", "black-hat"])
def test_borders_are_scipys(tmp_path, operation, border):
    """With windows that are larger than the picture, too."""
    for size, radius in ((37, 5), (11, 7), (5, 9)):
        image = picture_of(np.uint8, size, size + 2)
        wanted = scipys(operation, image, "disc", radius, border)
        got = engine(tmp_path, "morphology", image, "srgb", operation=operation, radius=radius, border=border)
        assert np.array_equal(got, wanted), (size, radius)


def test_transparent_border_takes_no_part(tmp_path):
    image = picture_of(np.uint16)
    for operation, outside in ("dilate", 0), ("erode", 65535):
        wanted = getattr(ndimage, SCIPYS[operation])(image, footprint=footprint("diamond", 8)[..., None],
                                                     mode="constant", cval=outside)
        got = engine(tmp_path, "morphology", image, "srgb", operation=operation, shape="diamond", radius=8,
                     border="transparent")
        assert np.array_equal(got, wanted)


@pytest.mark.parametrize("shape,radius", [("disc", 200), ("diamond", 150), ("square", 90)])
def test_large_windows_are_scipys(tmp_path, shape, radius):
    image = picture_of(np.uint16, 47, 61)[..., :1]
    wanted = ndimage.grey_dilation(image[..., 0], footprint=footprint(shape, radius), mode="nearest")
    got = engine(tmp_path, "morphology", image, "srgb", shape=shape, radius=radius)
    assert np.array_equal(got[..., 0], wanted)


def test_spots_become_large_discs(tmp_path):
    random = np.random.default_rng(3)
    image = np.zeros((450, 500, 1), np.uint16)
    for y, x in zip(random.integers(0, 450, 6), random.integers(0, 500, 6)):
        image[y, x] = random.integers(1, 65535)
    y, x = np.mgrid[:450, :500]
    wanted = np.zeros_like(image)
    for spot in np.argwhere(image[..., 0] > 0):
        near = (y - spot[0]) ** 2 + (x - spot[1]) ** 2 <= 200.5 ** 2
        wanted[near] = np.maximum(wanted[near], image[spot[0], spot[1]])
    got = engine(tmp_path, "morphology", image, "srgb", radius=200)
    assert np.array_equal(got, wanted)


@pytest.mark.parametrize("shape,radius", [("square", 20), ("disc", 20), ("diamond", 20)])
def test_is_opencvs(tmp_path, shape, radius):
    cv2 = pytest.importorskip("cv2")
    image = picture_of(np.uint8, 200, 300)
    kernel = footprint(shape, radius).astype(np.uint8)
    for operation, wanted in ("dilate", cv2.dilate(image, kernel)), ("erode", cv2.erode(image, kernel)):
        got = engine(tmp_path, "morphology", image, "srgb", operation=operation, shape=shape, radius=radius)
        assert np.array_equal(got, wanted)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("border", ["clamp", "wrap", "transparent"])
def test_laws(tmp_path, border, dtype):
    """Dilation is erosion of the negative; opening and closing change nothing a second time."""
    image = picture_of(dtype)
    negative = -image if dtype == np.float32 else np.iinfo(dtype).max - image

    def ours(picture, operation):
        return engine(tmp_path, "morphology", picture, "srgb", operation=operation, radius=4, border=border)

    eroded = ours(negative, "erode")
    back = -eroded if dtype == np.float32 else np.iinfo(dtype).max - eroded
    assert np.array_equal(ours(image, "dilate"), back)
    for operation in "open", "close":
        once = ours(image, operation)
        assert not np.array_equal(once, image)
        assert np.array_equal(ours(once, operation), once)
