# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Richardson-Lucy deconvolution as scikit-image and SciPy compute it in double, and what it is for."""
import numpy as np
import pytest

from ours import SCIPY_MODES, engine

ndimage = pytest.importorskip("scipy.ndimage")
richardson_lucy = pytest.importorskip("skimage.restoration").richardson_lucy
HEIGHT, WIDTH = 41, 53


def noise(channels=3):
    """With dark parts, and some light that is brighter than white."""
    return (np.random.default_rng(7).random((HEIGHT, WIDTH, channels), np.float32) ** 3) * 1.5 + np.float32(0.01)


def psf_of(psf, size=2.0, angle=0.0, matrix="1"):
    """What a point becomes, odd by odd, with a sum of 1."""
    reach = int(5 * size) + 2
    y, x = np.mgrid[-reach:reach + 1, -reach:reach + 1].astype(float)
    if psf == "gaussian":
        weights = np.exp(-(x * x + y * y) / (2 * size * size))
    elif psf == "disc":
        weights = np.clip(size + 0.5 - np.hypot(x, y), 0, 1)
    elif psf == "motion":
        along = size * ((np.arange(20000) + 0.5) / 20000 - 0.5)
        at = along * np.cos(np.radians(angle)), -along * np.sin(np.radians(angle))
        weights = np.zeros_like(x)
        for dx, dy in ((0, 0), (0, 1), (1, 0), (1, 1)):
            column, row = np.floor(at[0]).astype(int) + dx, np.floor(at[1]).astype(int) + dy
            share = (1 - np.abs(at[0] - column)) * (1 - np.abs(at[1] - row))
            np.add.at(weights, (row + reach, column + reach), share)
    else:
        weights = np.array([[float(word) for word in row.split(",")] for row in matrix.split(";")])
    return weights / weights.sum()


def random_values(psf, seed):
    random = np.random.default_rng(seed)
    some = random.random((3, 5)) * (random.random((3, 5)) < 0.7)
    matrix = ";".join(",".join(f"{weight:.3f}" for weight in row) for row in some)
    return {"gaussian": {"size": random.uniform(0.3, 2.5)}, "disc": {"size": random.uniform(0.6, 4)},
            "motion": {"size": random.uniform(0.7, 9), "angle": random.uniform(-180, 180)},
            "matrix": {"matrix": matrix}}[psf]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("psf", ["gaussian", "disc", "motion", "matrix"])
def test_is_scikit_images(tmp_path, psf, seed):
    """Of a torus, which scikit-image sees as a large part of what goes on for ever."""
    image, values = noise(), random_values(psf, seed)
    weights = psf_of(psf, **values)
    frame = 20 * max(weights.shape) // 2
    padded = np.pad(image.astype(float), ((frame, frame), (frame, frame), (0, 0)), mode="wrap")
    wanted = np.stack([richardson_lucy(padded[..., c], weights, num_iter=10, clip=False) for c in range(3)], -1)
    wanted = wanted[frame:-frame, frame:-frame]
    got = engine(tmp_path, "richardson-lucy", image, "linear", psf=psf, border="wrap", **values)
    assert np.abs(got - wanted).max() < 1e-4 * max(1.0, wanted.max()), values


@pytest.mark.parametrize("psf", ["gaussian", "disc", "motion", "matrix"])
def test_is_scikit_images_with_nothing_outside(tmp_path, psf):
    """Which is what scikit-image sees there, too: colors times alpha."""
    image, values = np.dstack([noise(), np.ones((HEIGHT, WIDTH, 1), np.float32)]), random_values(psf, 5)
    wanted = np.stack([richardson_lucy(image[..., c].astype(float), psf_of(psf, **values), num_iter=10, clip=False)
                       for c in range(4)], -1)
    got = engine(tmp_path, "richardson-lucy", image, "linear", psf=psf, border="transparent", **values)
    got[..., :3] *= got[..., 3:]
    assert np.abs(got - wanted).max() < 1e-4 * max(1.0, wanted.max()), values


def scipys(image, weights, iterations, damping, mode):
    """The steps as they are written, with White's damping."""
    def convolved(picture, by):
        return np.stack([ndimage.convolve(picture[..., c], by, mode=mode) for c in range(3)], -1)
    light = np.full(image.shape, 0.5)
    for _ in range(iterations):
        model = convolved(light, weights)
        deviance = 2 / damping ** 2 * (image * np.log(image / model) - image + model)
        u = np.minimum(1, deviance)
        light *= convolved(1 + u ** 9 * (10 - 9 * u) * (image - model) / model, weights[::-1, ::-1])
    return light


@pytest.mark.parametrize("border", [border for border in SCIPY_MODES if border != "transparent"])
def test_damping_is_whites(tmp_path, border):
    image = noise().astype(float)
    for seed, psf in enumerate(["gaussian", "disc", "motion", "matrix"]):
        values, damping = random_values(psf, 10 + seed), np.random.default_rng(seed).uniform(0.02, 0.5)
        wanted = scipys(image, psf_of(psf, **values), 5, damping, SCIPY_MODES[border])
        got = engine(tmp_path, "richardson-lucy", image.astype(np.float32), "linear", psf=psf, border=border,
                     iterations=5, damping=damping, **values)
        assert np.abs(got - wanted).max() < 1e-4 * max(1.0, wanted.max()), (psf, values, damping)


@pytest.mark.parametrize("psf", ["gaussian", "disc", "motion"])
def test_keeps_the_sum_of_light(tmp_path, psf):
    image = noise()
    got = engine(tmp_path, "richardson-lucy", image, "linear", psf=psf, size=3, angle=40, border="wrap")
    assert np.allclose(got.sum((0, 1), float), image.sum((0, 1), dtype=float), rtol=1e-5)


@pytest.mark.parametrize("psf", ["gaussian", "disc", "motion"])
def test_comes_nearer_to_a_star(tmp_path, psf):
    star = np.full((41, 41, 3), 0.01)
    star[20, 20] += 1
    blurred = np.stack([ndimage.convolve(star[..., c], psf_of(psf, 1.5, 30)) for c in range(3)], -1)
    before = blurred.astype(np.float32)
    errors = [np.square(before - star).sum()]
    for iterations in (10, 40, 100):
        got = engine(tmp_path, "richardson-lucy", before, "linear", psf=psf, size=1.5, angle=30,
                     iterations=iterations)
        errors.append(np.square(got - star).sum())
    assert errors == sorted(errors, reverse=True) and errors[-1] < 0.8 * errors[0]


def test_takes_what_is_negative_for_black(tmp_path):
    image = noise()
    image[5:9, 5:9] = -0.5
    got = engine(tmp_path, "richardson-lucy", image, "linear")
    assert np.array_equal(got, engine(tmp_path, "richardson-lucy", image.clip(0), "linear"))
    assert got.min() >= 0


def test_leaves_a_picture_that_was_not_blurred(tmp_path):
    image = noise() - np.float32(0.2)
    for values in {"psf": "disc", "size": 0.4}, {"psf": "matrix", "matrix": "0,0,0;0,3,0;0,0,0"}:
        assert np.array_equal(engine(tmp_path, "richardson-lucy", image, "linear", **values), image)
