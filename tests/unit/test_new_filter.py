# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""A filter that gpu/filters/new-filter begins is complete."""
import pathlib
import re
import runpy
import shutil
import subprocess

import pytest

from catalogs import LANGUAGES

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ["gpu/filters/meson.build", "po/POTFILES", *(f"po/{each}.po" for each in LANGUAGES), "data/manual/texts.py",
          "tests/gegl/operations.txt"]

@pytest.mark.parametrize("kind", ["point", "stencil", "composed"])
def test_new_filter_is_complete(tmp_path, kind):
    name, file, kind_of_type = f"my-{kind}-2", f"my_{kind}_2", f"My{kind.capitalize()}2"
    for path in [*TABLES, "po/LINGUAS", "gpu/filters/new-filter"]:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    (tmp_path / "tests/reference").mkdir()
    command = [tmp_path / "gpu/filters/new-filter", name, f"--{kind}"]
    subprocess.run(command, check=True, capture_output=True)
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode != 0 and f"'{name}' already" in again.stderr
    for path in TABLES:
        before = (ROOT / path).read_text().splitlines()
        after = (tmp_path / path).read_text().splitlines()
        added = [line for line in after if line not in before]
        assert added and [line for line in before if line not in after] == [], path
    assert f"  '{file}': '{kind_of_type}',\n" in (tmp_path / TABLES[0]).read_text()
    for table, rows in (("gpu/filters/meson.build", r"(?m)^  '.*'"), ("po/POTFILES", r"(?m)^gpu/filters.*")):
        found = re.findall(rows, (tmp_path / table).read_text())
        assert len(set(found)) == len(found)
    entries = runpy.run_path(str(tmp_path / "data/manual/texts.py"))["FILTERS"]
    assert entries[name]["use"] and list(entries) == sorted(entries)
    header = (tmp_path / f"gpu/filters/{file}.hpp").read_text()
    labels = re.findall(r'\.label = N_\("(.*?)"\)', header)
    assert labels and all("_" in label for label in labels)  # mnemonics
    # As the build does, for the processor and for the executor that computes nothing.
    instance = (ROOT / "gpu/filters/instantiate.in").read_text()
    for key, value in {"INCLUDES": f'#include "gpu/filters/{file}.hpp"', "executor": "cpu", "exec_header": "exec.hpp",
                       "ADDS": f"void add_{file}(Instances& to) {{ to.add<{kind_of_type}>(); }}"}.items():
        instance = instance.replace(f"@{key}@", value)
    program = tmp_path / "program.cpp"
    program.write_text(f"""{instance}
#include "gpu/core/entry.hpp"
const cuda_filters::FilterEntry& entry() {{
  static const cuda_filters::FilterOf<cuda_filters::{kind_of_type}> entry;
  return entry;
}}
""")
    for source in (program, tmp_path / f"tests/reference/{file}.cpp"):
        subprocess.run(["c++", "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}",
                        f"-I{ROOT}", "-c", "-o", tmp_path / "object.o", source], check=True)
