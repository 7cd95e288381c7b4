# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Every dialog in every language: its title is translated, it fits the screen, and a picture is kept."""
import re

import pytest

import engine
import gimps
import xcf
from cases import picture, select
from screen import Session

WITH_DIALOG = [row for row in engine.registry() if row.params]
SHOTS = engine.BUILD / "screenshots"
WIDTH, HEIGHT = 1280, 900  # of the screen


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
    """All dialogs, one after the other, in one GIMP that speaks the language."""
    fonts = gimp.run(["fc-list", ":lang=" + language.lower().replace("_", "-")])
    assert fonts.strip(), "there is no font for the language"
    translated = gimp.translator(language)
    shown = [(row.name, translated("%s (CUDA)") % translated(row.title),
              (select(row) or "(gimp-selection-none img)") + gimp.call(row, {}, mode="RUN-INTERACTIVE"))
             for row in WITH_DIALOG]
    mode = "#:run-mode RUN-INTERACTIVE" if gimp.is3 else "RUN-INTERACTIVE"
    shown.append(("info", translated("CUDA Devices"), f"(plug-in-cuda-info {mode})"))
    changed = [title for (_, title, _), row in zip(shown, WITH_DIALOG) if row.title not in title]
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
