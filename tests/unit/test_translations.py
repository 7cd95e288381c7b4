# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The translations are complete, fit their texts, and look like the language that they are in."""
import ast
import re
import subprocess
import xml.etree.ElementTree

import pytest

import catalogs
from catalogs import LANGUAGES, ROOT

ALL = pytest.mark.parametrize("language", LANGUAGES)
CJK = ("ja", "zh_CN")

# The labels that the dialog of every filter has beside those of its parameters, and those of other windows.
DIALOG_LABELS = ["_OK", "_Cancel", "_Reset", "_Help", "_Preview", "Pre_sets"]
WINDOWS = {"save a preset": ["_Name", "_OK", "_Cancel"], "statistics": ["Co_py", "_Save…", "_Close"]}
# The parameters that several filters share.
SHARED_PARAMS = {"border_param": "gpu/core/border.hpp", "light_param": "gpu/core/trc.hpp"}
# The widgets of parameters that have labels of their own.
WIDGETS = {"chain": ["chain_widget", "text_expander"], "convolution_matrix": ["text_expander"],
           "richardson_lucy": ["text_expander"]}

# A text that ends in one of these has a translation that does.
ENDS = {"…": ("…", "..."), ".": (".", "。"), ":": (":", "："), "?": ("?", "？"), "\n": ("\n",)}

# What a translation may leave as it is: texts that are the same in every language, or in this one.
SAME = {"%.4g%%", "%s (%s)", "%s (CUDA)", "px"}
SAME_IN = {
    "de": {"Alpha", "Filter", "Linear", "Ma_trix", "Median", "Oper_ation", "Ra_dius", "Radius _X", "Radius _Y", "Ring", "Text",
           "Transparent", "_Alpha", "_Interpolation", "_Matrix", "_Name", "_Norm", "_OK"},
    "es": {"Gamma", "Manual", "_Divisor", "_Factor", "_Gamma (CUDA)…", "no"},
    "fr": {"Alpha", "Diffusion", "Gamma", "Grain", "Image", "Luminance", "Machine", "Maximum",
           "Minimum", "Page", "Photo", "Pixels", "Portrait", "Transparent", "_Diffusion (CUDA)…", "_Distance", "_Gamma",
           "_Gamma (CUDA)…", "_Guide", "_Interpolation", "gain"},
    "it": {"Formula", "Gamma", "_Formula", "_Gamma", "_Gamma (CUDA)…", "_OK", "no"},
    "ru": {"_OK"},
}
# English words that none of the languages has.
ENGLISH = r"\b(the|of|and|with|which|from|this|that|what|layers?|images?'s)\b"
# Words in Latin letters of texts in others: names, units, and what people write.
LATIN = r"""
    1D 3D abs Alsam Alt Alvarez atan Aubry Aurich aux Barnes Bruce Buades Canny Chakravarty CLAHE clamp Coll cos CPU cpu CSV
    cube CUDA[\w-]* Davis Delete Donoho exp Finkelstein floor Gao GEGL GiB GIMP Goldman Gorskii GPUs? GUI Hakalahti Hald Harwood Hasinoff
    He Help Holschneider HTML hypot Image Irani ISO Johnstone Kautz KiB Kol(ås)? Kronland-Martinet Lanczos libpng Lions log
    LUT_[13]D_SIZE Lucy Manduchi max MiB min Mitchell mix Morel Morlet Murtagh ns NVIDIA OK Os Paris PatchMatch PNG Potmesil Prokudin
    px random RGBA? Richardson(-Lucy)? Rivertz round RUN-NONINTERACTIVE Script-Fu seed Serra Shechtman sin smoothstep Sobel sqrt Starck step
    Subbarao Sun tan Tang Tchamitchian Thom Tomasi Tukey van Weule Wexler White WIRE Zuiderveld
""".split() + re.findall(r'\.name = "([\w-]+)",\n *\.label = N_',
                        "".join(path.read_text() for path in sorted((ROOT / "gpu/filters").glob("*.hpp"))))


def problems(language, wrong):
    """The messages of a language of which `wrong(message)` is true, to be read."""
    return [f"{message.msgid!r}: {message.msgstr!r}" for message in catalogs.catalog(language)
            if wrong(message)]


@ALL
def test_complete(language):
    """Every text has a translation, none is doubtful, and none is left of a text that is gone."""
    translated = {m.msgid for m in catalogs.catalog(language) if m.msgstr and not m.obsolete}
    wanted = {message.msgid for message in catalogs.source()}
    assert sorted(wanted - translated) == []
    assert sorted({m.msgid for m in catalogs.catalog(language)} - wanted) == []
    assert problems(language, lambda message: "fuzzy" in message.flags or message.obsolete) == []


@ALL
def test_format(language):
    """msgfmt accepts the catalog, and every number and name is in its place."""
    subprocess.run(["msgfmt", "--check-format", "--check-domain", "-o", "/dev/null",
                    ROOT / f"po/{language}.po"], check=True)

    def places(text):
        found = re.findall(r"%(\d+\$)?[-+#0]*\d*(?:\.\d+)?(h{1,2}|l{1,2}|z)?([diouxXeEfgGcs%])", text)
        if any(position for position, _, _ in found):
            return [what for what in sorted(found, key=lambda what: int(what[0].rstrip("$")))]
        return found

    def differs(message):
        return [what[1:] for what in places(message.msgid)] != [what[1:] for what in places(message.msgstr)]
    assert problems(language, differs) == []


@ALL
def test_ends(language):
    """A translation ends as its text does: with an ellipsis, a stop, a colon, or none of them."""
    def end(text):
        return next((own for own, all_of_them in ENDS.items() if text.endswith(all_of_them)), "")
    assert problems(language, lambda m: end(m.msgid) != end(m.msgstr)
                    or m.msgid[0].isspace() != m.msgstr[0].isspace()
                    or m.msgid[-1].isspace() != m.msgstr[-1].isspace()) == []


@ALL
def test_menu_paths(language):
    """The path of a menu has as many parts, and GIMP's own beginning."""
    assert problems(language, lambda m: m.msgid.startswith("<Image>/") and (
        not m.msgstr.startswith("<Image>/") or m.msgstr.count("/") != m.msgid.count("/"))) == []


@ALL
def test_parameters_in_messages(language):
    """Names of parameters stand in quotation marks by which dialogs know them, and show their labels."""
    listed = re.search(r"mark :\s*\{(.*?)\}\)", (ROOT / "plugin/names.hpp").read_text(), re.S).group(1)
    marks = ast.literal_eval(f"[{listed}]")
    assert "»" in marks

    def loses_one(message):
        return any(not any(mark + name in message.msgstr for mark in marks)
                   for name in re.findall(r"'([a-z]+(?:-[a-z]+)*)'", message.msgid))
    assert problems(language, loses_one) == []


@ALL
def test_is_in_the_language(language):
    """Nothing was left in English, or in the quotation marks of C."""
    same = SAME | SAME_IN.get(language, set())
    assert problems(language, lambda m: m.msgid == m.msgstr and m.msgid not in same) == []
    assert sorted(same - {message.msgid for message in catalogs.source()}) == []
    assert problems(language, lambda m: re.search(ENGLISH, _prose(m.msgstr))) == []
    assert problems(language, lambda m: re.search(r"'[^' ]+'", m.msgstr)) == []
    if language in (*CJK, "ru"):
        assert problems(language, lambda m: _latin_words(m)) == []


def _prose(text):
    """A text without what people type: names with hyphens or underscores, key=value, and paths."""
    return re.sub(r"<Image>\S*|\S*[a-z0-9]-[a-z]\S*|\S*=\S*|[A-Z]+_\w+|%[\d.$]*z?\w|[»«“”‘’「」]\w+[»«“”‘’「」]|"
                  r"\(_\w\)", " ", text)


def _latin_words(message):
    """The words of a translation in other letters that its text has, too, and that are no names."""
    text = _prose(message.msgstr).replace("_", "")
    return [word for word in re.findall(r"[A-Za-z]{3,}(?:-[A-Za-z]+)*", text)
            if word in message.msgid and not any(re.fullmatch(name, word) for name in LATIN)]


def _letter(label):
    """The letter that Alt picks."""
    found = re.findall(r"_(\w)", label)
    assert len(found) == 1 and label.count("_") == 1, f"not one mnemonic: {label!r}"
    return found[0].upper()


def _has_mnemonic(message):
    return re.search(r"(^|[^\w])_\w|\w_\w", message.msgid) and not re.search(r"[A-Z]_[A-Z]", message.msgid)


def _menus():
    """The entries of each category's menu."""
    entries = {}
    for path in ROOT / "plugin/run.hpp", *sorted((ROOT / "gpu/filters").glob("*.hpp")):
        texts = r'\.label = N_\("([^"]*\(CUDA\)…?|CUDA [^"]*…)"\),.*?\.category = Category::(\w+)'
        for label, category in re.findall(texts, path.read_text(), re.DOTALL):
            entries.setdefault(f"menu of {category}", []).append(label)
    return entries


def _labels(path):
    """The labels with a mnemonic in a source, without those of menus."""
    return [message.msgid for message in catalogs.source() if _has_mnemonic(message)
            and any(place.rpartition(":")[0] == path for place in message.places)
            and not message.msgid.endswith(("…", "(CUDA)"))]


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_mnemonics(language):
    """Every label that has a mnemonic has one in translation, and each its own within a dialog or menu."""
    texts = catalogs.translations(language)
    for message in catalogs.source():
        label = texts.get(message.msgid, "")
        if _has_mnemonic(message):
            assert _letter(label)
            assert language not in CJK or re.search(r"\(_[A-Z0-9]\)|^_[A-Z]+$", label), f"not GIMP's way: {label!r}"
    windows = {**WINDOWS, **_menus(), "of no filter": DIALOG_LABELS}
    for header in sorted((ROOT / "gpu/filters").glob("*.hpp")):
        windows[header.stem] = DIALOG_LABELS + _labels(str(header.relative_to(ROOT))) + [
            label for function, shared in SHARED_PARAMS.items() if function in header.read_text()
            for label in _labels(shared)[:1]]
    for window, widgets in WIDGETS.items():
        windows[window] += [label for widget in widgets for label in _labels(f"plugin/dialog/{widget}.cpp")]
    clashes = []
    for window, labels in windows.items():
        letters = {}
        for label in labels:
            letters.setdefault(_letter(texts[label]), []).append(texts[label])
        clashes += [f"{window}: {letter}: {same}" for letter, same in letters.items() if len(same) > 1]
    assert clashes == []


@ALL
def test_metainfo(language):
    """What software centers show of the plug-in is in the language, too."""
    path = next((ROOT / "data").glob("*.metainfo.xml"))
    component = xml.etree.ElementTree.parse(path).getroot()
    lang = "{http://www.w3.org/XML/1998/namespace}lang"
    for tag in ("name", "summary", "description/p"):
        english = [" ".join(each.text.split()) for each in component.findall(tag) if lang not in each.attrib]
        ours = [" ".join(each.text.split()) for each in component.findall(tag)
                if each.get(lang) == language.replace("_", "-")]
        assert len(ours) == len(english) > 0 and not set(ours) & set(english), tag
