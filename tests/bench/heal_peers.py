#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""heal_peers.py [--device cpu|N] [--sheet FILE]: heal-selection against OpenCV's and G'MIC's inpainting.

Fills the same holes in pictures whose content is known, and prints for each filler, as Markdown tables:
the PSNR of the hole in dB, the energy (the mean squared distance, a channel of a pixel, of each patch
of 7 x 7 pixels that touches the hole to the patch outside of it that is most alike), and the time in
seconds on one core, the least of five: of a call in OpenCV, of the program without its start
for G'MIC and for ours, which is build/tests/tool/apply. FILE becomes a PNG with all results side by
side. Needs python3-opencv and python3-pil; OpenCV's xphoto and gmic are left out where they are not
there. CUDA_FILTERS_BUILD names another build folder than build/.
"""
import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time

import cv2
import numpy as np
from PIL import Image, ImageDraw

ROOT = pathlib.Path(__file__).resolve().parents[2]
APPLY = pathlib.Path(os.environ.get("CUDA_FILTERS_BUILD", ROOT / "build")) / "tests/tool/apply"
SIDE, PATCH = 112, 7


def _smooth(random, sigma):
    """Noise of mean 0 and standard deviation 1, blurred, that repeats at the picture's borders."""
    noise = np.fft.rfft2(random.normal(size=(SIDE, SIDE)))
    y, x = np.fft.fftfreq(SIDE)[:, None], np.fft.rfftfreq(SIDE)[None]
    blurred = np.fft.irfft2(noise * np.exp(-2 * (np.pi * sigma) ** 2 * (x * x + y * y)), (SIDE, SIDE))
    return blurred / blurred.std()


def _mixed(share, first, second):
    """From one color to another."""
    return np.array(first) + (np.array(second, float) - first) * np.clip(share, 0, 1)[..., None]


def pebbles(x, y):
    """A texture without order: rounded cells of several grays."""
    random = np.random.default_rng(4)
    centers, tones = random.uniform(-8, SIDE + 8, (260, 2)), random.uniform(0.3, 1, 260)
    distances = np.hypot(x[..., None] - centers[:, 0], y[..., None] - centers[:, 1])
    nearest = np.sort(distances, axis=2)
    rounded = np.clip((nearest[..., 1] - nearest[..., 0]) / 4, 0, 1) ** 0.5
    return _mixed(rounded * tones[distances.argmin(axis=2)], (38, 34, 30), (214, 204, 188))


def stripes(x, y):
    """Oblique stripes of two widths."""
    wave = np.sin((x + 0.45 * y) * 2 * np.pi / 13) + 0.4 * np.sin((x + 0.45 * y) * 4 * np.pi / 13 + 1)
    return _mixed(0.5 + wave, (58, 72, 120), (232, 220, 190))


def edge(x, y):
    """The edge of two materials that both have some grain."""
    random = np.random.default_rng(5)
    share = 0.5 + (y - 0.35 * x - 36 + 3 * np.sin(x / 15))
    grain = 6 * _smooth(random, 0.8)[..., None]
    return _mixed(share, (170, 196, 226), (96, 78, 58)) + grain * np.clip(share, 0.3, 1)[..., None]


def gradient(x, y):
    """A sky: smooth in both directions, with a little grain."""
    glow = np.exp(-np.hypot(x - 88, y - 96) / 40)
    return (_mixed(y / SIDE, (38, 56, 120), (236, 164, 120)) + 50 * glow[..., None]
            + np.random.default_rng(6).normal(0, 1.2, (SIDE, SIDE, 1)))


def bricks(x, y):
    """A wall: what repeats, each time in another tone."""
    random = np.random.default_rng(7)
    row = y.astype(int) // 11
    column = (x + 11 * (row % 2)).astype(int) // 22
    tones = random.uniform(0, 1, (16, 16))[row, column]
    u, v = (x + 11 * (row % 2)) % 22, y % 11
    inside = np.clip(np.minimum.reduce([u, 21 - u, v, 10 - v]), 0, 1)
    stone = _mixed(tones, (126, 58, 44), (182, 100, 72)) + 5 * _smooth(random, 1)[..., None]
    return np.where(inside[..., None] > 0, stone, (196, 190, 178))


def text(x, y):  # pylint: disable=unused-argument
    """Lines of letters on paper."""
    page = np.full((SIDE, SIDE, 3), (244, 240, 230), np.uint8)
    for line, words in enumerate(("the quick brown fox", "jumps over a lazy dog", "pack my box with five",
                                  "dozen liquor jugs and", "how vexingly quick daft", "zebras jump over all",
                                  "sphinx of black quartz", "judge my vow to the fox")):
        cv2.putText(page, words, (-2, 12 + 14 * line), cv2.FONT_HERSHEY_SIMPLEX, 0.36, (50, 44, 40), 1, cv2.LINE_AA)
    return page.astype(float)


def landscape(x, y):  # pylint: disable=unused-argument
    """Sky, hills, a wood and water, of the picture that the manual shows filters with."""
    with Image.open(ROOT / "data/manual/landscape.png") as image:
        return np.asarray(image.convert("RGB"), float)[50:50 + SIDE, 132:132 + SIDE]


PICTURES = {pebbles: (56, 56, 15, 15), stripes: (56, 56, 15, 15), edge: (56, 56, 15, 15), gradient: (50, 60, 20, 12),
            bricks: (56, 56, 15, 15), text: (56, 54, 20, 9), landscape: (30, 62, 13, 20)}


def hole_of(middle_x, middle_y, half_width, half_height):
    """A rounded hole, true inside."""
    y, x = np.mgrid[:SIDE, :SIDE]
    return ((x - middle_x) / half_width) ** 4 + ((y - middle_y) / half_height) ** 4 <= 1


def spoiled(picture, hole):
    """The picture with something that is to go."""
    return np.where(hole[..., None], np.array((236, 40, 140), np.uint8), picture)


def _run(words, folder):
    """Seconds that a program takes of one core."""
    started = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, check=True, capture_output=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime - started.ru_utime - started.ru_stime


def _without_start(work, start, folder):
    """What a program takes for `work` more than for `start`: the least of five times of each."""
    return max(0.001, min(_run(work, folder) for _ in range(5)) - min(_run(start, folder) for _ in range(5)))


def ours(picture, hole, device):
    """heal-selection with its initial values."""
    y, x = np.nonzero(hole)
    region = f"{x.min()},{y.min()},{np.ptp(x) + 1},{np.ptp(y) + 1}"
    with tempfile.TemporaryDirectory() as folder:
        picture.tofile(f"{folder}/in")
        (hole * np.uint8(255)).tofile(f"{folder}/mask")
        words = ["--width", str(SIDE), "--height", str(SIDE), "--format", "rgb-u8", "--device", device,
                 "--region", region, "in", "out"]
        took = _without_start([APPLY.absolute(), "heal-selection", "--mask", "mask", *words],
                              [APPLY.absolute(), "invert", *words], folder)
        _run([APPLY.absolute(), "heal-selection", "--mask", "mask", *words], folder)
        return np.fromfile(f"{folder}/out", np.uint8).reshape(picture.shape), took


def gmic(picture, hole):
    """G'MIC's inpaint_matchpatch, which completes by patches, too, with its initial values."""
    with tempfile.TemporaryDirectory() as folder:
        Image.fromarray(picture).save(f"{folder}/in.png")
        Image.fromarray(hole * np.uint8(255)).save(f"{folder}/mask.png")
        read = ["gmic", "in.png", "mask.png"]
        took = _without_start([*read, "-inpaint_matchpatch[0]", "[1]", "-output[0]", "out.png"],
                              [*read, "-output[0]", "start.png"], folder)
        with Image.open(f"{folder}/out.png") as image:
            return np.asarray(image.convert("RGB")), took


def _timed(call):
    """A result, and the least of five times."""
    times = []
    for _ in range(5):
        started = time.process_time()
        result = call()
        times.append(time.process_time() - started)
    return result, min(times)


def shift_map(picture, hole):
    """OpenCV's, of Lab, as its documentation advises."""
    def call():
        lab = cv2.cvtColor(picture, cv2.COLOR_RGB2Lab)
        result = np.zeros_like(lab)
        cv2.xphoto.inpaint(lab, np.where(hole, 0, 255).astype(np.uint8), result, cv2.xphoto.INPAINT_SHIFTMAP)
        return cv2.cvtColor(result, cv2.COLOR_Lab2RGB)
    return _timed(call)


def fillers(device):
    """All that are there, by their names."""
    def opencv(method):
        return lambda picture, hole: _timed(lambda: cv2.inpaint(picture, hole.astype(np.uint8), 5, method))
    found = {"Telea": opencv(cv2.INPAINT_TELEA), "Navier-Stokes": opencv(cv2.INPAINT_NS)}
    if hasattr(cv2, "xphoto"):
        found["shift map"] = shift_map
    if shutil.which("gmic"):
        found["G'MIC"] = gmic
    found["ours"] = lambda picture, hole: ours(picture, hole, device)
    return found


def psnr(result, truth, hole):
    error = np.mean((result[hole].astype(float) - truth[hole]) ** 2)
    return 10 * np.log10(255 ** 2 / max(error, 1e-3))


def energy(result, hole):
    """How unlike the patches of the hole are to those outside."""
    windows = np.lib.stride_tricks.sliding_window_view
    shape = (SIDE - PATCH + 1) ** 2
    patches = windows(result.astype(float), (PATCH, PATCH), (0, 1)).reshape(shape, -1)
    touches = windows(hole, (PATCH, PATCH)).any(axis=(2, 3)).ravel()
    targets, sources = patches[touches], patches[~touches]
    squares = (targets ** 2).sum(1)[:, None] + (sources ** 2).sum(1) - 2 * targets @ sources.T
    return max(0.0, squares.min(axis=1).mean() / patches.shape[1])


def table(title, names, rows):
    print(f"| {title} | " + " | ".join(names) + " |\n|---|" + "---:|" * len(names))
    for name, cells in rows:
        print(f"| {name} | " + " | ".join(cells) + " |")
    print()


def sheet(rows, heads, file):
    """Pictures side by side, below what they are."""
    gap, head, part = 4, 14, slice(16, SIDE - 16)
    step = part.stop - part.start + gap
    image = Image.new("RGB", (len(heads) * step - gap, head + len(rows) * step - gap), "white")
    for i, name in enumerate(heads):
        ImageDraw.Draw(image).text((i * step + 2, 1), name, fill="black")
    for j, row in enumerate(rows):
        for i, picture in enumerate(row):
            columns = part if row is not rows[-1] else slice(0, step - gap)  # where the landscape's hole is
            image.paste(Image.fromarray(np.ascontiguousarray(picture[part, columns])), (i * step, head + j * step))
    image.quantize(256).save(file, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--sheet")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    found, shown = fillers(options.device), []
    quality, alike, times = [], [], []
    y, x = np.mgrid[:SIDE, :SIDE].astype(float)
    for make, place in PICTURES.items():
        truth, hole = np.clip(make(x, y) + 0.5, 0, 255).astype(np.uint8), hole_of(*place)
        before = spoiled(truth, hole)
        results = {name: fill(before, hole) for name, fill in found.items()}
        name = make.__name__
        quality.append((name, [f"{psnr(result, truth, hole):.1f}" for result, _ in results.values()]))
        alike.append((name, [f"{energy(result, hole):.1f}" for result, _ in ((truth, 0), *results.values())]))
        times.append((name, [f"{took:.3f}" for _, took in results.values()]))
        shown.append([truth, before, *[result for result, _ in results.values()]])
    table("PSNR in dB", found, quality)
    table("energy", ("as it was", *found), alike)
    table("seconds", found, times)
    if options.sheet:
        sheet(shown, ["as it was", "hole", *found], options.sheet)


if __name__ == "__main__":
    main()
