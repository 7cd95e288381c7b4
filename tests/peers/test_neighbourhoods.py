# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Filters of neighborhoods as SciPy, OpenCV, scikit-image, GEGL and NumPy compute them."""
import shutil

import numpy as np
import pytest

from ours import SCIPY_MODES, engine, float_picture, gegl, rgba

needs_gegl = pytest.mark.skipif(shutil.which("gegl") is None,
                                reason="the command gegl is not installed")
SCIPY_TO_NUMPY = {"clamp": "edge", "mirror": "symmetric", "reflect": "reflect", "wrap": "wrap"}
BORDERS = [border for border in SCIPY_MODES if border != "transparent"]


@pytest.fixture
def picture():
    return float_picture()


def types_of(picture):
    """The picture in every number type."""
    codes = np.clip(picture * 0.6 + 0.2, 0, 1)
    return [(codes * 255).astype(np.uint8), (codes * 65535).astype(np.uint16),
            picture.astype(np.float16), picture]


def footprint(shape, radius):
    y, x = np.mgrid[-radius:radius + 1, -radius:radius + 1]
    return {"square": np.ones_like(x, bool), "circle": x * x + y * y <= (radius + 0.5) ** 2,
            "diamond": abs(x) + abs(y) <= radius}[shape]


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("shape,radius", [("square", 1), ("square", 2), ("square", 3),
                                          ("square", 6), ("circle", 1), ("circle", 2),
                                          ("circle", 3), ("circle", 5), ("circle", 14),
                                          ("diamond", 4), ("diamond", 13)])
def test_median_blur_is_scipys(tmp_path, picture, shape, radius, border):
    """Exactly, in every number type."""
    from scipy import ndimage
    for image in types_of(picture[:97, :131]):
        # SciPy has no half: floats of 32 bits are as exact.
        wide = image.astype(np.float32) if image.dtype == np.float16 else image
        wanted = ndimage.median_filter(wide, footprint=footprint(shape, radius)[..., None],
                                       mode=SCIPY_MODES[border]).astype(image.dtype)
        got = engine(tmp_path, "median-blur", image, "srgb", neighborhood=shape, radius=radius,
                     border=border)
        assert np.array_equal(got, wanted), image.dtype


@pytest.mark.parametrize("percentile", [0, 7, 50, 93.5, 100])
def test_percentiles_are_scipys(tmp_path, picture, percentile):
    from scipy import ndimage
    for image in types_of(picture[:67, :101]):
        if image.dtype == np.float16:
            continue
        mask = footprint("circle", 7)
        rank = int((mask.sum() - 1) * percentile / 100 + 0.5)
        wanted = ndimage.rank_filter(image, rank, footprint=mask[..., None], mode="nearest")
        got = engine(tmp_path, "median-blur", image, "srgb", radius=7, percentile=percentile)
        assert np.array_equal(got, wanted), image.dtype


@pytest.mark.parametrize("radius", [1, 3, 10, 60, 127])
def test_median_blur_is_opencvs(tmp_path, picture, radius):
    import cv2
    image = types_of(float_picture(400, 300))[0]
    wanted = cv2.medianBlur(image, 2 * radius + 1)
    got = engine(tmp_path, "median-blur", image, "srgb", neighborhood="square", radius=radius)
    assert np.array_equal(got, wanted)


@needs_gegl
@pytest.mark.parametrize("shape", ["square", "circle", "diamond"])
def test_median_blur_is_gegls(tmp_path, picture, shape):
    """GIMP's own median of an opaque picture; it may round values to other codes."""
    image = rgba(picture)
    image[..., 3] = 255
    wanted = gegl(tmp_path, "median-blur", image, f"neighborhood={shape}", "radius=6",
                  "high-precision=true")
    got = engine(tmp_path, "median-blur", image, "srgb", neighborhood=shape, radius=6)
    assert np.abs(got - wanted).max() <= 1.5


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("radius", [(1, 4), (16, 0), (3, 40), (90, 70)])
def test_box_blur_is_scipys(tmp_path, picture, radius, border):
    from scipy import ndimage
    size = (2 * radius[1] + 1, 2 * radius[0] + 1, 1)
    wanted = ndimage.uniform_filter(picture.astype(float), size, mode=SCIPY_MODES[border])
    got = engine(tmp_path, "box-blur", picture, "linear", radius_x=radius[0], radius_y=radius[1],
                 border=border)
    assert np.abs(got - wanted).max() <= 1e-5


def test_box_blur_is_opencvs(tmp_path, picture):
    import cv2
    wanted = cv2.blur(picture, (41, 41), borderType=cv2.BORDER_REPLICATE)
    got = engine(tmp_path, "box-blur", picture, "linear", radius_x=20, radius_y=20)
    assert np.abs(got - wanted).max() <= 1e-5


@needs_gegl
def test_box_blur_is_gegls(tmp_path, picture):
    """In linear light and weighted by alpha; away from the ends, where GEGL sees transparency."""
    image = rgba(picture)
    wanted = gegl(tmp_path, "box-blur", image, "radius=9")[20:-20, 20:-20]
    got = engine(tmp_path, "box-blur", image, "srgb", radius_x=9, radius_y=9)[20:-20, 20:-20]
    difference = np.abs(got - wanted)
    assert difference[..., 3].max() <= 1.5
    assert difference[got[..., 3] >= 16].max() <= 2.5


@pytest.mark.parametrize("sigma", [0.8, 3, 12])
def test_unsharp_mask_is_scikit_images(tmp_path, picture, sigma):
    from skimage import filters
    wanted = np.dstack([filters.unsharp_mask(picture[..., c].astype(float), sigma, 0.7,
                                             preserve_range=True) for c in range(3)])
    got = engine(tmp_path, "unsharp-mask", picture, "linear", std_dev=sigma, scale=0.7,
                 border="mirror")
    # scikit-image mirrors at the ends and cuts its bell off at 4 sigma.
    assert np.abs(got - wanted).max() <= 4e-4


@needs_gegl
def test_unsharp_mask_is_gegls(tmp_path, picture):
    """Colors move away from their blurred ones, and alpha stays."""
    image = rgba(picture)
    wanted = gegl(tmp_path, "unsharp-mask", image, "std-dev=3", "scale=0.8")[30:-30, 30:-30]
    got = engine(tmp_path, "unsharp-mask", image, "srgb", std_dev=3, scale=0.8)[30:-30, 30:-30]
    assert np.array_equal(got[..., 3], image[30:-30, 30:-30, 3])
    difference = np.abs(got - wanted)[got[..., 3] >= 128]
    # GEGL's blur is recursive: a thousandth of linear light is many codes near black.
    assert np.percentile(difference, 90) <= 1.5 and np.percentile(difference, 99) <= 8


@pytest.mark.parametrize("low,high", [(1, 2), (3, 0.8), (4, 9)])
def test_difference_of_gaussians_is_scikit_images(tmp_path, picture, low, high):
    from skimage import filters
    small, large = min(low, high), max(low, high)
    sign = 1 if low < high else -1
    wanted = np.dstack([sign * filters.difference_of_gaussians(
        picture[..., c].astype(float), small, large, mode="reflect", truncate=8) for c in range(3)])
    got = engine(tmp_path, "difference-of-gaussians", picture, "linear", std_dev_1=low,
                 std_dev_2=high, border="mirror")
    assert np.abs(got - wanted).max() <= 2e-5


@pytest.mark.parametrize("sigma", [0.8, 3, 9])
def test_high_pass_is_scipys_blur_taken_away(tmp_path, picture, sigma):
    from scipy import ndimage
    encoded = picture.astype(float)
    blurred = ndimage.gaussian_filter(encoded, (sigma, sigma, 0), mode="reflect", truncate=8)
    got = engine(tmp_path, "high-pass", picture, "srgb", std_dev=sigma,
                 contrast=1.5, border="mirror")
    assert np.abs(got - (0.5 + 1.5 * (encoded - blurred) / 2)).max() <= 2e-5


@pytest.mark.parametrize("amount", [0.4, 1, 3])
def test_sharpen_is_opencvs(tmp_path, picture, amount):
    import cv2
    matrix = np.array([[-1, -4, -1], [-4, 26, -4], [-1, -4, -1]]) / 6
    identity = np.zeros((3, 3))
    identity[1, 1] = 1
    wanted = cv2.filter2D(picture.astype(float), -1, identity + amount * (matrix - identity),
                          borderType=cv2.BORDER_REPLICATE)
    got = engine(tmp_path, "sharpen", picture, "srgb", amount=amount)
    assert np.abs(got - wanted).max() <= 1e-5 * (1 + 4 * amount)


@pytest.mark.parametrize("radius,threshold", [(1, 30), (4, 15), (9, 90)])
@pytest.mark.parametrize("border", BORDERS)
def test_surface_blur_is_numpys_mean_of_what_is_near(tmp_path, picture, radius, threshold, border):
    for image in types_of(picture)[1:4:2]:
        largest = np.iinfo(image.dtype).max if image.dtype.kind == "u" else 1
        values = image / largest
        wide = np.pad(values, ((radius, radius), (radius, radius), (0, 0)), SCIPY_TO_NUMPY[border])
        sums, weights = np.zeros(values.shape), np.zeros(values.shape)
        for dy in range(2 * radius + 1):
            for dx in range(2 * radius + 1):
                other = wide[dy:dy + values.shape[0], dx:dx + values.shape[1]]
                near = np.maximum(0, 1 - abs(other - values) / (2.5 * threshold / 255))
                sums += near * other
                weights += near
        got = engine(tmp_path, "surface-blur", image, "srgb", radius=radius, threshold=threshold,
                     border=border) / largest
        assert np.abs(got - sums / weights).max() <= max(2e-5, 0.51 / largest)


@pytest.mark.parametrize("radius,threshold", [(5, 8), (13, 40), (60, 20), (130, 110)])
@pytest.mark.parametrize("border", ["clamp", "reflect", "transparent"])
def test_surface_blur_of_bytes_counts_by_alpha(tmp_path, radius, threshold, border):
    """NumPy's sums over histograms of the squares, of a picture with holes."""
    random = np.random.default_rng(radius)
    image = np.clip(random.normal(128, 40, (37, 45, 4)), 0, 255).astype(np.uint8)
    image[5:20, 8:30, 3] = 0
    image[:, 35:, 3] = 255
    image[:, :20, :3] //= 4
    mode = "constant" if border == "transparent" else SCIPY_TO_NUMPY[border]
    wide = np.pad(image, ((radius, radius), (radius, radius), (0, 0)), mode)
    codes = np.arange(256.0)
    got = engine(tmp_path, "surface-blur", image, "srgb", radius=radius, threshold=threshold, border=border)
    for y in range(0, 37, 3):
        for x in range(0, 45, 4):
            square = wide[y:y + 2 * radius + 1, x:x + 2 * radius + 1].reshape(-1, 4)
            for c in range(4):
                counts = np.bincount(square[:, c], square[:, 3] if c < 3 else None, minlength=256)
                center = image[y, x, c]
                weights = counts * np.maximum(0, 1 - abs(codes - center) / (2.5 * threshold))
                wanted = (weights * codes).sum() / weights.sum() if weights.sum() > 1e-9 else center
                assert abs(got[y, x, c] - wanted) <= 0.51, (y, x, c)


def test_surface_blur_leaves_flat_halves_that_differ(tmp_path):
    image = np.full((40, 60, 3), 50, np.uint8)
    image[:, 30:] = 126
    assert np.array_equal(engine(tmp_path, "surface-blur", image, "srgb", radius=12, threshold=30), image)
    assert (engine(tmp_path, "surface-blur", image, "srgb", radius=12, threshold=31) != image).any()


@pytest.mark.parametrize("sigma,range_sigma", [(0.7, 0.2), (2, 0.1), (4, 0.3), (9, 0.05), (3, 2)])
@pytest.mark.parametrize("border", BORDERS)
def test_bilateral_blur_is_opencvs(tmp_path, picture, sigma, range_sigma, border):
    """Of a gray picture; OpenCV's weights are interpolated from a table of 4096."""
    import cv2
    gray = np.ascontiguousarray(picture[..., 1])
    radius = int(np.ceil(3 * sigma))
    modes = {"clamp": cv2.BORDER_REPLICATE, "mirror": cv2.BORDER_REFLECT, "wrap": cv2.BORDER_WRAP,
             "reflect": cv2.BORDER_REFLECT_101}
    # Its table is over the range of the picture alone: of one that goes on already.
    wide = cv2.copyMakeBorder(gray, *[radius] * 4, modes[border])
    wanted = cv2.bilateralFilter(wide, 2 * radius + 1, range_sigma, sigma,
                                 borderType=cv2.BORDER_REPLICATE)[radius:-radius, radius:-radius]
    for guide in ("luminance", "channels"):
        got = engine(tmp_path, "bilateral-blur", gray[..., None], "srgb", std_dev=sigma,
                     range_std_dev=range_sigma, guide=guide, border=border)
        assert np.abs(got[..., 0] - wanted).max() <= 1e-5


def bilateral(values, guide, sigma, range_sigma, border, alpha=1.0):
    """The sum itself, with squared differences added up over as many channels as `guide` has."""
    radius = int(np.ceil(3 * sigma))
    margin = ((radius, radius), (radius, radius), (0, 0))
    own = np.broadcast_to(np.asarray(guide, float), (*values.shape[:2], guide.shape[2]))
    alpha = np.broadcast_to(np.asarray(alpha, float), (*values.shape[:2], 1))
    wide, others, alphas = (np.pad(each, margin, SCIPY_TO_NUMPY[border]) for each in (values, own, alpha))
    sums, weights = np.zeros(values.shape), np.zeros(values.shape)
    for dy in range(2 * radius + 1):
        for dx in range(2 * radius + 1):
            square = (dx - radius) ** 2 + (dy - radius) ** 2
            if square > radius ** 2:
                continue
            here = np.s_[dy:dy + values.shape[0], dx:dx + values.shape[1]]
            apart = ((others[here] - own) ** 2).sum(-1, keepdims=True)
            weight = alphas[here] * np.exp(-square / (2 * sigma ** 2) - apart / (2 * range_sigma ** 2))
            sums += weight * wide[here]
            weights += weight
    return sums / weights


@pytest.mark.parametrize("sigma,range_sigma,border", [(1.5, 0.1, "clamp"), (4, 0.25, "mirror"),
                                                      (2.2, 0.6, "reflect"), (3, 0.05, "wrap")])
def test_bilateral_blur_is_numpys(tmp_path, picture, sigma, range_sigma, border):
    """Of colors in every number type, whichever way they are compared."""
    luma = np.array([0.2126, 0.7152, 0.0722])
    for image in types_of(picture[:83, :117])[0:4]:
        largest = np.iinfo(image.dtype).max if image.dtype.kind == "u" else 1
        values = image.astype(float) / largest
        channels = [values[..., c:c + 1] for c in range(3)]
        wanted = {
            "color": bilateral(values, values, sigma, range_sigma, border),
            "luminance": bilateral(values, (values @ luma)[..., None], sigma, range_sigma, border),
            "channels": np.dstack([bilateral(c, c, sigma, range_sigma, border) for c in channels])}
        allowed = {np.uint8: 0.51 / 255, np.uint16: 0.51 / 65535 + 1e-5, np.float16: 2e-3}
        for guide, each in wanted.items():
            got = engine(tmp_path, "bilateral-blur", image, "srgb", std_dev=sigma,
                         range_std_dev=range_sigma, guide=guide, border=border) / largest
            assert np.abs(got - each).max() <= allowed.get(image.dtype.type, 1e-5), guide


def test_bilateral_blur_weighs_colors_by_alpha(tmp_path, picture):
    image = rgba(picture[:83, :117])
    values = image / 255.0
    colors, alpha = values[..., :3], values[..., 3:]
    wanted = np.dstack([bilateral(colors, colors, 3, 0.2, "clamp", alpha),
                        bilateral(alpha, colors, 3, 0.2, "clamp")])
    got = engine(tmp_path, "bilateral-blur", image, "srgb", std_dev=3, range_std_dev=0.2) / 255.0
    off = np.abs(got - wanted)
    assert off[..., 3].max() <= 0.51 / 255 and off[np.isfinite(wanted)].max() <= 0.51 / 255


def test_bilateral_blur_goes_from_the_picture_to_its_blur(tmp_path, picture):
    """With a small range it leaves the picture, and with a huge one it is the blur of a disc."""
    got = engine(tmp_path, "bilateral-blur", picture, "srgb", std_dev=3, range_std_dev=0)
    assert np.array_equal(got, picture)
    smooth = picture * 0.01
    got = engine(tmp_path, "bilateral-blur", smooth, "srgb", std_dev=3, range_std_dev=2)
    wanted = bilateral(smooth.astype(float), smooth[..., :1] * 0, 3, 1, "clamp")
    assert np.abs(got - wanted).max() <= 1e-5


def gradient(picture, mode):
    """Both parts, channel by channel: with three axes, SciPy would smooth over the channels too."""
    from scipy import ndimage
    planes = [picture[..., c].astype(float) for c in range(3)]
    return tuple(np.dstack([ndimage.sobel(plane, axis, mode=mode) for plane in planes])
                 for axis in (1, 0))


@pytest.mark.parametrize("border", BORDERS)
def test_sobel_is_scipys(tmp_path, picture, border):
    x, y = gradient(picture, SCIPY_MODES[border])
    calls = {("magnitude", "absolute"): np.hypot(x, y), ("horizontal", "signed"): x,
             ("vertical", "absolute"): np.abs(y), ("horizontal", "clamp"): x.clip(0, 1),
             ("vertical", "offset"): 0.5 + y / 2,
             ("direction", "signed"): np.arctan2(y, x) / (2 * np.pi) + 0.5}
    for (output, sign), wanted in calls.items():
        got = engine(tmp_path, "sobel", picture, "srgb", output=output, sign=sign, border=border)
        difference = np.abs(got - wanted)
        if output == "direction":  # goes round: 0 and 1 are the same
            difference = np.minimum(difference, 1 - difference)[np.hypot(x, y) > 0.1]
        assert difference.max() <= 1e-5, output


def test_sobel_is_opencvs(tmp_path, picture):
    import cv2
    across = cv2.Sobel(picture, cv2.CV_32F, 1, 0, borderType=cv2.BORDER_REPLICATE)
    down = cv2.Sobel(picture, cv2.CV_32F, 0, 1, borderType=cv2.BORDER_REPLICATE)
    got = engine(tmp_path, "sobel", picture, "srgb", scale=0.25)
    assert np.abs(got - np.hypot(across, down) / 4).max() <= 1e-5


CONDUCTANCES = {"constant": lambda d: np.ones_like(d), "exponential": lambda d: np.exp(-d * d),
                "rational": lambda d: 1 / (1 + d * d),
                "tukey": lambda d: np.where(d < 1, (1 - d * d) ** 2, 0)}


@pytest.mark.parametrize("coupled", [True, False])
@pytest.mark.parametrize("conductance", CONDUCTANCES)
def test_diffusion_is_numpys(tmp_path, picture, conductance, coupled):
    u = picture.astype(float)
    for _ in range(30):
        change = np.zeros_like(u)
        for axis in (0, 1):
            d = np.diff(u, axis=axis)
            size = np.sqrt((d * d).sum(-1, keepdims=True)) if coupled else np.abs(d)
            flow = CONDUCTANCES[conductance](size / (40 / 255)) * d
            before, after = [(0, 0)] * 3, [(0, 0)] * 3
            before[axis], after[axis] = (0, 1), (1, 0)
            change += np.pad(flow, before) - np.pad(flow, after)
        u += 0.23 * change
    got = engine(tmp_path, "diffusion", picture, "srgb", conductance=conductance, iterations=30,
                 step=0.23, edge_threshold=40, coupled="yes" if coupled else "no")
    # Where edges get steeper, rounding grows as they do.
    difference = np.abs(got - u)
    assert np.percentile(difference, 99.9) <= 1e-5 and difference.max() <= 2e-3


@pytest.mark.parametrize("iterations,step", [(20, 0.2), (100, 0.24)])
def test_constant_diffusion_is_a_gaussian_blur(tmp_path, picture, iterations, step):
    time = iterations * step
    got = engine(tmp_path, "diffusion", picture, "srgb", conductance="constant",
                 iterations=iterations, step=step)
    sigma = np.sqrt(2 * time)
    wanted = engine(tmp_path, "gaussian-blur", picture, "linear", std_dev_x=sigma,
                    std_dev_y=sigma)
    inner = (got - wanted)[40:-40, 40:-40]
    assert np.sqrt((inner ** 2).mean()) <= 1e-3


def test_diffusion_keeps_the_mean(tmp_path, picture):
    got = engine(tmp_path, "diffusion", picture, "srgb", iterations=200)
    assert np.abs(got.mean((0, 1), dtype=float) - picture.mean((0, 1), dtype=float)).max() <= 1e-5
