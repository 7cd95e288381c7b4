# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Every test with an argument `gimp` runs once for each GIMP."""
import os
import re
import shutil

import pytest

import gimps
from screen import Screen

def pytest_generate_tests(metafunc):
    marks = metafunc.definition.iter_markers("parametrize")
    if "gimp" in metafunc.fixturenames and not any("gimp" in mark.args[0] for mark in marks):
        metafunc.parametrize("gimp", gimps.find(), ids=str)


# The modules that take longest begin first, so that no process is left alone with one of them.
_LONG = ("test_filters", "test_dialogs", "test_languages", "test_inside", "test_preview")


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks
def pytest_collection_modifyitems(items):
    """The tests of a module in one GIMP come together and in one process: many share what it made."""
    modules, found = {}, {}
    for item in items:
        gimp = str(item.callspec.params.get("gimp", "")) if hasattr(item, "callspec") else ""
        module = modules.setdefault(item.path, len(modules))
        place = _LONG.index(item.path.stem) if item.path.stem in _LONG else len(_LONG)
        found[item] = place, module, gimp
        if gimp:
            item.add_marker(pytest.mark.xdist_group(f"{item.path.stem}-{gimp}"))
    items.sort(key=found.get)


@pytest.hookimpl(trylast=True)  # after the letter of this test
def pytest_runtest_logreport(report):
    """A failure is told at once: what runs the tests may be ended before they are through."""
    if report.failed and not os.environ.get("PYTEST_XDIST_WORKER"):
        print(f"\n{report.nodeid} ({report.when}):\n{report.longreprtext[-3000:]}", flush=True)


def pytest_configure(config):
    config.addinivalue_line("markers", "leaves(pattern): GIMP may print such lines of errors")


@pytest.fixture(autouse=True)
def no_complaints(request):
    """Nothing that a test has a GIMP do leaves an error on the terminal, but what the test is about."""
    yield
    allowed = [mark.args[0] for mark in request.node.iter_markers("leaves")]
    left = [line for line in gimps.complaints.take()
            if not any(re.search(pattern, line) for pattern in allowed)]
    assert not left, "\n".join(["GIMP printed:", *left])


def pytest_unconfigure():
    if gimps.find.cache_info().currsize:  # not where others run the tests
        for gimp in gimps.find():
            shutil.rmtree(gimp.folder, ignore_errors=True)


@pytest.fixture(autouse=True, scope="module")
def shared_gimp_of_a_module():
    """The dialogs of a module's tests know no values of another module's."""
    yield
    if Screen.open:
        Screen.open.end_shared()


@pytest.fixture(scope="session")
def screen():
    """One screen for all tests."""
    made = Screen()
    yield made
    made.close()
