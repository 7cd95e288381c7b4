#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""sheet.py SHEET [PICTURE CAPTION]...: pictures in rows of three, with captions, as one picture."""
import sys

from PIL import Image, ImageDraw, ImageFont

WIDTH, GAP, TEXT, COLUMNS = 480, 16, 34, 3


def font():
    """A font of this machine, or the small one that Pillow has."""
    try:
        return ImageFont.truetype("DejaVuSans.ttf", 18)
    except OSError:
        return ImageFont.load_default()


def small(path):
    """A picture, as wide as its place, on white."""
    with Image.open(path) as image:
        image = image.convert("RGBA")
        height = max(1, round(image.height * WIDTH / image.width))
        image = image.resize((WIDTH, height), Image.LANCZOS)
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")


def main():
    if len(sys.argv) < 4 or len(sys.argv) % 2:
        sys.exit(__doc__)
    pictures = [small(path) for path in sys.argv[2::2]]
    height = max(picture.height for picture in pictures)
    rows = -(-len(pictures) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * (WIDTH + GAP) + GAP, rows * (height + TEXT + GAP) + GAP), "white")
    draw, letters = ImageDraw.Draw(sheet), font()
    for index, (picture, caption) in enumerate(zip(pictures, sys.argv[3::2])):
        x = GAP + index % COLUMNS * (WIDTH + GAP)
        y = GAP + index // COLUMNS * (height + TEXT + GAP)
        sheet.paste(picture, (x, y))
        draw.text((x, y + picture.height + 6), caption, fill="black", font=letters)
    sheet.save(sys.argv[1])


main()
