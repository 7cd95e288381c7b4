# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Rules that the compiler does not check: who may include what, and what the CPU's levels share."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUDA_FILTERS_BUILD", ROOT / "build"))
CODE = {".cpp", ".hpp", ".cu", ".cuh", ".in"}


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in CODE)


def includes(path):
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), re.M)


@pytest.mark.parametrize("folder, forbidden", [
    ("gpu", r"^(glib|gegl|babl|gtk|libgimp)|^plugin/|^tests/"),
    ("gpu/core", r"cuda|^omp\.h|^gpu/(cpu|filters)/|^gpu/algorithms/(?!statistics/measuring)"),
    ("gpu/filters", r"cuda|^omp\.h|^gpu/cpu/|^gpu/core/(backend|band|engine|image|pipeline|run_)"),
    ("gpu/algorithms", r"^gpu/filters/"),
    ("gpu/cpu", r"cuda|^gpu/filters/"),
    ("gpu/cuda", r"^gpu/(cpu|filters)/"),
    ("plugin", r"cuda|^gpu/(cpu|filters)/"),
    ("tests/reference", r"^gpu/(cpu|cuda|filters)/"),
])
def test_folders_include_only_what_they_may(folder, forbidden):
    wrong = [f"{path.relative_to(ROOT)}: {name}" for path in sources(folder)
             for name in includes(path) if re.search(forbidden, name)]
    assert wrong == []


@pytest.mark.parametrize("folder, exceptions", [
    ("gpu", {"gpu/core/system.cpp"}),
    ("tests/conformance", set()),
    ("tests/reference", set()),
    ("tests/support", {"tests/support/environment.hpp"}),
    ("tests/unit", {"tests/unit/scarcity_test.cpp"}),
])
def test_other_files_do_not_call_the_operating_system(folder, exceptions):
    """What is compiled for Windows, too, has the standard library, and headers that are the same everywhere."""
    headers = r'(?m)^\s*#\s*include\s*<(?!gtest/|cub/|cuda|fatbinary|png\.h|[ei]mmintrin\.h)(\w+[./][^>]*)>'
    functions = (r"(?<![\w.>])(_exit|access|fdopen|fileno|fork|getpid|gmtime_r|localtime_r|memfd_create|mkdtemp|mkstemp|"
                 r"popen|readlink|realpath|setenv|strerror_r|unsetenv|usleep)\s*\(")
    found = [f"{path.relative_to(ROOT)}: {name}" for path in sources(folder)
             if str(path.relative_to(ROOT)) not in exceptions
             for name in re.findall(headers, path.read_text()) + re.findall(functions, code_of(path))]
    assert found == []


def test_parts_of_algorithms_know_one_executor():
    wrong = [f"{path.relative_to(ROOT)}: {name}" for path in sources("gpu/algorithms")
             for name in includes(path)
             if re.search(r"^gpu/cpu/" if path.suffix in (".cu", ".cuh") else r"cuda", name)]
    assert wrong == []


def test_plugin_names_no_filter():
    names = re.findall(r'\.name = "([a-z-]+)"', "".join(
        p.read_text().split("params{")[0] for p in sources("gpu/filters")))
    assert names
    wrong = [f"{path.relative_to(ROOT)}: {name}" for path in sources("plugin") for name in names
             if re.search(rf'"(plug-in-cuda-)?{name}"', path.read_text())]
    assert wrong == []


# Words that mean something else in the field, or nothing, and the terms that stand for them.
OLD_WORDS = {
    r"(Survey\w*|survey\w*)": "analysis, analyze()",
    r"(sweep\w*)": "pass",
    r"(most|most_\w*)": "max_…",
    r"(there_?|\w+_there)": "what is there",
    r"(kept_?|Kept\w*|kept_\w+|keep_image)": "what keeps it: cache, slot",
    r"(Made|Making|makes_image|make_image)": "NewImageResult, creates_image()",
    r"(Light|light_of|light_|lit)": "Trc, trc_of()",
    r"(fitted\w*|fitting)": "resolved",
    r"(Findings?|findings?)": "OutputValue",
    r"([Rr]esident\w*)": "PixelView, view()",
    r"(lie_open)": "expose_memory()",
    r"(Awake|FewTiles)": "KeepCpuAwake, ScopedTileCache",
    r"([Ii]nbox\w*)": "PluginSocket",
    r"([Jj]oints|raised_?)": "BandLinks, promoted",
    r"(Fold|unfold|folded_?)": "GrayPacking",
    r"(points_\w+|Points|Point(?:Step|List|Kinds|Filter))": "fused_pointwise, PointwiseStep",
    r"(map_by|gather_kernel|large_pages)": "map_with_statistics(), reduce(), huge_pages()",
    r"(EachColor|EachChannel|OnlyAlpha|AllGray|PickedColors)": "PerColor, PerChannel, AlphaOnly …",
    r"(Settings|Span|Search|Parts?|SmallWeights|Numbers|settle_kernel)": "a name that is used once",
    r"(Alpha::(?:weighted|kept|own))": "Alpha::premultiplied, passthrough, channel",
    r"(\w*[Cc]olour\w*|\w*[Cc]entre\w*|\w*[Nn]eighbour\w*)": "color, center, neighbor",
}


def code_of(path):
    """What of a source is neither a comment nor a string."""
    token = r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\''
    return re.sub(token, " ", path.read_text(), flags=re.S)


@pytest.mark.parametrize("old", OLD_WORDS)
def test_names_are_terms_of_the_field(old):
    found = [f"{path.relative_to(ROOT)}: {word}" for folder in ("gpu", "plugin", "tests")
             for path in sources(folder) for word in set(re.findall(rf"\b{old}\b", code_of(path)))]
    assert found == [], f"write {OLD_WORDS[old]} instead"


def test_comments_are_sentences():
    """No comment consists of a single word, or leaves out what it is about."""
    headless = r"(?m)^\s*///? (\w+|As above|As \w+\(\), likewise|The way back|Of (?:\w+ ){0,3}\w+)\.$"
    assert re.search(headless, "  /// Likewise.") and re.search(headless, "/// Of the image.")
    found = [f"{path.relative_to(ROOT)}: {match.group().strip()}" for folder in ("gpu", "plugin", "tests")
             for path in sources(folder) for match in re.finditer(headless, path.read_text())
             if not path.read_text()[:match.start()].rstrip("\n").split("\n")[-1].lstrip().startswith("//")]
    assert found == []


def test_every_source_says_its_licence():
    wrong = [str(path.relative_to(ROOT)) for folder in ("gpu", "plugin", "tests")
             for path in sources(folder) if path.suffix != ".in"
             and "SPDX-License-Identifier: LGPL-3.0-or-later" not in path.read_text()[:200]]
    assert wrong == []


def test_every_file_with_translatable_text_is_in_potfiles():
    listed = set((ROOT / "po/POTFILES").read_text().split())
    marked = {str(path.relative_to(ROOT)) for folder in ("gpu", "plugin") for path in sources(folder)
              if re.search(r'\b(N_|_|tr)\(\s*"', path.read_text())}
    assert marked - listed == set()
    assert {name for name in listed if not (ROOT / name).exists()} == set()


def test_kernels_for_newer_processors_cannot_stand_in_for_others():
    objects = sorted(BUILD.rglob("lib*kernels_*.a.p/*.o"))
    assert objects
    for path in objects:
        listing = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True,
                                 check=True).stdout
        shared = [line.split()[-1] for line in listing.splitlines()
                  if line.split()[-2] in "TWVuDRB"]
        assert len(shared) == 1 and "kernels_" in shared[0], f"{path}: {shared}"
