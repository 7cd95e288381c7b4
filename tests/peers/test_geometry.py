# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Resize as Pillow and OpenCV do it, where they mean the same."""
import numpy as np
import pytest

from ours import engine, float_picture

SIZES = [(100, 61), (153, 105), (31, 200), (1, 1), (307, 1), (613, 422), (921, 90), (307, 105)]
PILLOW = {"bilinear": "BILINEAR", "bicubic": "BICUBIC", "lanczos": "LANCZOS"}


def _resized(tmp_path, picture, size, **values):
    return engine(tmp_path, "resize", picture, "linear", width=size[0], height=size[1], **values)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("interpolation", PILLOW)
def test_resize_is_pillows(tmp_path, interpolation, size):
    """Reduced, enlarged and both, not square, and down to one pixel."""
    from PIL import Image
    picture = float_picture()
    filtering = getattr(Image, PILLOW[interpolation])
    planes = [Image.fromarray(picture[..., c], "F").resize(size, filtering) for c in range(3)]
    got = _resized(tmp_path, picture, size, interpolation=interpolation)
    assert np.abs(got - np.dstack([np.asarray(plane) for plane in planes])).max() <= 1e-5


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1)], ids=str)
@pytest.mark.parametrize("interpolation", PILLOW)
def test_resize_of_few_pixels_is_pillows(tmp_path, interpolation, shape):
    from PIL import Image
    picture = float_picture(*shape)
    planes = [Image.fromarray(picture[..., c], "F").resize(
        (7, 5), getattr(Image, PILLOW[interpolation])) for c in range(3)]
    got = _resized(tmp_path, picture, (7, 5), interpolation=interpolation)
    assert np.abs(got - np.dstack([np.asarray(plane) for plane in planes])).max() <= 1e-5


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_resize_to_the_nearest_is_pillows(tmp_path, size):
    """The same pixels, bit for bit, with and without averaging on reduction."""
    from PIL import Image
    picture = float_picture()
    wanted = np.dstack([np.asarray(Image.fromarray(picture[..., c], "F").resize(
        size, Image.NEAREST)) for c in range(3)])
    for antialias in ("yes", "no"):
        got = _resized(tmp_path, picture, size, interpolation="nearest", antialias=antialias)
        assert np.array_equal(got, wanted)


@pytest.mark.parametrize("size", [(100, 61), (31, 200), (921, 90)], ids=str)
def test_resize_to_the_nearest_is_opencvs(tmp_path, size):
    """At sizes where OpenCV's places, in 65536ths of a pixel, are good enough."""
    import cv2
    picture = float_picture()
    wanted = cv2.resize(picture, size, interpolation=cv2.INTER_NEAREST_EXACT)
    assert np.array_equal(_resized(tmp_path, picture, size, interpolation="nearest"), wanted)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_resize_without_averaging_is_opencvs(tmp_path, size):
    import cv2
    picture = float_picture()
    wanted = cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR)
    got = _resized(tmp_path, picture, size, interpolation="bilinear", antialias="no")
    assert np.abs(got - wanted).max() <= 1e-4  # OpenCV's places are floats


@pytest.mark.parametrize("size", [(100, 61), (613, 422), (1000, 7)], ids=str)
def test_corners_on_corners_is_scipys(tmp_path, size):
    from scipy import ndimage
    picture = float_picture()
    rows = np.linspace(0, picture.shape[0] - 1, size[1])
    columns = np.linspace(0, picture.shape[1] - 1, size[0])
    places = np.meshgrid(rows, columns, indexing="ij")
    wanted = np.dstack([ndimage.map_coordinates(picture[..., c].astype(np.float64), places,
                                                order=1, mode="nearest") for c in range(3)])
    got = _resized(tmp_path, picture, size, interpolation="bilinear", antialias="no",
                   grid="corners")
    assert np.abs(got - wanted).max() <= 1e-5


def test_the_average_is_weighed_by_alpha(tmp_path):
    """What is transparent gives no color, however bright it is."""
    image = np.zeros((8, 8, 4), np.float32)
    image[..., :] = [0.25, 0.5, 0.75, 1]
    image[::2, ::2] = [100, 100, 100, 0]
    got = _resized(tmp_path, image, (2, 2))
    assert np.abs(got[..., :3] - [0.25, 0.5, 0.75]).max() <= 1e-5


@pytest.mark.parametrize("interpolation", ["nearest", "bilinear", "bicubic", "mitchell", "lanczos"])
@pytest.mark.parametrize("grid", ["centers", "corners"])
def test_the_same_size_is_the_same_picture(tmp_path, interpolation, grid):
    image = np.random.default_rng(3).normal(size=(33, 71, 4)).astype(np.float32)
    for values in ({"width": 71}, {"height": 33}, {}, {"width": 71, "height": 99, "fit": "yes"}):
        got = engine(tmp_path, "resize", image, "linear", interpolation=interpolation, grid=grid,
                     **values)
        assert np.array_equal(got, image)


@pytest.mark.parametrize("values, size", [
    ({"scale": 0.5}, (154, 106)), ({"width": 100}, (100, 69)), ({"height": 100}, (145, 100)),
    ({"width": 100, "height": 10}, (100, 10)), ({"width": 100, "height": 10, "fit": "yes"}, (15, 10)),
    ({"width": 100, "height": 900, "fit": "yes"}, (100, 69)), ({"width": 1000, "fit": "yes"}, (1000, 687)),
    ({"scale": 0.004}, (1, 1))], ids=str)
def test_sizes(tmp_path, values, size):
    got = engine(tmp_path, "resize", float_picture(), "linear", interpolation="nearest", **values)
    assert got.shape[1::-1] == size
