# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""What docs/performance.md and docs/tolerances.md say of a filter."""
import re
from dataclasses import dataclass


def _plain(cell):
    return cell.strip().replace("\\|", "|")


def tables(text):
    """The Markdown tables of a text: the heading above, and the rows, each a list of cells."""
    found, heading, rows = [], "", []
    for line in [*text.splitlines(), ""]:
        if line.startswith("#"):
            heading = line.lstrip("# ").strip()
        if line.startswith("|"):
            cells = [_plain(cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                rows.append(cells)
        elif rows:
            found.append((heading, rows))
            rows = []
    return found


@dataclass(frozen=True)
class Time:
    """How long a call took, in seconds, what it did, and how many times as long GIMP's own took, or ''."""

    what: str
    machine: str  # the name of a text in texts.py
    gimp: str
    call: str
    own: str


def _is_of(cell, name):
    """Whether the first cell of a row is about a filter: one of those that it names, or a chain of others."""
    names = re.split(r"[, ]+", cell)
    return name in (names[:1] if names[0] == "chain" else names)


def times(text, name):
    """The times of whole calls of a filter in docs/performance.md."""
    found = []
    for heading, rows in tables(text):
        head = rows[0]
        for row in rows[1:]:
            if not _is_of(row[0], name):
                continue
            if heading == "Whole calls in GIMP without a GPU" and "2.10: call" in head:
                for gimp in "2.10", "3.0", "3.2":
                    at = head.index(f"{gimp}: call")
                    own = row[head.index("GIMP's own", at)]
                    found.append(Time(row[0], "WITHOUT_GPU", gimp, row[at], own if own != "–" else ""))
            elif heading == "GEGL operations in GIMP 3 with a GPU" and head[1] == "GPU":
                call, own = row[head.index("GPU")], row[head.index("GIMP's own")]
                ratio = f"{float(own) / float(call):.0f} ×" if own != "–" else ""
                found.append(Time(row[0], "WITH_GPU", "3.0", call, ratio))
    return found


def tolerances(text, name):
    """The rows of docs/tolerances.md on a filter, and how its gain is defined, or ''."""
    rows, gain = [], ""
    for heading, lines in tables(text):
        for cells in lines[1:]:
            if not _is_of(cells[0], name):
                continue
            if lines[0] == ["filter", "gain"]:
                gain = cells[1]
            elif heading.startswith("The engine against the definition"):
                rows.append(cells)
    return rows, gain
