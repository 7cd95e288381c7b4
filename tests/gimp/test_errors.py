# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Wrong arguments and drawables: a message says what and where, and the image stays as it was."""
import pytest

import engine
import xcf
from cases import other_values, picture, select, selected
from scenarios import Scenario, outcome

ROWS = engine.registry()
CHANGING = [row for row in ROWS if not row.creates_image]
ABOUT_ALPHA = [row for row in ROWS if row.adds_alpha]
IMAGE = xcf.Image([xcf.Layer(picture("u1", 4))])
MASKED = xcf.Image([xcf.Layer(picture("u1", 4), mask=picture("u1", 1))],
                   channels={"channel": picture("u1", 1)})
SCAN = xcf.Image([xcf.Layer(picture("u1", 1, 40, 120))])
INDEXED = xcf.Image([xcf.Layer(picture("u1", 1))], indexed=True)

# Values that a filter refuses for a reason of its own, and words of its message.
REFUSED = [
    ("matrix-malformed", "convolution-matrix", {"matrix": "1,2,3;4,x,6;7,8,9"},
     ("row 2", "column 2", "x")),
    ("matrix-empty", "convolution-matrix", {"matrix": ""}, ("row 1", "column 1")),
    ("matrix-even", "convolution-matrix", {"matrix": "1,2;3,4"}, ("2 columns", "2 rows", "odd")),
    ("matrix-ragged", "convolution-matrix", {"matrix": "1,2,3;4,5;7,8,9"}, ("Row 2", "2", "3")),
    ("matrix-too-large", "convolution-matrix", {"matrix": ",".join(["1"] * 129)}, ("129", "127")),
    ("resize-to-nothing", "resize", {"scale": 0.0}, ("0 × 0", "larger size")),
    ("resize-beyond-gimp", "resize", {"height": 524288}, ("561737", "524288", "smaller size")),
    ("resize-beyond-the-disk", "resize", {"width": 524288, "height": 524288, "fit": False},
     ("needs 2.0", "TiB", "free", "smaller size")),
    ("psf-negative", "richardson-lucy", {"psf": "matrix", "matrix": "1,-2,1"}, ("matrix", "-2")),
    ("psf-empty", "richardson-lucy", {"psf": "matrix", "matrix": "0"}, ("matrix", "0")),
    ("divisor-zero", "convolution-matrix", {"divisor": 0.0}, ("divisor", "0")),
    ("formula-wrong", "pixel-math", {"formula": "r = b\ng = 2 *"}, ("line 2", "column 8", "expected")),
    ("table-missing", "color-lut", {"file": "/nowhere/x.cube"}, ("/nowhere/x.cube", "cannot be read")),
]

_GROUP = """
(let* ((group (make-group img)))
  (gimp-image-insert-layer img group 0 0)
  (gimp-image-insert-layer img (COPY) group 0))"""


def _group(gimp):
    copy = "(car (gimp-layer-copy (layer img 1)" + ("))" if gimp.is3 else " FALSE))")
    return _GROUP.replace("(COPY)", copy)


def _lock(gimp):
    return "(gimp-item-set-lock-content (layer img 0) TRUE)"


# A layer in a group that is locked, and one outside of it.
_AROUND = """
(let* ((group (make-group img)))
  (gimp-image-insert-layer img group 0 0)
  (gimp-item-set-name group "around")
  (gimp-image-reorder-item img (layer img 2) group 0)
  (gimp-item-set-lock-content group TRUE))"""
TWO = xcf.Image([xcf.Layer(picture("u1", 4), "one"), xcf.Layer(picture("u1", 4, seed=2), "two")])
FEW = [engine.find(name) for name in ("invert", "gaussian-blur")]


def _call_both(row):
    """3: both layers, of which the first one could be changed. 2.10: the one in the group."""
    named = '(car (gimp-image-get-layer-by-name img "{}"))'.format
    return lambda gimp: gimp.call(row, other_values(row), named("two") if not gimp.is3 else
                                  f"{named('one')} {named('two')}")


def _call(row, values, drawables="(layer img 0)"):
    return lambda gimp: gimp.call(row, values, drawables)


def _without_drawable(row):
    """3: no drawables at all. 2.10: one that does not exist."""
    def act(gimp):
        return gimp.call(row, {}, "" if gimp.is3 else "999999")
    return act


def _statistics(gimp, mode, drawables="(layer img 0)"):
    if gimp.is3:
        return (f"(plug-in-cuda-statistics #:run-mode {mode} #:image img "
                f"#:drawables (vector {drawables}))")
    return f"(plug-in-cuda-statistics {mode} img {drawables})"


# Another image.
OTHER = (lambda gimp: "(define other (car (gimp-image-duplicate img)))",
         lambda gimp: "(gimp-image-delete other)")


def _with_image(image, row=None, values=None):
    """Calls a filter, or statistics, on the layer of the image `img` with another image beside it."""
    def act(gimp):
        call = _statistics(gimp, "RUN-NONINTERACTIVE", "one") if row is None else gimp.call(
            row, values or {}, "one")
        return f"(let* ((one (layer img 0)) (img {image})) {call})"
    return act


def _ranges():
    for row in ROWS:
        for param in row.params:
            if param.kind in ("real", "integer"):
                for side, value in (("low", param.range[0] - 1), ("high", param.range[1] + 1)):
                    yield row, param, side, type(param.initial)(value)


def _choices():
    return [(row, param) for row in ROWS for param in row.params if param.kind == "choice"]


def _scenarios():
    for name, filter_name, values, _ in REFUSED:
        yield Scenario(name, IMAGE, _call(engine.find(filter_name), values))
    for row, param, side, value in _ranges():
        yield Scenario(f"{side}-{param.name}-{row.name}", IMAGE, _call(row, {param.name: value}))
    for row in ROWS:
        values = other_values(row)
        yield Scenario(f"indexed-{row.name}", INDEXED, _call(row, values))
        if row in CHANGING:
            yield Scenario(f"group-{row.name}", IMAGE, _call(row, values), _group)
            yield Scenario(f"locked-{row.name}", IMAGE, _call(row, values), _lock)
        yield Scenario(f"no-drawable-{row.name}", IMAGE, _without_drawable(row))
    for row in FEW:
        yield Scenario(f"locked-around-{row.name}", TWO, _call_both(row), lambda gimp: _AROUND)
        yield Scenario(f"mask-of-locked-{row.name}", MASKED, _call(
            row, other_values(row), "(car (gimp-layer-get-mask (layer img 0)))"), _lock)
    for row in ABOUT_ALPHA:
        yield Scenario(f"mask-{row.name}", MASKED,
                       _call(row, {}, "(car (gimp-layer-get-mask (layer img 0)))"))
        yield Scenario(f"channel-{row.name}", MASKED, _call(row, {}, "(channel img 0)"))
        yield Scenario(f"alpha-locked-{row.name}", IMAGE, _call(row, {}),
                       lambda gimp: "(gimp-layer-set-lock-alpha (layer img 0) TRUE)")
    for row in ROWS:
        yield Scenario(f"foreign-{row.name}", MASKED, _with_image("other", row), *OTHER)
        if row.params:
            yield Scenario(f"no-display-{row.name}", IMAGE, lambda gimp, row=row: gimp.call(
                row, {}, mode="RUN-INTERACTIVE"))
    yield Scenario("foreign-statistics", IMAGE, _with_image("other"), *OTHER)
    yield Scenario("two-images", IMAGE, lambda gimp: gimp.call(
        FEW[0], {}, "(layer img 0) (layer other 0)"), *OTHER)
    yield Scenario("no-display-statistics", IMAGE, lambda gimp: _statistics(gimp, "RUN-INTERACTIVE"))
    yield Scenario("no-display-info", IMAGE, lambda gimp: "(plug-in-cuda-info "
                   + ("#:run-mode " if gimp.is3 else "") + "RUN-INTERACTIVE)")
    for row, param in _choices():
        yield Scenario(f"choice-{param.name}-{row.name}", IMAGE, _call(row, {param.name: 99}))


SCENARIOS = tuple(_scenarios())


def _message(gimp, name):
    """The message of a scenario that failed, after a look that the image is unchanged."""
    scenario = next(s for s in SCENARIOS if s.name == name)
    found = outcome(gimp, SCENARIOS, scenario)
    before = scenario.image.layers[0]
    after = found.image.layers[-1]
    assert (after.pixels == before.pixels).all(), "the image has changed"
    assert before.mask is None or (after.mask == before.mask).all(), "the mask has changed"
    for channel, pixels in scenario.image.channels.items():
        assert (found.image.channels[channel] == pixels).all(), "the channel has changed"
    assert found.message != "ok", "this must fail"
    return found.message


def _contains(message, *words):
    missing = [word for word in words if word not in message]
    assert not missing, f"{missing} not in: {message}"


@pytest.mark.parametrize("name,words", [(row[0], row[3]) for row in REFUSED])
def test_refused_values(gimp, name, words):
    """The filter's own check tells what is wrong and where."""
    _contains(_message(gimp, name), *words)


@pytest.mark.parametrize("row,param,side,value", list(_ranges()),
                         ids=lambda value: getattr(value, "name", str(value)))
def test_out_of_range(gimp, row, param, side, value):
    """2.10: our message with parameter, value and range. 3: Script-Fu's own, with the argument."""
    message = _message(gimp, f"{side}-{param.name}-{row.name}")
    if gimp.is3:
        _contains(message, row.procedure)
    else:
        low, high = (f"{limit:.10g}" for limit in param.range)
        _contains(message, param.name, f"{value:.10g}", low, high)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_indexed_image(gimp, row):
    """The message says what to do."""
    _contains(_message(gimp, f"indexed-{row.name}"), "RGB")


@pytest.mark.parametrize("row", [row for row in CHANGING if not row.resizes], ids=lambda row: row.name)
def test_group_layer(gimp, row):
    _contains(_message(gimp, f"group-{row.name}").lower(), "group")


@pytest.mark.parametrize("row", CHANGING, ids=lambda row: row.name)
def test_locked_layer(gimp, row):
    _contains(_message(gimp, f"locked-{row.name}").lower(), "lock")


@pytest.mark.parametrize("row", FEW, ids=lambda row: row.name)
def test_lock_around(gimp, row):
    """The lock of a group holds for what is in it, and that of a layer for its mask; none of several changes."""
    _contains(_message(gimp, f"locked-around-{row.name}"), "'around'", "locked")
    _contains(_message(gimp, f"mask-of-locked-{row.name}"), "'layer'", "locked")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_missing_drawable(gimp, row):
    _contains(_message(gimp, f"no-drawable-{row.name}").lower(), "drawable")


@pytest.mark.parametrize("name", [*(row.name for row in ROWS), "statistics"])
def test_image_of_another_layer(gimp, name):
    """The image that was given must be the layer's."""
    _contains(_message(gimp, f"foreign-{name}"), "'layer'", "another image")


def test_layers_of_two_images(gimp):
    if not gimp.is3:
        pytest.skip("GIMP 2.10 gives a plug-in one drawable")
    _contains(_message(gimp, "two-images"), "'layer'", "another image")


@pytest.mark.parametrize("name", [*(row.name for row in ROWS if row.params), "statistics", "info"])
def test_dialog_without_a_display(gimp, name):
    _contains(_message(gimp, f"no-display-{name}"), "no display", "RUN-NONINTERACTIVE")


def _again(row):
    """Calls a filter with its last values; a new image that it makes is not kept."""
    call = "(gimp-image-delete (car {}))".format if row.creates_image else str
    return lambda gimp: call(gimp.call(row, {}, mode="RUN-WITH-LAST-VALS"))


# What a script may give in GIMP 2.10 where it knows no image, and what needs no dialog.
QUIET = tuple(
    [Scenario(f"no-image-{row.name}", IMAGE, _with_image("-1", row, other_values(row)),
              lambda gimp, row=row: select(row)) for row in CHANGING] +
    [Scenario(f"last-values-{row.name}", SCAN if row.creates_image else IMAGE, _again(row),
              lambda gimp, row=row: select(row)) for row in ROWS] +
    [Scenario("last-values-statistics", IMAGE,
              lambda gimp: _statistics(gimp, "RUN-WITH-LAST-VALS"))])


@pytest.mark.parametrize("row", CHANGING, ids=lambda row: row.name)
def test_no_image(gimp, row):
    """GIMP 2.10: the image is the layer's where a script knows none."""
    if gimp.is3:
        pytest.skip("GIMP 3 asks for an image")
    found = outcome(gimp, QUIET, next(s for s in QUIET if s.name == f"no-image-{row.name}"))
    assert found.message == "ok"
    before = IMAGE.layers[0].pixels
    engine.assert_same(found.image.layers[0].pixels, engine.apply(
        row.name, other_values(row), before, linear=False, mask=selected(row, before.shape)))


@pytest.mark.parametrize("name", [*(row.name for row in ROWS), "statistics"])
def test_last_values_need_no_display(gimp, name):
    found = outcome(gimp, QUIET, next(s for s in QUIET if s.name == f"last-values-{name}"))
    assert found.message == "ok"


@pytest.mark.parametrize("row", ABOUT_ALPHA, ids=lambda row: row.name)
@pytest.mark.parametrize("story, word", [("mask", "layer"), ("channel", "layer"),
                                         ("alpha-locked", "lock")])
def test_nothing_to_make_transparent(gimp, row, story, word):
    """A filter that is about alpha refuses what has none, or what must keep it."""
    _contains(_message(gimp, f"{story}-{row.name}").lower(), word)


@pytest.mark.parametrize("row,param", _choices(), ids=lambda value: value.name)
def test_choice_out_of_range(gimp, row, param):
    """2.10: a position beyond the list is refused with the list. 3: a choice is a string."""
    message = _message(gimp, f"choice-{param.name}-{row.name}")
    if gimp.is3:
        _contains(message, row.procedure)
    else:
        _contains(message, param.name, "99", *param.choices)
