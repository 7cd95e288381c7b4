# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The benchmark of whole calls works in every GIMP, and the line of times that it reads is there."""
import re
import sys

import numpy as np
import pytest

import engine
import gimps
import xcf
from cases import picture

sys.path.insert(0, str(engine.SOURCE / "tests/bench"))

import gimp_call  # noqa: E402
import slider  # noqa: E402
import startup  # noqa: E402


def test_whole_calls_are_timed(gimp, monkeypatch):
    """Every call has its parts, the wire's moves all tiles, and GIMP's own filter is timed too."""
    monkeypatch.setenv("CUDA_FILTERS_WIRE", "1")
    gimp_call.install_wire(gimp)
    rows = [engine.find("threshold"), engine.find("gaussian-blur"), engine.find("invert")]
    found = gimp_call.measure(gimp, rows, (300, 200), 2)
    for row in rows:
        summary = gimp_call.summary(found[row.name])
        parts = [summary[part] for part in ("start", "read", "compute", "write", "merge")]
        assert min(parts) >= 0 and summary["call"] > 0, summary
        assert summary["device"]
        assert len(found[row.name]["wire"]) == 2
    assert [len(found[row.name]["own"]) for row in rows] == [0, 2, 2]


def test_steps_of_the_start_are_timed(gimp):
    """One after the other, each once a call; together they are the call."""
    calls = startup.measure(gimp, engine.find("invert"), (64, 64), 2)
    assert len(calls) == 2
    for call in calls:
        spent = startup.durations(call)
        assert min(spent.values()) >= 0, spent
        parts = sum(seconds for step, seconds in spent.items() if step != "call")
        assert abs(parts - spent["call"]) < 0.01, spent


@pytest.mark.parametrize("gimp", [gimp for gimp in gimps.find() if gimp.is3], ids=str)
def test_moves_of_a_slider_are_timed(gimp):
    """Each move has the operation compute what is shown, and GIMP's own and an idle effect are timed.

    What a move takes is one clock's, and what the operation takes another's: no test compares them.
    """
    rows = [engine.find("threshold"), engine.find("gaussian-blur")]
    found = slider.measure(gimp, rows, (300, 200), 2)
    stack = {f"{place}-of-five": ["ours"] for place in ("bottom", "middle", "top")}
    assert {name: list(kinds) for name, kinds in found.items()} == {
        "threshold": ["ours"], "gaussian-blur": ["ours", "own"]} | stack | {slider.IDLE[0]: ["own"]}
    for kinds in found.values():
        for kind, views in kinds.items():
            assert [len(views[view]) for view in ("first", "canvas", "middle")] == [1, 2, 2]
            for view, shown in ("first", 300 * 200), ("canvas", 300 * 200), ("middle", 197 * 197):
                for move in views[view]:
                    assert move["ms"] > 0 and move["operation"] >= 0
                    assert move["pixels"] >= shown if kind == "ours" else move["pieces"] == 0
    slider.print_table(str(gimp), {name: slider.summary(kinds) for name, kinds in found.items()})


def test_pixels_are_the_same_without_the_thread_that_keeps_awake(gimp):
    """CUDA_FILTERS_AWAKE=no changes no pixel, over several tiles in both directions."""
    path = gimp.path("awake")
    pixels = picture("u1", 4, 700, 600)
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(pixels)]))
    row = engine.find("box-blur")
    values = {"radius-x": 3, "radius-y": 40}
    results = []
    for awake in ("no", "yes"):
        log = gimp.script_fu(f"""
(let* ((img (load-image "{path}.in.xcf")))
  {gimp.call(row, values)}
  (save-image img "{path}.{awake}.xcf")
  (gimp-image-delete img))""", CUDA_FILTERS_AWAKE=awake, CUDA_FILTERS_VERBOSE="1",
                             CUDA_FILTERS_WIRE="1")
        assert re.search(r"^cuda-filters: box-blur on .*: start ", log, re.MULTILINE), log
        results.append(xcf.read(f"{path}.{awake}.xcf").layers[0].pixels)
    assert results[0].tobytes() == results[1].tobytes()
    wanted = engine.apply("box-blur", values, pixels, False).astype(int)
    assert np.abs(results[0] - wanted).max() <= 1  # its curves are not babl's
