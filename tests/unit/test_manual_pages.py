# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The manual: complete, without broken links, and docs/manual is what manual/generate.py writes."""
import ast
import html.parser
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

import pytest
from PIL import Image, ImageChops, ImageStat

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUDA_FILTERS_BUILD", ROOT / "build")).resolve()
APPLY = BUILD / "tests/tool/apply"
HELP = BUILD / "data/manual/help"
DOCS = ROOT / "docs/manual"
sys.path.insert(0, str(ROOT / "data/manual"))
import catalog  # noqa: E402  pylint: disable=wrong-import-position
import generate  # noqa: E402  pylint: disable=wrong-import-position
import measured  # noqa: E402  pylint: disable=wrong-import-position
import pictures  # noqa: E402  pylint: disable=wrong-import-position

LANGUAGES = tuple(catalog.languages(ROOT / "po"))
AGAIN = "call: data/manual/generate.py build/tests/tool/apply docs"


@pytest.fixture(scope="module", name="registry")
def _registry():
    return json.loads(subprocess.run([APPLY, "--list", "--json"], check=True, capture_output=True, text=True).stdout)


class _Looker(html.parser.HTMLParser):
    """What a page refers to, what it shows, and whether its elements are closed in order."""

    def __init__(self):
        super().__init__()
        self.targets, self.texts, self.open = [], [], []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src"):
                self.targets.append(value)
        if tag not in ("meta", "link", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def _look(path):
    looker = _Looker()
    looker.feed(path.read_text(encoding="utf-8"))
    assert looker.open == [], path
    return looker


@pytest.mark.parametrize("language", LANGUAGES)
def test_html(registry, language):
    """A page for each filter; every link and picture is there, and needs no network."""
    names = {path.stem for path in (HELP / language).glob("*.html")}
    assert names == {row["name"] for row in registry} | {"index", "performance", "tolerances"}
    for path in (HELP / language).glob("*.html"):
        for target in _look(path).targets:
            parts = urllib.parse.urlsplit(target)
            assert not parts.scheme and not parts.netloc, f"{path}: {target}"
            assert (path.parent / parts.path).resolve().is_file(), f"{path}: {target}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_gimp_finds_every_page(registry, language):
    """Each procedure's name, which is its help ID, leads to a page."""
    items = ElementTree.parse(HELP / language / "gimp-help.xml").getroot().findall("help-item")
    pages = {item.get("id").removeprefix("plug-in-cuda-"): item.get("ref") for item in items}
    assert {row["name"]: f"{row['name']}.html" for row in registry}.items() <= pages.items()
    assert {"manual", "info", "statistics", "gimp-main"} <= pages.keys()
    assert all((HELP / language / page).is_file() for page in pages.values())


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_pages_are_translated(registry, language):
    """What the catalog of a language has stands in its pages, and not in English."""
    translated = catalog.translations(ROOT / f"po/{language}.po")
    for row in registry:
        shown = "".join(_look(HELP / language / f"{row['name']}.html").texts)
        for text in (row["blurb"], row["help"], "What it does", *(param["blurb"] for param in row["params"])):
            if text in translated:
                assert translated[text] in shown, f"{row['name']}: {text}"


def test_catalogs_are_read_as_gettext_does(tmp_path):
    """Escapes, texts over several lines, and fuzzy ones, which count as untranslated."""
    path = tmp_path / "xx.po"
    path.write_text('msgid ""\nmsgstr "Language: xx\\n"\n\nmsgid "a \\"b\\"\\n"\n"c"\nmsgstr ""\n"A "\n"B"\n\n'
                    '#, fuzzy\nmsgid "d"\nmsgstr "D"\n\nmsgid "e"\nmsgstr ""\n\nmsgid "f"\nmsgstr "F"\n')
    assert catalog.translations(path) == {'a "b"\nc': "A B", "f": "F"}


def test_texts_are_in_the_german_catalog():
    """Every text of data/manual/texts.py that is marked for translation is translated."""
    translated = catalog.translations(ROOT / "po/de.po")
    calls = [node for node in ast.walk(ast.parse((ROOT / "data/manual/texts.py").read_text()))
             if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "N_"]
    assert calls and [call.args[0].value for call in calls if call.args[0].value not in translated] == []


def test_markdown_is_up_to_date(registry):
    """docs/manual has what the registry and the documents say now."""
    written = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    made = generate.markdown(registry)
    assert sorted(written) == sorted(made), AGAIN
    assert [name for name, text in made.items() if written[name] != text] == [], AGAIN


def test_markdown_pictures_are_up_to_date():
    """They show what the engine makes, as far as JPEG can; together they are small."""
    made = generate.shown_pictures(APPLY) | {"before-after": generate.strip(APPLY)}
    written = {path.stem: path for path in (DOCS / "pictures").iterdir()}
    written["before-after"] = ROOT / "docs/pictures/before-after.jpg"
    assert sorted(written) == sorted(made), AGAIN
    for name, picture in made.items():
        generate.write_jpeg(again := io.BytesIO(), picture)
        with Image.open(written[name]) as image, Image.open(again) as wanted:
            assert (image.size, image.mode) == (wanted.size, wanted.mode), f"{name}; {AGAIN}"
            difference = ImageStat.Stat(ImageChops.difference(image, wanted)).mean
        assert max(difference) < 1, f"{name}: {difference}; {AGAIN}"
    assert sum(path.stat().st_size for path in written.values()) < 1_000_000


def test_markdown_links():
    """Every link and picture of docs/manual and of the other documents is there."""
    for path in [*DOCS.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*.md")]:
        targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", path.read_text(encoding="utf-8"))]
        missing = [target for target in targets if ":" not in target and not (path.parent / target).is_file()]
        assert missing == [] and (targets or path.parent != DOCS), path


def test_readme_is_short_and_its_times_are_measured_ones():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    rows = next(rows for heading, rows in measured.tables(text) if heading == "How fast")
    assert len(rows) == 6
    performance = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    for name, gpu, own_of_gpu_machine, cores, own in rows[1:]:
        times = {time.machine: time for time in measured.times(performance, name.partition(",")[0]) if time.gimp == "3.0"}
        with_gpu, without = times["WITH_GPU"], times["WITHOUT_GPU"]
        assert name == with_gpu.what == without.what
        assert (gpu.strip("*"), cores.strip("*"), own) == (with_gpu.call, without.call, without.own)
        assert f"{float(own_of_gpu_machine) / float(with_gpu.call):.0f} ×" == with_gpu.own


def test_markdown_names_every_parameter(registry):
    for row in registry:
        text = (DOCS / f"{row['name']}.md").read_text(encoding="utf-8")
        assert f"plug-in-cuda-{row['name']}" in text
        rows = re.findall(r"^\| [^|]* \| `([^`]*)` \|", text, re.MULTILINE)
        assert rows == [param["name"] for param in row["params"]] + ["aux"] * row["takes_aux"]


def test_png(tmp_path):
    """Pictures are read and written as Pillow does it, whatever predicts their rows."""
    source = generate.shown_pictures(APPLY)["matte-invert"]
    pictures.write_png(tmp_path / "ours.png", source)
    with Image.open(tmp_path / "ours.png") as image:
        assert image.tobytes() == source.data
        image.save(tmp_path / "pillows.png", optimize=True)
    assert pictures.read_png(tmp_path / "pillows.png") == pictures.read_png(tmp_path / "ours.png") == source


def test_a_filter_without_an_entry_is_told(monkeypatch, registry):
    """A new filter needs an entry in data/manual/texts.py, and the build says so."""
    monkeypatch.delitem(generate.FILTERS, registry[0]["name"])
    with pytest.raises(SystemExit, match=registry[0]["name"]):
        generate.read_registry(APPLY)
