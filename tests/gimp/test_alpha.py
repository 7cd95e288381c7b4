# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Filters that add an alpha channel: what stays, what shows, and what happens if it goes wrong."""
import subprocess

import numpy as np
import pytest

import engine
import gimps
import xcf
from cases import picture
from scenarios import Scenario, outcome
from screen import Session

INVERT, DIFFERENCE = engine.find("matte-invert"), engine.find("matte-difference")
KINDS = [(number, trc, channels) for number in ("u1", "u2", "f2", "f4")
         for trc in (xcf.ENCODED, xcf.LINEAR) for channels in (1, 3)]


def _name(kind):
    return "-".join(map(str, kind))


def _image(kind):
    number, trc, channels = kind
    return xcf.Image([xcf.Layer(picture(number, channels))], trc)


OPAQUE = tuple(Scenario("opaque-" + _name(kind), _image(kind), lambda gimp: gimp.call(INVERT, {}))
               for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=_name)
def test_colors_keep_their_bits(gimp, kind):
    """An opaque layer whose transparency is inverted has alpha 0 and the very same colors."""
    found = outcome(gimp, OPAQUE, next(s for s in OPAQUE if s.name == "opaque-" + _name(kind)))
    assert found.message == "ok"
    before, after = picture(kind[0], kind[2]), found.image.layers[0].pixels
    assert after.shape[2] == kind[2] + 1 and (after[..., -1] == 0).all()
    assert after[..., :-1].tobytes() == before.tobytes()


# Stands in for a GIMP that does not take the result when all has been computed.
_REFUSAL = """
int gimp_drawable_merge_shadow(void *drawable, int undo)
{
  (void)drawable;
  (void)undo;
  return 0;
}
"""


def test_refused_result_leaves_the_layer_opaque(gimp):
    """When GIMP refuses at the last moment, no alpha channel stays behind."""
    source, library = gimp.path("refusal.c"), gimp.path("refusal.so")
    source.write_text(_REFUSAL)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    path = gimp.path("refused")
    image = xcf.Image([xcf.Layer(picture("u2", 3))])
    xcf.write(f"{path}.in.xcf", image)
    gimp.script_fu(f"""
(let* ((img (load-image "{path}.in.xcf")))
  (attempt "{path}.outcome" (lambda () {gimp.call(DIFFERENCE, {})}))
  (save-image img "{path}.xcf")
  (gimp-image-delete img))""", LD_PRELOAD=library, CUDA_FILTERS_WIRE="1")
    assert "did not take the result" in gimp.path("refused.outcome").read_text()
    after = xcf.read(f"{path}.xcf").layers[0].pixels
    assert np.array_equal(after, image.layers[0].pixels)


def test_preview_shows_the_checks(gimp, screen):
    """The preview of a layer without alpha shows GIMP's checks where it becomes transparent."""
    pixels = np.zeros((300, 300, 3), "u1")
    pixels[..., 2] = 255
    path = gimp.path("checks")
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(pixels)]))
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  {gimp.call(DIFFERENCE, {}, mode="RUN-INTERACTIVE")}
  (gimp-image-delete img))"""
    with Session(gimp, screen, body) as session:
        dialog = screen.window(DIFFERENCE.title)
        screen.settled(dialog)

        def checks():
            """the checks in the preview"""
            return screen.colors(dialog, 120, 80, 96, 96) == {"#666666", "#999999"}
        gimps.poll(checks)
        screen.keys(dialog, "Escape")
        session.wait()
