# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""What software centers and Flatpak are told of the project agrees with the project."""
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "org.gimp.GIMP.Plugin.CudaFilters"
METAINFO = ROOT / f"data/{NAME}.metainfo.xml"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@pytest.fixture(scope="module")
def component():
    return ET.parse(METAINFO).getroot()


def test_is_an_addon_of_gimp(component):
    assert component.get("type") == "addon"
    assert component.findtext("id") == NAME and component.findtext("extends") == "org.gimp.GIMP"
    icon = component.find("icon")
    assert icon.get("type") == "stock" and (ROOT / f"data/{icon.text}.svg").is_file()


def test_every_language(component):
    wanted = {code.replace("_", "-") for code in (ROOT / "po/LINGUAS").read_text().split()} | {None}
    for texts in component.findall("name"), component.findall("summary"), component.findall("description/p"):
        assert {text.get(LANGUAGE) for text in texts} == wanted


def test_flatpak_finds_what_it_packs():
    text = (ROOT / f"data/flatpak/{NAME}.yml").read_text()
    assert f"id: {NAME}\n" in text
    for path in re.findall(r"path: (\.\./\S+)", text):
        assert "/dist/" in path or (ROOT / "data/flatpak" / path).is_file()


@pytest.mark.skipif(not shutil.which("appstreamcli"), reason="there is no appstreamcli")
def test_appstream_accepts_it():
    """Newer ones than Debian 12's warn that there is no homepage, which the project does not have."""
    done = subprocess.run(["appstreamcli", "validate", "--no-net", METAINFO], capture_output=True, text=True,
                          check=False)
    assert "Validation" in done.stdout
    wrong = [line for line in done.stdout.splitlines()
             if line.startswith(("E: ", "W: ")) and not line.endswith(" url-homepage-missing")]
    assert wrong == []
