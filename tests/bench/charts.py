#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Pictures of what tests/bench/gimp_call.py has measured, as SVG, readable on light and dark pages.

charts.py parts NUMBERS.json PICTURE.svg [FILTER ...]   a bar for each filter, by the call's parts, and
                                                        one for GIMP's own, in the largest size
charts.py sizes NUMBERS.json PICTURE.svg [FILTER ...]   the call's time against the picture's size

Each GIMP has a panel of its own. The same numbers give the same file. Needs python3-matplotlib.
"""
import argparse
import json
import pathlib

import matplotlib

matplotlib.use("svg")
# Text stays text; the identifiers in the file do not change from run to run.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "gimp-cuda-filters",
                            "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana"],
                            "font.size": 9})
from matplotlib import pyplot, ticker  # noqa: E402

# As far from white as from the black of dark pages.
INK = "#777777"
# Colors that are told apart by people who see fewer of them, too.
PARTS = {"start and end": "#999999", "read": "#56b4e9", "compute": "#e69f00", "write": "#0072b2",
         "merge": "#cc79a7"}
OWN = "#009e73"
LINES = ["#0072b2", "#d55e00", "#009e73"]


def megapixels(size):
    width, height = map(int, size.split("x"))
    return width * height / 1e6


def write_seconds(axes, value, y):
    """Behind the end of a bar."""
    axes.annotate(f"{value:.2f} s", (value, y), (4, 0), textcoords="offset points", va="center",
                  color=INK)


def parts_of(summary):
    """The seconds of a call by part. What is computed while tiles travel costs nothing; where none
    travel, merging is computing."""
    if not summary["read"] + summary["write"]:
        rest = summary["call"] - summary["merge"]
        return dict.fromkeys(PARTS, 0.0) | {"start and end": rest, "compute": summary["merge"]}
    spent = {"read": summary["read"], "compute": summary["wait"], "write": summary["write"],
             "merge": summary.get("merge", 0.0)}
    rest = max(0.0, summary["call"] - sum(spent.values()))
    return {part: {"start and end": rest, **spent}[part] for part in PARTS}


def name_of(gimp):
    return gimp.replace("gimp-", "GIMP ")


def plain(axes, grid):
    """Takes from a panel what shows no number."""
    axes.set_facecolor("none")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(INK)
    axes.tick_params(which="both", colors=INK)
    axes.grid(axis=grid, color=INK, alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)


def draw_parts(axes, rows):
    """A bar of parts for each filter, and below it one for GIMP's own."""
    places, y = [], 0.0
    for summary in rows.values():
        left = 0.0
        for part, spent in parts_of(summary).items():
            if spent > 0.0:
                axes.barh(y, spent, 0.4, left, color=PARTS[part], label=part)
                left += spent
        write_seconds(axes, left, y)
        places.append(y)
        if summary["own"]:
            axes.barh(y + 0.4, summary["own"], 0.3, color=OWN, label="GIMP's own")
            write_seconds(axes, summary["own"], y + 0.4)
        y += 1.0
    axes.set_yticks(places, rows)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    plain(axes, "x")
    axes.tick_params(axis="y", length=0)


def draw_sizes(axes, sizes, filters):
    """A line for each filter, and a broken one for GIMP's own."""
    across = sorted(sizes, key=megapixels)
    for color, name in zip(LINES, filters, strict=False):
        for kind, style, words in (("call", "o-", name), ("own", "s--", f"{name}, GIMP's own")):
            values = [sizes[size][name][kind] for size in across]
            if all(values):
                axes.plot([megapixels(size) for size in across], values, style, color=color,
                          label=words, markersize=4, linewidth=1.5)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([megapixels(size) for size in across])
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x:.0f}"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda y, _: f"{y:g}"))
    plain(axes, "y")


def legend(figure, panels):
    """One for all panels, below them."""
    entries = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    figure.legend(entries.values(), entries.keys(), loc="upper center", bbox_to_anchor=(0.5, 0.03),
                  ncols=4, frameon=False, labelcolor=INK)


def chart(kind, found, filters):
    """The figure of one kind."""
    panels = len(found)
    if kind == "parts":
        sizes = {gimp: sizes[max(sizes, key=megapixels)] for gimp, sizes in found.items()}
        chosen = filters or list(next(iter(sizes.values())))
        figure, all_axes = pyplot.subplots(1, panels, squeeze=False, sharey=True,
                                           figsize=(1 + 3.6 * panels, 0.6 + 0.55 * len(chosen)))
        for axes, gimp in zip(all_axes[0], found, strict=True):
            draw_parts(axes, {name: sizes[gimp][name] for name in chosen})
            axes.set_xlabel("seconds", color=INK)
        for axes in all_axes[0][1:]:
            axes.invert_yaxis()  # shared: inverted for each of them
    else:
        chosen = filters or list(next(iter(next(iter(found.values())).values())))
        figure, all_axes = pyplot.subplots(1, panels, squeeze=False, sharey=True,
                                           figsize=(1 + 3.6 * panels, 3.6))
        for axes, gimp in zip(all_axes[0], found, strict=True):
            draw_sizes(axes, found[gimp], chosen)
            axes.set_xlabel("million pixels", color=INK)
        all_axes[0][0].set_ylabel("seconds", color=INK)
    for axes, gimp in zip(all_axes[0], found, strict=True):
        axes.set_title(name_of(gimp), color=INK, fontsize=10)
    figure.tight_layout()
    legend(figure, all_axes[0])
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["parts", "sizes"])
    parser.add_argument("numbers", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("filters", nargs="*", help="names; all in the numbers if there are none")
    options = parser.parse_args()
    figure = chart(options.kind, json.loads(options.numbers.read_text()), options.filters)
    figure.savefig(options.picture, format="svg", transparent=True, bbox_inches="tight",
                   metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
