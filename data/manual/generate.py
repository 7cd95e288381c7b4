#!/usr/bin/env python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Makes the manual of the registry.

    data/manual/generate.py APPLY help FOLDER   HTML in every language, as the build does
    data/manual/generate.py APPLY docs          Markdown in docs/manual, and the strip of README.md

APPLY is build/tests/tool/apply, which lists the filters and computes the pictures. The first needs
nothing but Python; the second also needs Pillow, for JPEG.
"""
import json
import pathlib
import shutil
import subprocess
import sys
from xml.sax.saxutils import quoteattr

import catalog
import pictures
import render
from pages import Writer
from texts import FILTERS, MANUAL

SOURCE = pathlib.Path(__file__).resolve().parents[2]
STRIP = ("median-blur", "guided-filter", "unsharp-mask", "canny")  # on README.md


def read_registry(apply):
    """The rows of the registry. Each must have its entry in texts.py."""
    text = subprocess.run([apply, "--list", "--json"], check=True, capture_output=True, text=True).stdout
    rows = json.loads(text)
    names = {row["name"] for row in rows}
    if names != set(FILTERS):
        sys.exit(f"data/manual/texts.py and the registry differ in {sorted(names ^ set(FILTERS))}; write an entry there.")
    return rows


def document(name):
    """A document of docs."""
    return (SOURCE / f"docs/{name}.md").read_text(encoding="utf-8")


def writer(registry, translated):
    """What writes the pages in a language."""
    return Writer(registry, document("performance"), document("tolerances"), translated)


def shown_pictures(apply):
    """All pictures that pages show, by their names."""
    found = {}
    for name, about in FILTERS.items():
        kind = about.get("picture", "landscape")
        before, values = getattr(pictures, kind)(apply), about.get("values", {})
        selection = getattr(pictures, about["selection"])(apply) if "selection" in about else None
        found[kind] = pictures.marked(before, selection) if selection else pictures.on_checks(before)
        found[name] = pictures.on_checks(pictures.filtered(apply, name, values, before, selection))
    return found


def strip(apply):
    """Pictures side by side for README.md, left of a white line before, and right of it after a filter."""
    found, rows = shown_pictures(apply), []
    parts = [(found[FILTERS[name].get("picture", "landscape")], found[name]) for name in STRIP]
    size = parts[0][0]
    half, line, gap = size.width // 2 * 3, b"\xff" * 6, b"\xff" * 24
    for y in range(size.height):
        first = y * size.width * 3
        rows.append(gap.join(before.data[first:first + half - 3] + line + after.data[first + half + 3:first + size.width * 3]
                             for before, after in parts))
    return pictures.Picture(len(rows[0]) // 3, size.height, 3, b"".join(rows))


def help_index(pages):
    """The file by which GIMP finds the page for a help ID: the name of a procedure."""
    items = [("gimp-main", "index", ""), ("plug-in-cuda-manual", "index", "")]
    items += [(f"plug-in-cuda-{name}", "index", "") for name in ("statistics", "info")]
    items += [(f"plug-in-cuda-{page.name}", page.name, page.title) for page in pages[1:]]
    lines = [f"  <help-item id={quoteattr(key)} ref={quoteattr(name + '.html')} title={quoteattr(title)}/>"
             for key, name, title in items]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<gimp-help>", *lines, "</gimp-help>", ""])


def make_help(apply, folder):
    """Writes HTML, pictures, and what GIMP finds pages by."""
    registry = read_registry(apply)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pictures").mkdir(parents=True)
    shutil.copyfile(pathlib.Path(__file__).with_name("style.css"), folder / "style.css")
    for name, picture in shown_pictures(apply).items():
        pictures.write_png(folder / f"pictures/{name}.png", picture)
    catalogs = catalog.languages(SOURCE / "po")
    for language, translated in catalogs.items():
        of_language = writer(registry, translated)
        pages, title = of_language.pages(), of_language.tr(MANUAL)
        (folder / language).mkdir()
        for page in pages:
            (folder / language / f"{page.name}.html").write_text(
                render.as_html(page, language, title, catalogs), encoding="utf-8")
        for name in render.DOCUMENTS:
            (folder / language / f"{name}.html").write_text(
                render.document_as_html(name, document(name), language, title), encoding="utf-8")
        (folder / language / "gimp-help.xml").write_text(help_index(pages), encoding="utf-8")


def markdown(registry):
    """The files of docs/manual and what is in them, without pictures."""
    return {f"{page.name}.md": render.as_markdown(page) for page in writer(registry, {}).pages()}


def write_jpeg(file, picture):
    """Writes a picture as docs/manual keeps it."""
    from PIL import Image  # pylint: disable=import-outside-toplevel
    mode = {1: "L", 3: "RGB"}[picture.channels]
    Image.frombytes(mode, (picture.width, picture.height), picture.data).save(
        file, "JPEG", quality=88, subsampling=0, optimize=True)


def make_docs(apply):
    """Writes docs/manual."""
    folder, texts, shown = SOURCE / "docs/manual", markdown(read_registry(apply)), shown_pictures(apply)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pictures").mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name, picture in shown.items():
        write_jpeg(folder / f"pictures/{name}.jpg", picture)
    write_jpeg(SOURCE / "docs/pictures/before-after.jpg", strip(apply))


def main():
    if sys.argv[2:3] == ["help"] and len(sys.argv) == 4:
        make_help(sys.argv[1], pathlib.Path(sys.argv[3]))
    elif sys.argv[2:] == ["docs"]:
        make_docs(sys.argv[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
