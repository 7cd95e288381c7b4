# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The pages of the manual, made of the registry: blocks, which render.py writes as HTML and as Markdown."""
from dataclasses import dataclass, field

import measured
import scripts
import texts
from texts import FILTERS


@dataclass(frozen=True)
class Mono:
    """Words that scripts write."""

    text: str


@dataclass(frozen=True)
class Link:
    """A reference to another page of the manual, or to a document of docs."""

    text: str
    page: str


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Inline parts: strings, Mono and Link."""

    parts: tuple
    lead: bool = False


@dataclass(frozen=True)
class Pictures:
    """Pictures side by side: the name of each without its ending, and what is written below."""

    pictures: tuple


@dataclass(frozen=True)
class Table:
    """A head of strings and rows of cells, which are tuples of inline parts."""

    head: tuple
    rows: tuple


@dataclass(frozen=True)
class Code:
    language: str
    text: str


@dataclass
class Page:
    """A page: its name, which is that of its file, and its blocks below the title."""

    name: str
    title: str
    blocks: list = field(default_factory=list)


class Writer:
    """Writes the pages in one language. `translated` has the texts of that language; others stay English."""

    def __init__(self, registry, performance, tolerances, translated):
        self.registry = registry
        self.performance = performance
        self.tolerances = tolerances
        self.translated = translated

    def tr(self, text):
        return self.translated.get(text, text)

    def label(self, text):
        """A label without the mark of its mnemonic, and without the one in brackets that some languages add."""
        shown = self.tr(text)
        if (at := shown.find("(_")) >= 0 and shown[at + 3:at + 4] == ")":
            return (shown[:at] + shown[at + 4:]).strip()
        return shown.replace("_", "", 1)

    def category(self, name):
        """What the menu calls a category."""
        return self.tr(f"<Image>/Filters/CUDA/{name.capitalize()}").rpartition("/")[2]

    def title(self, row):
        """What the menu calls a filter."""
        return self.tr("%s (CUDA)").replace("%s", self.tr(row["title"]))

    def pages(self):
        """All of them, the index first."""
        return [self.index(), *[self.page(row) for row in self.registry]]

    def index(self):
        page = Page("index", self.tr(texts.MANUAL))
        page.blocks += [Paragraph((self.tr(texts.INTRODUCTION),), lead=True), Heading(self.tr(texts.INDEX))]
        for category in dict.fromkeys(row["category"] for row in sorted(self.registry, key=_place)):
            rows = sorted((row for row in self.registry if row["category"] == category),
                          key=lambda row: self.tr(row["title"]))
            page.blocks += [Heading(self.category(category), 3), Table((), tuple(
                ((Link(self.tr(row["title"]), row["name"]),), (self.tr(row["blurb"]),)) for row in rows))]
        page.blocks += [Heading(self.tr(texts.PROCEDURES)), self.procedures()]
        return page

    def procedures(self):
        """What is no filter, and so not in the registry."""
        rows = (
            ("statistics", "Measure the least, the largest, the mean and the middle value of each channel",
             texts.STATISTICS_USE, ("min", "max", "mean", "std-dev", "median", "count")),
            ("info", "Tell which device the CUDA filters use, and why", texts.INFO_USE, ("info",)),
            ("manual", "Show the manual of the CUDA filters", texts.MANUAL_USE, ()))
        return Table((self.tr(texts.PROCEDURE), self.tr(texts.MEANING), self.tr(texts.RESULTS)), tuple(
            ((Mono(f"plug-in-cuda-{name}"),), (f"{self.tr(blurb)}. {self.tr(use)}",), _listed(map(Mono, results)))
            for name, blurb, use, results in rows))

    def page(self, row):
        about = FILTERS[row["name"]]
        values = about.get("values", {})
        page = Page(row["name"], self.title(row))
        page.blocks += [
            Paragraph((self.tr(row["blurb"]) + ".",), lead=True),
            Pictures(((about.get("picture", "landscape"), self.tr(texts.BEFORE)),
                      (row["name"], self.tr(texts.AFTER)))),
            Paragraph(self.made_with(row, values)),
            Heading(self.tr(texts.WHAT_FOR)), Paragraph((self.tr(about["use"]),)),
            Heading(self.tr(texts.WHAT_IT_DOES)), Paragraph((self.tr(row["help"]),)),
            Heading(self.tr(texts.PARAMETERS)), self.parameters(row)]
        if row["creates_image"]:
            page.blocks += [Heading(self.tr(texts.RESULTS)), self.results(row)]
        page.blocks += [Heading(self.tr(texts.SCRIPTS)), Paragraph((self.tr(texts.SCRIPT_NAMES),))]
        for runner, by_operation, language, code in scripts.all_scripts(row, values):
            title = f"{runner}, {self.tr(texts.OPERATION)}" if by_operation else runner
            page.blocks += [Heading(title, 3), Code(language, code)]
        if scripts.is_operation(row):
            page.blocks += [Heading(self.tr(texts.COMMAND_LINE), 3), Code("sh", scripts.command_line(row, values))]
        page.blocks += [*self.speed(row), *self.accuracy(row)]
        if "source" in about:
            page.blocks += [Heading(self.tr(texts.SOURCE)), Paragraph((about["source"] + ".",))]
        return page

    def made_with(self, row, values):
        """The values of the example."""
        before, _, after = self.tr(texts.MADE_WITH).partition("%s")
        if not values:
            return (before + self.tr(texts.INITIAL_VALUES) + after + ".",)
        labels = {param["name"]: self.label(param["label"]) for param in row["params"]}
        shown = (f"{labels[name]} = {self.value(value)}" for name, value in values.items())
        return (before + ", ".join(shown) + after + ".",)

    def value(self, value):
        if isinstance(value, bool):
            return self.tr(texts.YES if value else texts.NO)
        return value if isinstance(value, str) else f"{value:g}"

    def parameters(self, row):
        rows = [((self.label(param["label"]),), (Mono(param["name"]),), self.range(param), self.initial(param),
                 (self.tr(param["blurb"]) + ".",)) for param in row["params"]]
        if row["takes_aux"]:
            rows.append(((self.label(row["aux_label"]),), (Mono("aux"),), (self.tr(texts.A_DRAWABLE),),
                         (self.tr(texts.NONE),), (self.tr(row["aux_blurb"]) + ".",)))
        if not rows:
            return Paragraph((self.tr(texts.NO_PARAMETERS),))
        head = (texts.PARAMETER, texts.IN_SCRIPTS, texts.RANGE, texts.AT_FIRST, texts.MEANING)
        return Table(tuple(map(self.tr, head)), tuple(rows))

    def range(self, param):
        """What a parameter may be."""
        if param["kind"] == "toggle":
            return (self.tr(texts.YES_OR_NO),)
        if param["kind"] == "text":
            return (self.tr(texts.TEXT),)
        if param["kind"] == "choice":
            choices = zip(param["choice_labels"], param["choices"])
            return _listed(part for label, nick in choices for part in ((self.tr(label) + " ", Mono(nick)),))
        unit = f" {param['unit']}" if param["unit"] else ""
        return (f"{param['min']:g} … {param['max']:g}{unit}",)

    def initial(self, param):
        value = param["initial"]
        if param["kind"] == "toggle":
            return (self.value(bool(value)),)
        if param["kind"] == "choice":
            return (self.tr(param["choice_labels"][int(value)]),)
        return (Mono(value),) if param["kind"] == "text" and value else (self.value(value),)

    def results(self, row):
        rows = [((Mono("new-image"),), (self.tr(texts.NEW_IMAGE),))]
        rows += [((Mono(name),), (self.tr(blurb),))
                 for name, blurb in zip(row["output_values"], row["output_blurbs"])]
        return Table((self.tr(texts.RESULT), self.tr(texts.MEANING)), tuple(rows))

    def speed(self, row):
        """What was measured of whole calls, if anything was."""
        times = measured.times(self.performance, row["name"])
        if not times:
            return
        yield Heading(self.tr(texts.HOW_FAST))
        yield Paragraph((self.tr(texts.TIMES).replace("%s", times[0].what) + ". ",
                         Link(self.tr(texts.MEASURED), "performance")))
        head = (self.tr(texts.MACHINE), "GIMP", self.tr(texts.OURS), self.tr(texts.GIMPS))
        yield Table(head, tuple(
            ((self.tr(getattr(texts, time.machine)),), (time.gimp,), (time.call,), (time.own or "–",))
            for time in times))

    def accuracy(self, row):
        """What the tests hold a filter to, if it is more than what its steps are held to."""
        rows, gain = measured.tolerances(self.tolerances, row["name"])
        if not rows:
            return
        yield Heading(self.tr(texts.HOW_EXACT))
        head = ("", self.tr(texts.TOLERANCE))
        named = {cells[0]: cells[0] if cells[0].startswith(row["name"] + ", ") else row["name"] for cells in rows}
        yield Table(head, tuple(((named[cells[0]],), (cells[1].replace("`", ""),)) for cells in rows))
        link = Link(self.tr(texts.ALL_TOLERANCES), "tolerances")
        yield Paragraph((f"{self.tr(texts.GAIN)} = {gain.replace('`', '')}. ", link) if gain else (link,))


def _listed(items):
    """Inline parts with commas between; an item may be several parts."""
    parts = []
    for item in items:
        parts += [", "] if parts else []
        parts += item if isinstance(item, tuple) else [item]
    return tuple(parts)


def _place(row):
    """The place of a filter's category among the others."""
    return ("blur", "enhance", "edges", "colors", "artistic", "mattes", "geometry", "combine", "generic").index(row["category"])
