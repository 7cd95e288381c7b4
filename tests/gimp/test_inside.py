# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Procedures that let the operation work inside of GIMP 3: the bits of those that move the pixels."""
import re
import subprocess

import pytest

import engine
import gimps
import xcf
from cases import other_values, picture
from scenarios import Scenario, outcome

GIMPS = [gimp for gimp in gimps.find() if gimp.is3]
ROWS = engine.in_place()
LAYER, MASK, CHANNEL = ("(layer img 0)", "(car (gimp-layer-get-mask (layer img 0)))",
                        "(channel img 0)")
BYTES = ("u1", xcf.ENCODED, 4)

# Filters that look at a pixel alone: of these a selection changes nothing but where they work.
ALONE = {"add", "subtract", "multiply", "gamma", "invert", "lower-clamp", "monochrome", "threshold",
         "matte-difference", "matte-invert"}
# Filters that look at all pixels.
SURVEYS = {"autocontrast", "canny", "gray-world", "stretch-contrast", "white-balance"}


def _select(x, y, width, height, feather=0):
    words = f"(gimp-image-select-rectangle img CHANNEL-OP-REPLACE {x} {y} {width} {height})"
    return lambda gimp: words + (f"(gimp-selection-feather img {feather})" if feather else "")


def _nothing(gimp):
    return ""


ALL_SELECTED = lambda gimp: "(gimp-selection-all img)"
HARD, SOFT = _select(20, 30, 170, 60), _select(35, 30, 180, 180, 12)

# What happens to every filter: a name, the kind of image, what is prepared, and what is filtered.
STORIES = [
    ("plain", BYTES, _nothing, LAYER), ("plain", ("u2", xcf.LINEAR, 1), _nothing, LAYER),
    ("plain", ("f4", xcf.LINEAR, 3), _nothing, LAYER),
    ("all", BYTES, ALL_SELECTED, LAYER), ("hard", ("u2", xcf.ENCODED, 4), HARD, LAYER),
    ("soft", BYTES, SOFT, LAYER), ("soft", ("f4", xcf.LINEAR, 3), SOFT, LAYER),
    ("mask", BYTES, _nothing, MASK), ("mask-soft", ("u2", xcf.LINEAR, 3), SOFT, MASK),
    ("channel", ("f4", xcf.LINEAR, 3), _nothing, CHANNEL),
]


def _image(kind, offset=(0, 0), size=None):
    number, trc, channels = kind
    plane = picture(number, 1, 300, 280, seed=2)
    layer = xcf.Layer(picture(number, channels, 300, 280), mask=plane, offset=offset)
    return xcf.Image([layer], trc, {"channel": plane}, size=size)


def _filtered(row, target=LAYER):
    return lambda gimp: gimp.call(row, other_values(row), target)


CASES = {}
for _row in ROWS:
    for _name, _kind, _prepare, _target in STORIES:
        if not (_row.adds_alpha and _target != LAYER):
            _id = "-".join(map(str, (_row.name, *_kind, _name)))
            CASES[_id] = (_row, Scenario("inside-" + _id, _image(_kind), _filtered(_row, _target), _prepare))

_TWO = " ".join((LAYER, "(layer img 1)"))
_GROUPED = """
(let* ((group (make-group img)))
  (gimp-image-insert-layer img group 0 0)
  (gimp-image-reorder-item img (layer img 1) group 0))"""
_EFFECT = '(gimp-drawable-append-new-filter (layer img 0) "gegl:pixelize" "" LAYER-MODE-REPLACE 1.0)'
_FLOATING = "(gimp-edit-copy (vector (layer img 0))) (gimp-edit-paste (layer img 0) FALSE)"
_WHOLE = "(gimp-drawable-merge-filters (layer img 0))"

# What happens to a few: besides, what is done afterwards, and whether GIMP can do it by itself.
FEW = [engine.find(name) for name in ("invert", "gaussian-blur", "autocontrast")]
SPECIAL = {
    "offset": (_image(BYTES, (-30, 25), (200, 190)), _nothing, LAYER, "", True),
    "partly-off": (_image(BYTES, (-30, 25), (200, 190)), HARD, LAYER, "", None),
    "alpha-locked": (_image(BYTES), lambda gimp: f"(gimp-layer-set-lock-alpha {LAYER} TRUE)", LAYER,
                     "", True),
    "no-red": (_image(BYTES), lambda gimp: "(gimp-image-set-component-active img CHANNEL-RED FALSE)",
               LAYER, "", True),
    "hidden": (_image(BYTES), lambda gimp: f"(gimp-item-set-visible {LAYER} FALSE)", LAYER, "", True),
    "two-layers": (xcf.Image([xcf.Layer(picture("u1", 4), "one"), xcf.Layer(picture("u1", 3), "two")]),
                   _nothing, _TWO, "", False),
    "effect": (_image(BYTES), lambda gimp: _EFFECT, LAYER, _WHOLE, False),
    "floating": (_image(BYTES), lambda gimp: HARD(gimp) + _FLOATING, LAYER,
                 "(gimp-floating-sel-anchor (car (gimp-image-get-floating-sel img)))", False),
    "selection": (_image(BYTES), SOFT, "(car (gimp-image-get-selection img))",
                  "(gimp-selection-save img)", False),
}
for _row in FEW:
    for _name, (_picture, _prepare, _target, _after, _) in SPECIAL.items():
        CASES[f"{_row.name}-{_name}"] = (_row, Scenario(
            f"inside-{_row.name}-{_name}", _picture,
            lambda gimp, row=_row, target=_target, after=_after: _filtered(row, target)(gimp) + after,
            _prepare))
SCENARIOS = tuple(scenario for _, scenario in CASES.values())


def _ways(log):
    """For each run that was told of: whether it was inside of GIMP."""
    return [device.endswith(" inside GIMP") for device in
            re.findall(r"^cuda-filters: \S+ on (.*): start", log, re.MULTILINE)]


def _planes(image):
    for layer in image.layers:
        yield layer.pixels
        if layer.mask is not None:
            yield layer.mask
    yield from image.channels.values()


def _assert_same(found, wanted, blended):
    """The same bits; where GIMP blends by a selection, which differs from process to process, nearly."""
    assert found.message == wanted.message == "ok", found.log
    for one, other in zip(_planes(found.image), _planes(wanted.image), strict=True):
        if one.tobytes() == other.tobytes():
            continue
        engine.assert_same(one, other)
        assert blended and (one != other).mean() < 1e-2


def _goes_inside(row, story):
    """Whether GIMP gives the operation all that it has to look at."""
    if story in SPECIAL and SPECIAL[story][-1] is not None:
        return SPECIAL[story][-1]
    if story in ("plain", "mask", "channel") or row.name in ALONE:
        return True
    return story == "all" and row.name not in SURVEYS


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("case", CASES)
def test_same_bits_both_ways(gimp, case):
    """Whichever way a call takes, the same bits; and it is the way that is told of."""
    row, scenario = CASES[case]
    story = re.sub(rf"{row.name}-(\w\d-\d+-\d-)?", "", case)
    found = outcome(gimp, SCENARIOS, scenario)
    wanted = outcome(gimp, SCENARIOS, scenario, wire=True)
    assert _ways(wanted.lines) == [False]
    assert _ways(found.lines) == [_goes_inside(row, story)], found.lines
    _assert_same(found, wanted, re.search("all|hard|soft|partly|selection|floating", story))


def _library(gimp, name, source):
    """A library that stands in for a part of GIMP, of C++ or of the system."""
    path, library = gimp.path(name + ".cpp"), gimp.path(name + ".so")
    path.write_text(source)
    subprocess.run(["c++", "-shared", "-fPIC", "-o", library, path], check=True)
    return library


def _told(gimp, name, row, pixels, **variables):
    """The outcome of a call, the pixels after it, and what GIMP printed."""
    path = gimp.path(name)
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(pixels)]))
    log = gimp.script_fu(f"""
(let* ((img (load-image "{path}.in.xcf")))
  (attempt "{path}.outcome" (lambda () {gimp.call(row, other_values(row))}))
  (save-image img "{path}.xcf")
  (gimp-image-delete img))""", CUDA_FILTERS_VERBOSE="1", **variables)
    return (gimp.path(f"{name}.outcome").read_text().strip(),
            xcf.read(f"{path}.xcf").layers[0].pixels, log)


# The system without what the two processes tell each other by.
_DEAF = "extern \"C\" int bind(int, const void*, unsigned) { return -1; }"
_DUMB = ("extern \"C\" long sendto(int, const void*, unsigned long, int, const void*, unsigned)"
         "{ return -1; }")


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("name", ["no-module", "other-listens", "other-build"])
def test_moves_the_pixels_where_there_is_no_such_operation(gimp, name):
    """Without the module, while another call listens, or with a module of another build: no word of it."""
    row, pixels = engine.find("invert"), picture("u1", 4)
    source = {"no-module": None, "other-listens": _DEAF, "other-build": _DUMB}[name]
    variables = {"XDG_DATA_HOME": gimp.path("nothing")} if source is None else {
        "LD_PRELOAD": _library(gimp, name, source)}
    message, after, log = _told(gimp, name, row, pixels, **variables)
    assert message == "ok"
    assert _ways(log) == [False]
    assert not gimps.complaints(log) and "cuda:" not in log, log
    engine.assert_same(after, engine.apply(row.name, other_values(row), pixels, linear=False))


# C++ without the memory for a picture.
_NO_MEMORY = """
#include <cstdlib>
#include <new>
void* operator new(std::size_t size)
{
  if (size > 256 * 1024) throw std::bad_alloc{};
  return std::malloc(size);
}
"""
# A GIMP that answers the last call with an error.
_REFUSAL = """
extern "C" int gimp_drawable_filter_delete(void*);
extern "C" void* gimp_drawable_filter_new(void*, const char*, const char*);
extern "C" void gimp_drawable_merge_filter(void* drawable, void* filter)
{
  gimp_drawable_filter_delete(filter);
  gimp_drawable_filter_new(drawable, "cuda:refused", "");
}
"""


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("name, word", [("no-memory", "bad_alloc"), ("refused", "cuda:refused")])
@pytest.mark.parametrize("row", [engine.find("sobel"), engine.find("matte-invert")],
                         ids=lambda row: row.name)
def test_what_fails_inside_is_an_error(gimp, row, name, word):
    """The call fails, says why, and leaves the layer as it was, without an alpha channel."""
    pixels = picture("u1", 3, 700, 600)
    source = _NO_MEMORY if name == "no-memory" else _REFUSAL
    message, after, log = _told(gimp, f"{name}-{row.name}", row, pixels,
                                LD_PRELOAD=_library(gimp, name, source))
    assert "did not take the result" in message and word in message, log
    assert after.shape == pixels.shape and (after == pixels).all()


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_no_complaints(gimp):
    """Neither GIMP, nor the module, nor the plug-in reports a programming error during all this."""
    for wire in False, True:
        assert not gimps.complaints(outcome(gimp, SCENARIOS, SCENARIOS[0], wire).log)
