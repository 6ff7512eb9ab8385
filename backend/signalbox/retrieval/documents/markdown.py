"""Markdown as blocks: headings, paragraphs, list items, code and table rows, with front matter.

It reads Markdown as sites keep it, so MDX imports, components, Liquid tags and raw HTML are noise, not errors.
"""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from signalbox.retrieval.documents.blocks import (
    Block,
    ParsedDocument,
    clean,
    one_line,
    stated_date,
    stated_title,
    stated_topics,
    stated_url,
)
from signalbox.retrieval.documents.html_page import html_blocks

_FRONT = re.compile(r"\s*---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_CLOSED_BY = {"[": "]", "{": "}"}
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_MODULE_LINE = re.compile(
    r"(?:import\s+(?:[\w*{][^'\"]{0,200}\s+from\s+)?['\"].{1,300}['\"]|import\s*\{[^}'\"]{0,300}$|export\s+(?:default|const|let|function)\b)"
)
_NOISE = re.compile(
    r"(?P<code>``[^`\n]{1,500}``|`[^`\n]{1,500}`)"
    r"|\{/\*.{0,2000}?\*/\}|\{%.{0,500}?%\}|\{\{.{0,500}?\}\}|\{[#:][^}\n]{1,200}\}"
    # A component, not the "<String>" of "List<String>".
    r"|(?<![\w)])</?[A-Z][\w.]{0,60}(?:\s[^<>]{0,1000})?/?>",
    re.DOTALL,
)
_ADMONITION = re.compile(r"[ ]{0,3}:::+[ \t]*\w*[ \t]*(.*)$")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def read_markdown(text: str) -> ParsedDocument:
    """Any text is Markdown, so this never fails. A front matter that is not closed is text."""
    text = clean(text)
    front = _FRONT.match(text)
    fields = _front_matter(front[1]) if front else {}
    body = text[front.end() :] if front else text
    tree = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(_without_noise(body)))

    def stated(*names: str) -> str:
        return next((fields[name][0] for name in names if fields.get(name)), "")

    return ParsedDocument(
        blocks=tuple(_blocks(tree)),
        title=stated_title(stated("title")),
        version=one_line(stated("version"))[:80],
        published_on=stated_date(stated("date", "updated", "last_updated", "published")),
        topics=stated_topics(fields.get("topics") or fields.get("tags") or fields.get("keywords") or ()),
        url=stated_url(stated("url", "canonical_url", "source_url")),
    )


def _front_matter(text: str) -> dict[str, list[str]]:
    """Keys with their values. Read by lines, since much front matter is not YAML: "title: Pay: what to ask"."""
    fields: dict[str, list[str]] = {}
    key = ""
    for line in text.split("\n"):
        if match := _KEY.match(line):
            key = match[1].casefold()
            fields[key] = [match[2] or ""]
        elif key and line.strip() and not line.lstrip().startswith("#"):
            # A list item, or a value that goes on; one is told from the other by its dash.
            entry = line.strip()
            joins = "\n" if entry.startswith("- ") else " "
            fields[key][0] += joins + entry.removeprefix("- ")
    return {key: _values(value[0]) for key, value in fields.items()}


def _values(text: str) -> list[str]:
    text = text.strip()
    if (opened := text[:1]) in _CLOSED_BY and _CLOSED_BY[opened] not in text:
        return []  # broken off in the middle: no value of anything
    if text.startswith("[") and text.endswith("]"):
        parts = text[1:-1].split(",")
    elif "\n" in text:
        parts = text.split("\n")
    else:
        parts = [re.sub(r"^[>|][+-]?\s+", "", text)]
    return [value for part in parts if (value := part.strip().strip("\"'").strip())]


def _without_noise(text: str) -> str:
    """Without what a site's generator would have eaten; code blocks stay as they are."""
    kept: list[str] = []
    prose: list[str] = []
    fence = ""

    def flush() -> None:
        kept.append(_NOISE.sub(lambda match: match["code"] or "", "\n".join(prose)))
        prose.clear()

    in_module = False
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        if fence:
            kept.append(line)
            if opening and opening[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif opening:
            flush()
            kept.append(line)
            fence = opening[1]
        elif in_module or _MODULE_LINE.match(line):
            # An export may run over several lines; a blank one ends it.
            in_module = bool(line.strip()) and not line.rstrip().endswith(";")
            prose.append("")
        else:
            prose.append(_ADMONITION.sub(r"\1", line))
    flush()
    return "\n".join(kept)


def _blocks(node: SyntaxTreeNode) -> Iterator[Block]:
    for child in node.children:
        match child.type:
            case "heading":
                yield Block("heading", _inline(child), level=int(child.tag[1]))
            case "paragraph":
                yield Block("paragraph", _inline(child))
            case "bullet_list" | "ordered_list":
                yield from (Block("item", text) for text in _items(child))
            case "fence" | "code_block":
                yield Block("code", _code(child))
            case "table":
                yield from _rows(child)
            case "html_block":
                yield from html_blocks(child.content)
            case "blockquote":
                yield from _blocks(child)
            case _:
                pass


def _items(node: SyntaxTreeNode) -> Iterator[str]:
    """Each item of a list with all that is nested in it."""
    number = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
    for offset, child in enumerate(node.children):
        mark = f"{number + offset}." if node.type == "ordered_list" else "-"
        parts = list(_item_parts(child))
        indent = " " * (len(mark) + 1)
        lines = "\n".join(parts).split("\n")
        if any(line.strip() for line in lines):
            yield "\n".join([f"{mark} {lines[0]}", *(indent + line for line in lines[1:])])


def _item_parts(node: SyntaxTreeNode) -> Iterator[str]:
    for child in node.children:
        if child.type in {"bullet_list", "ordered_list"}:
            yield from _items(child)
        else:
            yield from (block.text for block in _blocks_of(child))


def _blocks_of(child: SyntaxTreeNode) -> Iterator[Block]:
    """The blocks of one node that is not a list."""
    if child.type in {"paragraph", "heading"}:
        yield Block("paragraph", _inline(child))
    elif child.type in {"fence", "code_block"}:
        yield Block("code", _code(child))
    elif child.type == "html_block":
        yield from html_blocks(child.content)
    else:
        yield from _blocks(child)


def _code(node: SyntaxTreeNode) -> str:
    fence = "````" if "```" in node.content else "```"
    return f"{fence}{one_line(node.info).split(' ')[0]}\n{node.content.rstrip()}\n{fence}"


def _rows(table: SyntaxTreeNode) -> Iterator[Block]:
    rows = [row for part in table.children for row in part.children]
    texts = ["| " + " | ".join(_inline(cell).replace("|", "/") for cell in row.children) + " |" for row in rows]
    if not texts:
        return
    lead = f"{texts[0]}\n|{' --- |' * len(rows[0].children)}"
    if len(texts) == 1:
        yield Block("row", lead)
    for text in texts[1:]:
        yield Block("row", text, lead=lead)


def _inline(node: SyntaxTreeNode) -> str:
    """The words of a paragraph: links and emphasis are read, not shown."""
    return one_line("".join(_words(node)))


def _words(node: SyntaxTreeNode) -> Iterator[str]:
    for child in node.children:
        match child.type:
            case "text":
                yield child.content
            case "code_inline":
                yield f"`{child.content}`"
            case "softbreak" | "hardbreak":
                yield " "
            case "image":
                yield child.content
            case "html_inline":
                yield " " if _BREAK.match(child.content) else ""
            case _:
                yield from _words(child)
