# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The texts of the sources, and their translations: po/POTFILES and po/*.po."""
import ast
import functools
import pathlib
import re
import subprocess
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = (ROOT / "po/LINGUAS").read_text().split()


@dataclass
class Message:
    """One entry of a catalog; `places` are the lines of the sources, as path:number."""

    msgid: str = ""
    msgstr: str = ""
    flags: set = field(default_factory=set)
    places: list = field(default_factory=list)
    obsolete: bool = False


def parse(text):
    """The entries of a catalog, without its header."""
    messages = []
    for block in re.split(r"\n{2,}", text.strip()):
        message, parts = Message(), {}
        for line in block.split("\n"):
            message.obsolete |= line.startswith("#~")
            line = line.removeprefix("#~").strip()
            if line.startswith("#,"):
                message.flags |= {flag.strip() for flag in line[2:].split(",")}
            elif line.startswith("#:"):
                message.places += line[2:].split()
            elif match := re.fullmatch(r'(?:(msg\w+) )?(".*")', line):
                key = match.group(1) or key
                assert match.group(1) is None or key not in parts, f"no empty line before: {line}"
                parts[key] = parts.get(key, "") + ast.literal_eval(match.group(2))
        assert set(parts) <= {"msgid", "msgstr"}, f"contexts and plurals are not read here: {block}"
        message.msgid, message.msgstr = parts.get("msgid", ""), parts.get("msgstr", "")
        if message.msgid:
            messages.append(message)
    return messages


@functools.cache
def catalog(language):
    """The entries of po/LANGUAGE.po."""
    return parse((ROOT / f"po/{language}.po").read_text())


@functools.cache
def source():
    """The texts that xgettext finds in the sources, as the build calls it."""
    options = re.findall(r"'(--[^']+)'", (ROOT / "po/meson.build").read_text())
    done = subprocess.run(["xgettext", *options, "--files-from=po/POTFILES", "--output=-"], cwd=ROOT,
                          check=True, capture_output=True, text=True)
    return parse(done.stdout)


def translations(language):
    """The translations by their texts; English is what the sources say."""
    if language == "en":
        return {message.msgid: message.msgid for message in source()}
    return {message.msgid: message.msgstr for message in catalog(language)}
