# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The manual in GIMP: every line of a script that it shows runs, and Help opens its page."""
import json
import re
import shlex
import subprocess
import sys
from functools import lru_cache

import numpy as np
import pytest
from PIL import Image

import engine
import gimps
import xcf
from cases import mask_of, picture, table_file
from gimps import poll
from screen import Session

sys.path.insert(0, str(engine.SOURCE / "data/manual"))
from texts import FILTERS  # noqa: E402  pylint: disable=wrong-import-position

DOCS = engine.SOURCE / "docs/manual"
_RUNNERS = {"script-fu-2": "Script-Fu, GIMP 2.10", "script-fu-3": "Script-Fu, GIMP 3",
            "operation": "Script-Fu, GIMP 3, GEGL operation", "python-fu": "Python-Fu, GIMP 3",
            "command-line": "On the command line"}
# Runs each case (the image, where to save it, the outcome, the code) and tells how it ended.
_PYTHON = """
import json
for source, sink, outcome, code in json.load(open("CASES")):
    image = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path(source))
    layer = image.get_layers()[0]
    try:
        exec(code)
        Gimp.file_save(Gimp.RunMode.NONINTERACTIVE, image, Gio.File.new_for_path(sink), None)
        told = "ok"
    except Exception as error:
        told = repr(error)
    image.delete()
    open(outcome, "w").write(told)
"""


# The table that the page of color-lut tells of.
_TABLE = FILTERS["color-lut"]["values"]["file"]


@lru_cache
def _table():
    return table_file()


def _code(row, runner):
    """The code that a page shows for what runs it, with a table that is there, or None."""
    text = (DOCS / f"{row.name}.md").read_text(encoding="utf-8")
    found = re.search(rf"^### {re.escape(_RUNNERS[runner])}\n\n```\w+\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)
    return found and found.group(1).replace(_TABLE, _table())


def _pixels(row):
    """What a filter is tried on: plates are gray."""
    return picture("u1", 1, 60, 150) if row.creates_image else picture("u1", 4, 90, 70)


def _paths(gimp, row, runner):
    return [gimp.path(f"manual-{row.name}-{runner}.{ending}") for ending in ("in.xcf", "xcf", "outcome")]


@lru_cache
def _run_all(gimp, runner):
    """Runs the lines of all pages in one GIMP and returns what it printed."""
    cases = []
    for row in engine.registry():
        if code := _code(row, runner):
            source, sink, outcome = _paths(gimp, row, runner)
            xcf.write(source, xcf.Image([xcf.Layer(_pixels(row))]))
            cases.append((str(source), str(sink), str(outcome), code))
    if runner == "python-fu":
        file = gimp.path("manual-cases.json")
        file.write_text(json.dumps(cases))
        return gimp.python_fu("import gi\nfrom gi.repository import Gimp, Gio\n" + _PYTHON.replace("CASES", str(file)))
    merge = "(gimp-drawable-merge-filters layer)" if runner == "operation" else ""
    images = f"({'car' if gimp.is3 else 'cadr'} (gimp-{'get-images' if gimp.is3 else 'image-list'}))"
    return gimp.script_fu("".join(f'''
(let* ((image (load-image "{source}")) (layer (layer image 0)))
  (attempt "{outcome}" (lambda () {code} {merge}))
  (save-image image "{sink}")
  (for-each gimp-image-delete (vector->list {images})))''' for source, sink, outcome, code in cases))


def _selected(row, code):
    """The bytes of what the code selects first, for a filter that needs that."""
    if not row.needs_selection:
        return None
    words = re.search(r"REPLACE" + r"\W+(\d+)" * 4, code)
    return mask_of(_pixels(row).shape, [int(word) for word in words.groups()])


def _check(row, got, code):
    """Fails unless the picture is what the engine makes of the values of the example."""
    values = row.initial() | FILTERS[row.name].get("values", {})
    if values.get("file") == _TABLE:
        values["file"] = _table()
    expected = engine.apply(row.name, values, _pixels(row), linear=False, mask=_selected(row, code))
    engine.assert_same(got, expected)


_SCRIPTS = [(gimp, runner, row) for gimp in gimps.find()
            for runner in (("script-fu-3", "operation", "python-fu") if gimp.is3 else ("script-fu-2",))
            for row in (engine.in_place() if runner == "operation" else engine.registry())]


@pytest.mark.parametrize("gimp, runner, row", _SCRIPTS, ids=lambda part: getattr(part, "name", str(part)))
def test_scripts(gimp, runner, row):
    """Each line of each page does what it says."""
    log = _run_all(gimp, runner)
    _, sink, outcome = _paths(gimp, row, runner)
    assert _code(row, runner) and outcome.exists(), log
    assert outcome.read_text().strip() == "ok"
    if row.resizes:
        assert xcf.read(sink).layers[0].pixels.shape == (35, 45, 4)
    elif not row.creates_image:
        _check(row, xcf.read(sink).layers[0].pixels, _code(row, runner))


@pytest.mark.parametrize("row", engine.in_place(), ids=lambda row: row.name)
def test_command_lines(row, tmp_path):
    """The gegl command of each page gives what the engine gives."""
    modules = tmp_path / ".local/share/gegl-0.4/plug-ins"
    modules.mkdir(parents=True)
    (modules / "cuda-filters.so").symlink_to(engine.BUILD / "plugin/gegl/cuda-filters.so")
    Image.fromarray(_pixels(row)).save(tmp_path / "in.png")
    done = subprocess.run(["/bin/sh", "-c", _code(row, "command-line")], cwd=tmp_path, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0 and "cuda-filters-" not in done.stdout, done.stdout
    with Image.open(tmp_path / "out.png") as image:
        _check(row, np.asarray(image.convert("RGBA")), _code(row, "command-line"))
    assert shlex.split(_code(row, "command-line"))[:4] == ["gegl", "in.png", "-o", "out.png"]


def _browser(gimp):
    """Makes a program that only writes down what it shall show the one that opens pages."""
    shown = gimp.path("shown")
    shown.unlink(missing_ok=True)
    program = gimp.path("browser")
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >"{shown}.new" && mv "{shown}.new" "{shown}"\n')
    program.chmod(0o755)
    applications = gimp.folder / ".local/share/applications"
    applications.mkdir(parents=True, exist_ok=True)
    (applications / "browser.desktop").write_text(
        f"[Desktop Entry]\nType=Application\nName=Browser\nExec={program} %u\nMimeType=text/html;\n")
    (gimp.folder / ".config").mkdir(exist_ok=True)
    (gimp.folder / ".config/mimeapps.list").write_text(
        "[Default Applications]\ntext/html=browser.desktop\napplication/xhtml+xml=browser.desktop\n"
        "x-scheme-handler/file=browser.desktop\n")
    return shown


def _shown(shown):
    """The page that the browser was given last, below the folder of the manual."""
    def page():
        """a page in the browser"""
        return shown.exists() and shown.read_text().strip()
    address = poll(page)
    shown.unlink()
    return address.partition(f"{gimps.PLUGIN}/help/")[2]


@pytest.mark.parametrize("language", ["en", "de"])
def test_help(gimp, screen, language):
    """A dialog's Help, a procedure and the menu's entry open the page, in the user's language."""
    shown = _browser(gimp)
    path = gimp.path(f"help-{language}")
    row = engine.find("gaussian-blur")
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(picture("u1", 4))]))
    manual = ('(plug-in-cuda-manual #:run-mode RUN-NONINTERACTIVE #:page "{}")' if gimp.is3
              else '(plug-in-cuda-manual RUN-NONINTERACTIVE "{}")')
    body = f'''
(attempt "{path}.outcome" (lambda ()
  {manual.format("sobel")}
  (wait-for "{path}.1")
  {manual.format("")}
  (wait-for "{path}.2")))
(attempt "{path}.wrong" (lambda () {manual.format("sobell")}))
(let* ((img (load-image "{path}.in.xcf")))
  (attempt "{path}.cancelled" (lambda () {gimp.call(row, {}, mode="RUN-INTERACTIVE")}))
  (gimp-image-delete img))'''
    for number in "12":
        gimp.path(f"help-{language}.{number}").unlink(missing_ok=True)
    variables = {} if language == "en" else gimp.language(language)
    with Session(gimp, screen, body, **variables) as session:
        assert _shown(shown) == f"{language}/sobel.html"
        gimp.path(f"help-{language}.1").touch()
        assert _shown(shown) == f"{language}/index.html"
        gimp.path(f"help-{language}.2").touch()
        dialog = screen.window(r"\(CUDA\)")
        screen.settled(dialog)
        screen.keys(dialog, "F1")
        assert _shown(shown) == f"{language}/gaussian-blur.html"
        screen.keys(dialog, "Escape")
        session.wait()
    assert gimp.path(f"help-{language}.outcome").read_text() == "ok"
    assert "sobell" in gimp.path(f"help-{language}.wrong").read_text()
