# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Pages as HTML, by page.html, and as Markdown."""
import html
import pathlib
import re
import string

from pages import Code, Heading, Link, Mono, Paragraph, Pictures, Table

_TEMPLATE = string.Template(pathlib.Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
DOCUMENTS = ("performance", "tolerances")  # of docs, to which pages refer


def _html_inline(parts):
    text = ""
    for part in parts:
        if isinstance(part, Mono):
            text += f"<code>{html.escape(part.text, quote=False)}</code>"
        elif isinstance(part, Link):
            text += f'<a href="{part.page}.html">{html.escape(part.text, quote=False)}</a>'
        else:
            text += html.escape(part, quote=False)
    return text


def _html_table(table):
    cells = "".join(f"<th>{html.escape(text, quote=False)}</th>" for text in table.head)
    rows = [f"<tr>{cells}</tr>"] if table.head else []
    rows += ["<tr>" + "".join(f"<td>{_html_inline(cell)}</td>" for cell in row) + "</tr>" for row in table.rows]
    return "<table>\n" + "\n".join(rows) + "\n</table>"


def _html_block(block):
    if isinstance(block, Heading):
        return f"<h{block.level}>{html.escape(block.text, quote=False)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f'<p{" class=lead" if block.lead else ""}>{_html_inline(block.parts)}</p>'
    if isinstance(block, Code):
        return f"<pre><code>{html.escape(block.text, quote=False)}</code></pre>"
    if isinstance(block, Table):
        return _html_table(block)
    assert isinstance(block, Pictures)
    figures = "".join(f'<figure><img src="../pictures/{name}.png" alt="{html.escape(text)}">'
                      f"<figcaption>{html.escape(text, quote=False)}</figcaption></figure>"
                      for name, text in block.pictures)
    return f'<div class="pictures">{figures}</div>'


def as_html(page, language, index_title, languages):
    """A page as HTML. `languages`: those in which the same page exists."""
    others = " · ".join(f'<a href="../{other}/{page.name}.html" lang="{_tag(other)}">{other}</a>'
                        for other in languages if other != language)
    return _TEMPLATE.substitute(
        language=_tag(language), title=html.escape(page.title, quote=False),
        index_title=html.escape(index_title, quote=False), others=others,
        body="\n".join(map(_html_block, page.blocks)))


def document_as_html(name, text, language, index_title):
    """A document of docs as it is, which is text that reads well."""
    title = re.match(r"# (.*)", text).group(1)
    return _TEMPLATE.substitute(
        language=_tag(language), title=html.escape(title, quote=False), others="", name=name,
        index_title=html.escape(index_title, quote=False),
        body=f'<pre class="document">{html.escape(text, quote=False)}</pre>')


def _tag(language):
    """A language as HTML names it."""
    return language.replace("_", "-")


def _markdown_text(text):
    return re.sub(r"([\\*_`|<\[\]])", r"\\\1", text)


def _markdown_inline(parts):
    text = ""
    for part in parts:
        if isinstance(part, Mono):
            text += "`" + part.text.replace("|", r"\|") + "`"
        elif isinstance(part, Link):
            folder = "../" if part.page in DOCUMENTS else ""
            text += f"[{_markdown_text(part.text)}]({folder}{part.page}.md)"
        else:
            text += _markdown_text(part)
    return text


def _markdown_row(cells):
    return "| " + " | ".join(cells) + " |"


def _markdown_block(block):
    if isinstance(block, Heading):
        return "#" * block.level + " " + _markdown_text(block.text)
    if isinstance(block, Paragraph):
        return _markdown_inline(block.parts)
    if isinstance(block, Code):
        return f"```{block.language}\n{block.text}\n```"
    if isinstance(block, Table):
        width = len(block.rows[0])
        head = [_markdown_text(text) for text in block.head] or [""] * width
        rows = [_markdown_row(map(_markdown_inline, row)) for row in block.rows]
        return "\n".join([_markdown_row(head), _markdown_row(["---"] * width), *rows])
    assert isinstance(block, Pictures)
    return "\n".join([
        _markdown_row(_markdown_text(text) for _, text in block.pictures),
        _markdown_row(["---"] * len(block.pictures)),
        _markdown_row(f"![{_markdown_text(text)}](pictures/{name}.jpg)" for name, text in block.pictures)])


def as_markdown(page):
    """A page as Markdown, which says where it comes from."""
    made = "<!-- Made by data/manual/generate.py; change what it reads, and call it again. -->"
    home = "" if page.name == "index" else "[CUDA Filters: Manual](index.md)\n\n"
    body = "\n\n".join(map(_markdown_block, page.blocks))
    return f"{made}\n# {_markdown_text(page.title)}\n\n{home}{body}\n"
