# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Motion blur as means of many samples that SciPy interpolates, as GEGL has it, and its laws."""
import numpy as np
import pytest

from ours import SCIPY_MODES, engine, gegl

ndimage = pytest.importorskip("scipy.ndimage")
HEIGHT, WIDTH = 43, 57


def noise(height=HEIGHT, width=WIDTH, channels=3):
    return np.random.default_rng(5).random((height, width, channels), np.float32)


def paths(kind, height, width, length=20.0, angle=0.0, factor=0.1, center_x=0.5, center_y=0.5):
    """Where 16 samples a pixel of every pixel's path are, along the last axis: y and x."""
    y, x = np.mgrid[:height, :width].astype(float)
    down, right = y - (center_y * height - 0.5), x - (center_x * width - 0.5)
    distance, turn = np.hypot(down, right).max(), np.radians(angle)
    longest = {"linear": length, "zoom": factor * distance, "spin": abs(turn) * distance}[kind]
    count = int(np.ceil(16 * longest))
    share = (np.arange(count) + 0.5) / count
    x, y, down, right = (values[..., None] for values in (x, y, down, right))
    if kind == "linear":
        return y - np.sin(turn) * length * (share - 0.5), x + np.cos(turn) * length * (share - 0.5)
    if kind == "zoom":
        return y - down * factor * share, x - right * factor * share
    c, s = np.cos(turn * (share - 0.5)), np.sin(turn * (share - 0.5))
    return y - down + c * down - s * right, x - right + c * right + s * down


def scipys(image, kind, border, **values):
    at = paths(kind, *image.shape[:2], **values)
    mode = SCIPY_MODES[border] if border != "wrap" else "grid-wrap"
    # SciPy's "constant" interpolates to what is outside only within a frame.
    frame = 80 if border == "transparent" else 0
    padded = np.pad(image.astype(float), ((frame, frame), (frame, frame), (0, 0)))
    return np.stack([ndimage.map_coordinates(padded[..., c], [a + frame for a in at], order=1, mode=mode).mean(-1)
                     for c in range(image.shape[2])], -1)


def random_values(kind, seed):
    random = np.random.default_rng(seed)
    center = {"center_x": random.uniform(-0.5, 1.5), "center_y": random.uniform(-0.5, 1.5)}
    return {"linear": {"length": random.uniform(0.3, 40), "angle": random.uniform(-180, 180)},
            "zoom": {"factor": random.uniform(0.05, 1), **center},
            "spin": {"angle": random.uniform(-60, 60), **center}}[kind]


@pytest.mark.parametrize("border", SCIPY_MODES)
@pytest.mark.parametrize("kind", ["linear", "zoom", "spin"])
def test_is_the_mean_of_scipys_samples(tmp_path, kind, border):
    image = noise()
    if border == "transparent":
        image = np.concatenate([image, np.ones_like(image[..., :1])], -1)
    for seed in range(3):
        values = random_values(kind, seed)
        wanted = scipys(image, kind, border, **values)
        if border == "transparent":
            alpha = wanted[..., 3:]
            wanted = np.concatenate([wanted[..., :3] / np.maximum(alpha, 1e-9), alpha], -1)
        got = engine(tmp_path, "motion-blur", image, "linear", kind=kind, border=border, **values)
        seen = 1.0 if border != "transparent" else alpha
        assert np.abs((got - wanted) * seen).max() < 2e-3, values


@pytest.mark.parametrize("kind,values", [("linear", {"length": 17, "angle": 30}),
                                         ("zoom", {"factor": 0.3}), ("spin", {"angle": 25})])
def test_turned_is_the_turned_picture(tmp_path, kind, values):
    image = noise()
    ours = engine(tmp_path, "motion-blur", image, "linear", kind=kind, **values)
    if kind == "linear":
        values = {**values, "angle": values["angle"] + 90}
    turned = engine(tmp_path, "motion-blur", np.rot90(image), "linear", kind=kind, **values)
    assert np.abs(np.rot90(ours) - turned).max() < 1e-3


def point(height, width, y, x):
    image = np.zeros((height, width, 1), np.float32)
    image[y, x] = 1
    return image


@pytest.mark.parametrize("angle", [0, 35, 90, -160])
def test_a_point_becomes_a_line(tmp_path, angle):
    """Of that length and direction, by the moments of a line, and with all of the point's light."""
    got = engine(tmp_path, "motion-blur", point(61, 61, 30, 30), "linear", length=24, angle=angle)[..., 0]
    y, x = np.mgrid[:61, :61] - 30.0
    turn = np.radians(angle)
    along, across = x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)
    assert abs(got.sum() - 1) < 1e-5
    assert abs((got * along).sum()) < 1e-4 and abs((got * across).sum()) < 1e-4
    assert abs((got * along ** 2).sum() - 24 ** 2 / 12) < 0.5
    assert (got * across ** 2).sum() < 0.5
    assert got[np.abs(along) > 12 + 1.5].max() == 0 and got[np.abs(across) > 1.5].max() == 0


def test_a_point_becomes_a_ray(tmp_path):
    """The pixels between the point and where it would be after a zoom by 1 / (1 - factor) see it."""
    got = engine(tmp_path, "motion-blur", point(101, 101, 50, 70), "linear", kind="zoom", factor=0.4)[..., 0]
    seen = np.argwhere(got > 1e-4)
    assert set(seen[:, 0]) <= {49, 50, 51}
    assert set(range(71, 83)) <= set(seen[:, 1]) and seen[:, 1].min() >= 69 and seen[:, 1].max() <= 85


def test_a_point_becomes_an_arc(tmp_path):
    got = engine(tmp_path, "motion-blur", point(101, 101, 50, 80), "linear", kind="spin", angle=60)[..., 0]
    y, x = np.mgrid[:101, :101] - 50.0
    seen = got > 1e-4
    assert np.abs(np.hypot(x, y)[seen] - 30).max() < 1.5
    angles = np.degrees(np.arctan2(-y, x))[seen]
    assert 29 < angles.max() < 33 and -33 < angles.min() < -29
    assert abs(got.sum() - 1) < 0.05


@pytest.mark.parametrize("kind,values,operation,properties", [
    ("linear", {"length": 20, "angle": 0}, "motion-blur-linear", ["length=20", "angle=0"]),
    ("linear", {"length": 30, "angle": 90}, "motion-blur-linear", ["length=30", "angle=90"]),
    ("zoom", {"factor": 0.2}, "motion-blur-zoom", ["center-x=0.5", "center-y=0.5", "factor=0.2"]),
    ("spin", {"angle": 10}, "motion-blur-circular", ["center-x=0.5", "center-y=0.5", "angle=10"])])
def test_is_about_gegls(tmp_path, kind, values, operation, properties):
    """Which takes some samples, and has other centers: of a smooth picture, away from the border."""
    smooth = ndimage.gaussian_filter(noise(160, 200, 4), (6, 6, 0))
    smooth = (smooth - smooth.min()) / np.ptp(smooth)
    smooth[..., 3] = 1
    image = np.round(smooth * 255).astype(np.uint8)
    theirs = gegl(tmp_path, "gegl:" + operation, image, *properties)[30:-30, 30:-30]
    ours = engine(tmp_path, "motion-blur", image, "srgb", kind=kind, **values)[30:-30, 30:-30]
    changed = np.abs(theirs - image[30:-30, 30:-30]).mean()
    assert np.abs(ours - theirs).mean() < max(1.0, 0.15 * changed)
    assert np.abs(ours - theirs).max() < 12
