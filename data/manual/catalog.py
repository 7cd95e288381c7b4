# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Translations, from the files that gettext compiles."""
import ast
import re

_LINE = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?)?\s*(".*")$')


def translations(path):
    """The texts of a .po file that are translated, and what they are in its language."""
    found, entry, field, fuzzy = {}, {}, "", False
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        line = line.strip()
        if line.startswith("#"):
            fuzzy = fuzzy or line.startswith("#,") and "fuzzy" in line
        elif match := _LINE.match(line):
            field = match.group(1) or field
            entry[field] = entry.get(field, "") + ast.literal_eval(match.group(2))
        elif not line:
            if entry.get("msgid") and entry.get("msgstr") and not fuzzy:
                found[entry["msgid"]] = entry["msgstr"]
            entry, field, fuzzy = {}, "", False
    return found


def languages(folder):
    """The translations of each language that po/LINGUAS lists; English needs none."""
    names = re.sub(r"#.*", "", (folder / "LINGUAS").read_text(encoding="utf-8")).split()
    return {"en": {}} | {name: translations(folder / f"{name}.po") for name in names}
