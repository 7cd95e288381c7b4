# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Dialogs in every language: the title is translated, it fits the screen, and a picture is kept."""
import os
import re
import unicodedata

import pytest

import engine
import gimps
import xcf
from cases import picture
from screen import Session

WITH_DIALOG = [row for row in engine.registry() if row.params]
SHOTS = engine.BUILD / "screenshots"
WIDTH, HEIGHT = 1280, 900  # of the screen
# Dialogs with widgets of their own, which have texts besides the labels of parameters.
SPECIAL = ("chain", "convolution-matrix", "resize", "threshold")


def _width(row, translated):
    """How wide the texts of a dialog are, all of them, in letters; those of Chinese count twice."""
    return sum(2 if unicodedata.east_asian_width(letter) in "FW" else 1
               for text in (row.title, *(param.label for param in row.params))
               for letter in translated(text))


def _rows(gimp, language):
    """The filters whose dialogs are shown: in German all, else those whose texts are the widest or
    second widest in that language, and SPECIAL; with DIALOGS=all all of them in each."""
    if os.environ.get("DIALOGS") == "all":
        return WITH_DIALOG
    translators = {each: gimp.translator(each) for each in gimps.LANGUAGES}

    def is_wide(row):
        widths = {each: _width(row, translated) for each, translated in translators.items()}
        return sum(width > widths[language] for width in widths.values()) < 2
    return [row for row in WITH_DIALOG
            if language == "de" or row.name in SPECIAL or is_wide(row)]


def _look(screen, gimp, title, name):
    """Waits for the dialog of that title, looks at it and closes it."""
    dialog = screen.window(f"^{re.escape(title)}")
    screen.settled(dialog)
    width, height = screen.size(dialog)
    assert 200 < width <= WIDTH and 100 < height <= HEIGHT, f"{title}: {width} × {height}"
    assert screen.photograph(dialog, SHOTS / f"{name}.png") > 50
    screen.keys(dialog, "Escape")
    screen.gone(dialog)


@pytest.mark.parametrize("gimp,language", gimps.with_languages(), ids=str)
def test_dialogs(gimp, screen, language):
    """Dialogs, one after the other, in one GIMP that speaks the language."""
    fonts = gimp.run(["fc-list", ":lang=" + language.lower().replace("_", "-")])
    assert fonts.strip(), "there is no font for the language"
    translated = gimp.translator(language)
    shown = [(row.name, translated("%s (CUDA)") % translated(row.title),
              gimp.call(row, {}, mode="RUN-INTERACTIVE")) for row in _rows(gimp, language)]
    mode = "#:run-mode RUN-INTERACTIVE" if gimp.is3 else "RUN-INTERACTIVE"
    shown.append(("info", translated("CUDA Devices"), f"(plug-in-cuda-info {mode})"))
    changed = [row for row in WITH_DIALOG if translated(row.title) != row.title]
    assert len(changed) > len(WITH_DIALOG) * 3 / 4, "the titles are not translated"
    path = gimp.path(f"language-{language}")
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(picture("u1", 4), "one"),
                                           xcf.Layer(picture("u1", 3, 90, 30, 5), "two", offset=(7, 9))]))
    calls = "".join(f'(attempt "{path}.{name}" (lambda () {call}))' for name, _, call in shown)
    body = f'(let* ((img (load-image "{path}.in.xcf"))) {calls} (gimp-image-delete img))'
    SHOTS.mkdir(exist_ok=True)
    with Session(gimp, screen, body, **gimp.language(language)) as session:
        for name, title, _ in shown:
            _look(screen, gimp, title, f"{name}-{gimp}-{language}")
        session.wait()
