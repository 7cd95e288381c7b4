# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Every test with an argument `gimp` runs once for each GIMP."""
import shutil

import pytest

import gimps
from screen import Screen

def pytest_generate_tests(metafunc):
    marks = metafunc.definition.iter_markers("parametrize")
    if "gimp" in metafunc.fixturenames and not any("gimp" in mark.args[0] for mark in marks):
        metafunc.parametrize("gimp", gimps.find(), ids=str, scope="session")


def pytest_unconfigure():
    if gimps.find.cache_info().currsize:  # not where others run the tests
        for gimp in gimps.find():
            shutil.rmtree(gimp.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def screen():
    """One screen for all tests."""
    made = Screen()
    yield made
    made.close()
