# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Where GIMP shows our filters: each once in Filters ▸ CUDA, and in Edit what replaces a selection."""
import re

import pytest

import engine
import gimps
import xcf
from cases import picture
from screen import Session

ROWS = engine.registry()
SHOTS = engine.BUILD / "screenshots"
IMAGE = xcf.Image([xcf.Layer(picture("u1", 4, 500, 400))])
IN_CUDA = "<Image>/Filters/CUDA/"
IN_EDIT = "<Image>/Edit"


def _menu_paths(gimp, **variables):
    """The menus of each procedure, by its name, as GIMP keeps them after it has asked the plug-in."""
    pluginrc = gimp.folder / "profile/pluginrc"
    pluginrc.unlink(missing_ok=True)
    gimp.script_fu("(gimp-version)", **variables)
    text = pluginrc.read_text(errors="replace")
    procedures = re.split(r"\(proc-def ", text)[1:]
    found = {}
    for procedure in procedures:
        name = re.match(r'"([^"]*)"', procedure).group(1)
        if name.startswith("plug-in-cuda-"):
            found[name.removeprefix("plug-in-cuda-")] = re.findall(r'\(menu-path "([^"]*)"\)', procedure)
    return found


def test_each_once(gimp):
    """Where GIMP has the operation, the procedure of the same name is there for several layers."""
    paths = _menu_paths(gimp)
    several = [f"{IN_CUDA}On Several Layers"]
    for row in ROWS:
        in_cuda = [path for path in paths[row.name] if path != IN_EDIT]
        assert paths[row.name].count(IN_EDIT) == int(row.needs_selection), row.name
        if gimp.is3 and row in engine.in_place():
            assert in_cuda == several, row.name
        else:
            assert len(in_cuda) == 1 and in_cuda != several, row.name
    in_edit = {row.name for row in ROWS if row.needs_selection}
    assert all(path.startswith(IN_CUDA) or path == IN_CUDA.rstrip("/") or name in in_edit and path == IN_EDIT
               for name, of_one in paths.items() for path in of_one)
    assert paths["heal-selection"][0].rpartition("/")[2] == "Enhance", paths["heal-selection"]


def test_without_operations(gimp):
    """Where GEGL does not have our module, all procedures stand in the menus of their categories."""
    try:
        paths = _menu_paths(gimp, XDG_DATA_HOME=gimp.path("nothing"))
    finally:
        (gimp.folder / "profile/pluginrc").unlink()  # the next GIMP asks again
    assert all(paths[row.name] != [f"{IN_CUDA}On Several Layers"] for row in ROWS)


@pytest.mark.parametrize("gimp,language", gimps.with_languages("en"), ids=str)
def test_pictures(gimp, screen, language):
    """Pictures of our menus are kept."""
    path = gimp.path("menus")
    xcf.write(f"{path}.in.xcf", IMAGE)
    SHOTS.mkdir(exist_ok=True)
    body = f'''
(let* ((img (load-image "{path}.in.xcf")))
  (gimp-display-new img)
  (wait-for "{path}.{language}")
  (gimp-image-clean-all img))'''
    variables = {} if language == "en" else gimp.language(language)
    with Session(gimp, screen, body, **variables) as session:
        window = screen.window(r"menus\.in\.xcf")
        screen.settled(window)
        screen.keys(window, "F10", "Right", "Down")
        screen.settled(window)
        screen.photograph_all(SHOTS / f"menu-{gimp}-{language}-edit.png")
        screen.keys(window, *["Escape"] * 2)
        screen.settled(window)
        screen.keys(window, "F10", "Left", "Left", "Left")  # in any language
        screen.settled(window)
        screen.keys(window, *["Up"] * (1 if gimp.is3 else 2), "Right")
        for number in range(8):
            screen.settled(window)
            screen.photograph_all(SHOTS / f"menu-{gimp}-{language}-{number}.png")
            screen.keys(window, "Down")
        screen.keys(window, *["Escape"] * 4)
        gimp.path(f"menus.{language}").touch()
        session.wait()
