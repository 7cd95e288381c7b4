# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""GIMP's own file format, as far as the tests need it: every precision goes in and out unchanged.

GIMP's devel-docs describe it. Images are written with uncompressed tiles and read with GIMP's RLE.
"""
import io
import struct
from dataclasses import dataclass, field

import numpy as np

TILE = 64
LINEAR, ENCODED, PERCEPTUAL = 0, 50, 75
_NUMBERS = {100: "u1", 200: "u2", 300: "u4", 500: "f2", 600: "f4", 700: "f8"}
_CODES = {number: code for code, number in _NUMBERS.items()}
_OPACITY, _VISIBLE, _COMPRESSION, _PARASITES, _LOCK_CONTENT, _GROUP, _GROUP_PATH = (
    6, 8, 17, 21, 28, 29, 30)
_COLORMAP = 1


@dataclass
class Layer:
    """A layer; `pixels` has the shape (height, width, channels)."""

    pixels: np.ndarray
    name: str = "layer"
    mask: np.ndarray | None = None
    offset: tuple[int, int] = (0, 0)


@dataclass
class Image:
    """An image; `trc` is LINEAR, ENCODED (the space's own curve) or PERCEPTUAL (sRGB's)."""

    layers: list[Layer]
    trc: int = ENCODED
    channels: dict[str, np.ndarray] = field(default_factory=dict)
    indexed: bool = False
    icc: bytes = b""
    size: tuple[int, int] | None = None


def _property(code, payload):
    return struct.pack(">II", code, len(payload)) + payload


def _string(text):
    data = text.encode() + b"\0"
    return struct.pack(">I", len(data)) + data


class _Writer:
    """A file whose structures point at each other."""

    def __init__(self):
        self.file = io.BytesIO()

    def put(self, data):
        self.file.write(data)

    def hole(self):
        """Leaves room for a pointer and returns where."""
        at = self.file.tell()
        self.file.write(bytes(8))
        return at

    def point(self, hole):
        """Makes the pointer at `hole` point here."""
        here = self.file.tell()
        self.file.seek(hole)
        self.file.write(struct.pack(">Q", here))
        self.file.seek(here)

    def hierarchy(self, pixels):
        height, width, channels = pixels.shape
        big = pixels.astype(pixels.dtype.newbyteorder(">"))
        self.put(struct.pack(">III", width, height, channels * pixels.itemsize))
        level = self.hole()
        self.put(bytes(8))
        self.point(level)
        self.put(struct.pack(">II", width, height))
        corners = [(x, y) for y in range(0, height, TILE) for x in range(0, width, TILE)]
        holes = [self.hole() for _ in corners]
        self.put(bytes(8))
        for (x, y), hole in zip(corners, holes):
            self.point(hole)
            self.put(big[y:y + TILE, x:x + TILE].tobytes())

    def channel(self, name, pixels):
        self.put(struct.pack(">II", pixels.shape[1], pixels.shape[0]) + _string(name))
        self.put(_property(0, b""))
        hierarchy = self.hole()
        self.point(hierarchy)
        self.hierarchy(pixels)


def write(path, image):
    """Writes an image; all its arrays must be of one number type."""
    first = image.layers[0].pixels
    height, width = first.shape[:2]
    if image.size:
        width, height = image.size
    gray = first.shape[2] <= 2
    base = 2 if image.indexed else int(gray)
    writer = _Writer()
    precision = _CODES[first.dtype.str[1:]] + image.trc
    writer.put(b"gimp xcf v012\0" + struct.pack(">IIII", width, height, base, precision))
    if image.indexed:
        colors = bytes(range(256)) * 3
        writer.put(_property(_COLORMAP, struct.pack(">I", 256) + colors))
    writer.put(_property(_COMPRESSION, b"\0"))
    if image.icc:
        persistent, undoable = 1, 2
        parasite = _string("icc-profile") + struct.pack(
            ">II", persistent | undoable, len(image.icc)) + image.icc
        writer.put(_property(_PARASITES, parasite))
    writer.put(_property(0, b""))
    layer_holes = [writer.hole() for _ in image.layers]
    writer.put(bytes(8))
    channel_holes = [writer.hole() for _ in image.channels]
    writer.put(bytes(8))
    for layer, hole in zip(image.layers, layer_holes):
        writer.point(hole)
        rows, columns, channels = layer.pixels.shape
        kind = 2 * base + (channels in (2, 4) and not (image.indexed and channels == 1))
        writer.put(struct.pack(">III", columns, rows, kind) + _string(layer.name))
        writer.put(_property(_OPACITY, struct.pack(">I", 255)))
        writer.put(_property(_VISIBLE, struct.pack(">I", 1)))
        writer.put(_property(15, struct.pack(">ii", *layer.offset)))
        writer.put(_property(0, b""))
        hierarchy = writer.hole()
        mask = writer.hole()
        writer.point(hierarchy)
        writer.hierarchy(layer.pixels)
        if layer.mask is not None:
            writer.point(mask)
            writer.channel(layer.name + " mask", layer.mask)
    for (name, pixels), hole in zip(image.channels.items(), channel_holes):
        writer.point(hole)
        writer.channel(name, pixels)
    with open(path, "wb") as file:
        file.write(writer.file.getvalue())


class _Reader:
    """Walks through a file."""

    def __init__(self, data):
        self.data = data
        self.at = 9
        name = data[9:13].decode()
        self.version = 0 if name == "file" else int(name[1:])
        self.at = 14

    def numbers(self, count):
        values = struct.unpack_from(f">{count}I", self.data, self.at)
        self.at += 4 * count
        return values

    def pointer(self):
        wide = self.version >= 11
        (value,) = struct.unpack_from(">Q" if wide else ">I", self.data, self.at)
        self.at += 8 if wide else 4
        return value

    def pointers(self):
        found = []
        while pointer := self.pointer():
            found.append(pointer)
        return found

    def string(self):
        (length,) = self.numbers(1)
        self.at += length
        return self.data[self.at - length:self.at - 1].decode()

    def properties(self):
        found = {}
        while True:
            code, length = self.numbers(2)
            if code == 0:
                return found
            found[code] = self.data[self.at:self.at + length]
            self.at += length

    def rle(self, count, planes):
        """One tile: `planes` byte planes of `count` bytes, each packed."""
        out = np.empty((planes, count), np.uint8)
        data, at = self.data, self.at
        for plane in range(planes):
            done = 0
            row = out[plane]
            while done < count:
                code = data[at]
                at += 1
                if code <= 126:
                    length = code + 1
                    row[done:done + length] = data[at]
                    at += 1
                elif code == 127:
                    length = data[at] << 8 | data[at + 1]
                    row[done:done + length] = data[at + 2]
                    at += 3
                else:
                    length = 256 - code
                    if code == 128:
                        length = data[at] << 8 | data[at + 1]
                        at += 2
                    row[done:done + length] = np.frombuffer(data, np.uint8, length, at)
                    at += length
                done += length
        return out.T.tobytes()

    def hierarchy(self, at, number, compression):
        self.at = at
        width, height, size = self.numbers(3)
        self.at = self.pointer()
        self.at += 8
        tiles = self.pointers()
        order = ">" if self.version >= 12 else "<"
        dtype = np.dtype(order + number)
        pixels = np.empty((height, width, size // dtype.itemsize), dtype)
        corners = [(x, y) for y in range(0, height, TILE) for x in range(0, width, TILE)]
        for (x, y), tile in zip(corners, tiles):
            part = pixels[y:y + TILE, x:x + TILE]
            self.at = tile
            count = part.shape[0] * part.shape[1]
            if compression == 1:
                raw = self.rle(count, size)
            else:
                raw = self.data[tile:tile + count * size]
            part[...] = np.frombuffer(raw, dtype).reshape(part.shape)
        return pixels.astype(number)

    def channel(self, at, number, compression):
        self.at = at
        self.numbers(2)
        name = self.string()
        self.properties()
        return name, self.hierarchy(self.pointer(), number, compression)


def read(path):
    """Reads an image that GIMP wrote."""
    with open(path, "rb") as file:
        return parse(file.read())


def parse(data):
    """The image of a file with these bytes."""
    reader = _Reader(data)
    width, height, base = reader.numbers(3)
    precision = reader.numbers(1)[0] if reader.version >= 4 else 150
    compression = reader.properties()[_COMPRESSION][0]
    if compression > 1:
        raise ValueError("only RLE and plain tiles are read")
    number = _NUMBERS[precision // 100 * 100]
    layers, channels = reader.pointers(), reader.pointers()
    image = Image([], precision % 100, indexed=base == 2, size=(width, height))
    for at in layers:
        reader.at = at
        reader.numbers(3)
        name = reader.string()
        offset = struct.unpack(">ii", reader.properties().get(15, bytes(8)))
        hierarchy, mask = reader.pointer(), reader.pointer()
        layer = Layer(reader.hierarchy(hierarchy, number, compression), name, offset=offset)
        if mask:
            layer.mask = reader.channel(mask, number, compression)[1]
        image.layers.append(layer)
    for at in channels:
        name, pixels = reader.channel(at, number, compression)
        image.channels[name] = pixels
    return image
