# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The pictures that filters are shown with, and what the engine makes of them.

All come from landscape.png, which is what data/make_picture.py makes, at 300 × 200 pixels.
"""
import math
import pathlib
import random
import struct
import subprocess
import tempfile
import zlib
from dataclasses import dataclass
from functools import lru_cache

TABLES = pathlib.Path(__file__).resolve().parents[2] / "tests/tables"
LANDSCAPE = pathlib.Path(__file__).with_name("landscape.png")
_CHANNELS = {2: 3, 6: 4}  # by the color type of PNG: RGB and RGBA
_FORMATS = {1: "y-u8", 3: "rgb-u8", 4: "rgba-u8"}


@dataclass(frozen=True)
class Picture:
    """Rows of pixels with `channels` bytes each: gray, RGB or RGBA."""

    width: int
    height: int
    channels: int
    data: bytes

    def pixels(self):
        """One tuple a pixel."""
        return zip(*[iter(self.data)] * self.channels)

    def mapped(self, function, channels=None):
        """The picture of function(pixel, x, y), a sequence of numbers that are cut off at 0 and 255."""
        data = bytearray()
        for index, pixel in enumerate(self.pixels()):
            y, x = divmod(index, self.width)
            data += bytes(min(255, max(0, round(value))) for value in function(pixel, x, y))
        return Picture(self.width, self.height, channels or self.channels, bytes(data))


def read_png(path):
    """The picture in a PNG file with 8 bits a channel, RGB or RGBA, that is not interlaced."""
    data = pathlib.Path(path).read_bytes()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, bits, color, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
            assert bits == 8 and color in _CHANNELS and not interlaced, f"{path} is another kind of PNG"
        elif kind == b"IDAT":
            packed += chunk
        at += size + 12
    channels = _CHANNELS[color]
    return Picture(width, height, channels, _unfiltered(zlib.decompress(packed), width * channels, channels))


def _unfiltered(rows, size, step):
    """The bytes of a PNG whose rows of `size` bytes are predicted as their first byte says."""
    result, above = bytearray(), bytes(size)
    for start in range(0, len(rows), size + 1):
        kind, row = rows[start], bytearray(rows[start + 1:start + 1 + size])
        for i in range(size):
            left = row[i - step] if i >= step else 0
            corner = above[i - step] if i >= step else 0
            if kind == 1:
                row[i] = (row[i] + left) & 255
            elif kind == 2:
                row[i] = (row[i] + above[i]) & 255
            elif kind == 3:
                row[i] = (row[i] + (left + above[i]) // 2) & 255
            elif kind == 4:
                row[i] = (row[i] + _nearest(left, above[i], corner)) & 255
        result += row
        above = row
    return bytes(result)


def _nearest(left, above, corner):
    """Paeth's predictor."""
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))


def write_png(path, picture):
    """Writes a picture as PNG, each row as its differences from the one above."""
    size, above, rows = picture.width * picture.channels, bytes(picture.width * picture.channels), bytearray()
    for start in range(0, len(picture.data), size):
        row = picture.data[start:start + size]
        rows += b"\2" + bytes((value - before) & 255 for value, before in zip(row, above))
        above = row

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    color = {1: 0, 3: 2, 4: 6}[picture.channels]
    header = struct.pack(">IIBBBBB", picture.width, picture.height, 8, color, 0, 0, 0)
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                                   chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


def word(value):
    """A value as the engine's command lines write it."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def filtered(apply, name, values, picture, selection=None):
    """What the program `apply` makes of a picture, or of what is selected of it."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = pathlib.Path(folder, "before"), pathlib.Path(folder, "after")
        before.write_bytes(picture.data)
        words = [f"{key}={word(value)}" for key, value in values.items()]
        if selection:
            (mask := pathlib.Path(folder, "mask")).write_bytes(selection.data)
            words += ["--mask", mask, "--region", ",".join(map(str, _bounds(selection)))]
        # Files that values name are among those of tests.
        done = subprocess.run([pathlib.Path(apply).absolute(), name, "--width", str(picture.width), "--height", str(picture.height),
                               "--format", _FORMATS[picture.channels], "--encoding", "srgb", before, after, *words],
                              check=True, capture_output=True, text=True, cwd=TABLES)
        width, height = map(int, done.stdout.split()[:2])
        data = after.read_bytes()
    return Picture(width, height, len(data) // (width * height), data)


def _bounds(selection):
    """Left and upper edge, width and height of what is selected."""
    places = [divmod(index, selection.width) for index, value in enumerate(selection.data) if value]
    (top, bottom), (left, right) = ((min(values), max(values)) for values in zip(*places))
    return left, top, right - left + 1, bottom - top + 1


def marked(picture, selection):
    """A picture with what is selected of it: in a dashed outline, and reddish."""
    width, height = selection.width, selection.height

    def selected(x, y):
        return 0 <= x < width and 0 <= y < height and selection.data[y * width + x] > 127

    def change(pixel, x, y):
        if not selected(x, y):
            return pixel
        if all(selected(x + dx, y + dy) for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1))):
            return [0.75 * value + 0.25 * red for value, red in zip(pixel, (255, 60, 40))]
        return [255 if (x + y) // 4 % 2 else 0] * 3
    return picture.mapped(change)


def on_checks(picture):
    """A picture with transparency on the checks that GIMP shows below it; others as they are."""
    if picture.channels != 4:
        return picture

    def blend(pixel, x, y):
        check = 153 if (x // 8 + y // 8) % 2 else 102
        return [(value * pixel[3] + check * (255 - pixel[3])) / 255 for value in pixel[:3]]
    return picture.mapped(blend, 3)


@lru_cache
def landscape(apply):  # pylint: disable=unused-argument
    """The picture as it is."""
    return read_png(LANDSCAPE)


def _noisy(picture, grain, specks, seed=20):
    """The picture with normally distributed grain, and with a share of black and white specks."""
    noise = random.Random(seed)

    def change(pixel, _x, _y):
        if noise.random() < specks:
            return [noise.choice((0, 255))] * 3
        return [value + noise.gauss(0, grain) for value in pixel]
    return picture.mapped(change)


@lru_cache
def grainy(apply):
    """As with a high sensitivity."""
    return _noisy(landscape(apply), 14, 0)


@lru_cache
def specked(apply):
    """As a scan of a dusty slide."""
    return _noisy(landscape(apply), 3, 0.04)


@lru_cache
def flat(apply):
    """Without black and white."""
    return landscape(apply).mapped(lambda pixel, _x, _y: [70 + 0.45 * value for value in pixel])


@lru_cache
def dull(apply):
    """Without black and white but for single pixels."""
    return _noisy(flat(apply), 0, 0.001)


@lru_cache
def misty(apply):
    """In mist, which is thickest at the horizon."""
    def change(pixel, _x, y):
        through = 0.3 + 0.5 * min(1, abs(y - 108) / 90)
        return [through * value + (1 - through) * mist for value, mist in zip(pixel, (196, 200, 208))]
    return landscape(apply).mapped(change)


@lru_cache
def cast(apply):
    """Of pale colors, in the light of a lamp."""
    def change(pixel, _x, _y):
        gray = sum(pixel) / 3
        return [light * (0.35 * value + 0.65 * gray) for value, light in zip(pixel, (1, 0.75, 0.5))]
    return landscape(apply).mapped(change)


@lru_cache
def soft(apply):
    """A little out of focus."""
    return filtered(apply, "gaussian-blur", {"std-dev-x": 0.8, "std-dev-y": 0.8}, landscape(apply))


@lru_cache
def unfocused(apply):
    """Out of focus."""
    return filtered(apply, "lens-blur", {"radius": 2.0}, landscape(apply))


def _boat(x, y):
    """How much of a pixel belongs to the large boat."""
    def side(first, second):
        (x1, y1), (x2, y2) = first, second
        return ((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5

    def inside(*corners):
        return min(side(*pair) for pair in zip(corners, corners[1:] + corners[:1]))
    sails = inside((124, 68), (160, 149), (100, 149))
    hull = inside((96, 148), (163, 148), (157, 158), (98, 158))
    return min(1, max(0, max(sails, hull) + 0.5))


@lru_cache
def screen(apply):
    """The boat in front of a blue screen."""
    def change(pixel, x, y):
        share = _boat(x, y)
        back = (4, 8, 220 + (x + y) // 16)
        return [share * value + (1 - share) * blue for value, blue in zip(pixel, back)]
    return landscape(apply).mapped(change)


@lru_cache
def cutout(apply):
    """The boat, cut out."""
    return landscape(apply).mapped(lambda pixel, x, y: [*pixel, 255 * _boat(x, y)], 4)


@lru_cache
def plates(apply):
    """Three gray plates of half the size, one below the other, shifted and with dark frames."""
    whole, half = landscape(apply), {"scale": 0.5}
    small = filtered(apply, "resize", half, whole)
    width, height, frame = small.width, small.height, 5
    rows = bytearray()
    for channel, (shift_x, shift_y) in zip((2, 1, 0), ((3, -4), (0, 0), (-4, 5))):
        for y in range(height):
            for x in range(width):
                inner = frame <= x < width - frame and frame <= y < height - frame
                from_x, from_y = (x - shift_x) % width, (y - shift_y) % height
                rows.append(small.data[(from_y * width + from_x) * 3 + channel] if inner else 12)
    return Picture(width, 3 * height, 1, bytes(rows))


def _wire(x, y):
    """How far a pixel is from the wire."""
    return abs(y - 53 + 0.08 * x + 12 * (x / 150 - 1) ** 2)


def _bird(x, y):
    """How far a pixel is from the bird."""
    across = abs(x - 226)
    return max(abs(y - 66 + 4 * math.sin(across / 3.2)) - 1, across - 9)


def _small_boat(x, y):
    """How far a pixel is from the small boat."""
    return max(abs(x - 249) - 9, abs(y - 121) - 10)


@lru_cache
def disturbed(apply):
    """With a wire across the sky, and a bird below it."""
    def change(pixel, x, y):
        share = min(1, max(0, 1.4 - _wire(x, y), 0.8 - _bird(x, y)))
        return [(1 - share) * value + share * dark for value, dark in zip(pixel, (22, 18, 26))]
    return landscape(apply).mapped(change)


@lru_cache
def disturbances(apply):
    """The selection of these, and of the small boat, with a soft edge."""
    def change(_pixel, x, y):
        return [255 * (4 - min(_wire(x, y), _bird(x, y), _small_boat(x, y)))]
    return landscape(apply).mapped(change, 1)
