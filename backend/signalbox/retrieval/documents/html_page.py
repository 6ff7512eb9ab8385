"""HTML as blocks. What a page carries around its article (navigation, forms, scripts) is left out."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from signalbox.retrieval.documents.blocks import (
    Block,
    ParsedDocument,
    Refusal,
    clean,
    one_line,
    stated_date,
    stated_title,
    stated_topics,
    stated_url,
)

_SKIPPED = frozenset(
    {
        *("script", "style", "noscript", "template", "svg", "math", "iframe", "object", "canvas", "video", "audio"),
        *("nav", "footer", "aside", "form", "button", "select", "dialog", "head", "title", "meta", "link"),
    }
)
_INLINE = frozenset(
    {
        *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd"),
        *("label", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    }
)
# Parsing by the standard takes time by the square of the depth, and no page that people read comes near this.
MAX_NESTING = 1_000
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Void, or closed by what follows.
_CLOSES_ITSELF = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"),
        *("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "optgroup", "colgroup"),
    }
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu"})
# An article that holds less than this share of the page's text is a teaser or a card, not the page.
_MAIN_SHARE = 0.3
_MAX_DEPTH = 6


def read_html(text: str) -> ParsedDocument | Refusal:
    """Any text is HTML to a browser, so only one nested out of all reason is refused; without text it has no blocks."""
    if _nesting(text) > MAX_NESTING:
        return Refusal(f"its HTML is nested more than {MAX_NESTING:,} deep")
    page = LexborHTMLParser(clean(text))
    root = _article(page)
    blocks = tuple(_Walk().blocks(root)) if root is not None else ()
    described = _meta(page)
    firsts = [block.text for block in blocks if block.kind == "heading" and block.level == 1]
    named = page.css_first("title")
    title = firsts[0] if len(firsts) == 1 else (named.text() if named is not None else "")
    canonical = page.css_first("link[rel=canonical]")
    stamped = page.css_first("time[datetime]")
    return ParsedDocument(
        blocks=blocks,
        title=stated_title(title),
        version=one_line(described.get("version", ""))[:80],
        published_on=stated_date(
            _first(described, "article:modified_time", "dcterms.modified", "last-modified", "article:published_time")
            or _first(described, "dcterms.date", "dc.date", "date")
            or (stamped.attributes.get("datetime") if stamped is not None else None)
        ),
        topics=stated_topics((described.get("keywords", ""),)),
        url=stated_url(canonical.attributes.get("href") if canonical is not None else None),
    )


def html_blocks(fragment: str) -> Iterator[Block]:
    """A piece of HTML inside another format."""
    if _nesting(fragment) > MAX_NESTING:
        if text := one_line(re.sub(r"<[^<>]*>", " ", fragment)):
            yield Block("paragraph", text)
        return
    body = LexborHTMLParser(fragment).body
    if body is not None:
        yield from _Walk().blocks(body)


def _nesting(text: str) -> int:
    """How deep the tags go, by counting alone."""
    depth = deepest = 0
    for closing, name in _TAG.findall(text):
        if name.lower() not in _CLOSES_ITSELF:
            depth = max(0, depth - 1) if closing else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _meta(page: LexborHTMLParser) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in page.css("meta[content]"):
        name = node.attributes.get("name") or node.attributes.get("property") or ""
        found.setdefault(name.casefold(), node.attributes.get("content") or "")
    return found


def _first(found: dict[str, str], *names: str) -> str:
    return next((found[name] for name in names if found.get(name)), "")


def _article(page: LexborHTMLParser) -> LexborNode | None:
    body = page.body
    if body is None:
        return None
    whole = len(body.text())
    for selector in ("main", "[role=main]", "article"):
        found = page.css(selector)
        if len(found) == 1 and len(found[0].text()) >= whole * _MAIN_SHARE:
            return found[0]
    return body


class _Walk:
    """One pass over a tree, with a stack of its own: pages nest deeper than Python's."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._out: list[Block] = []
        self._lists: list[str] = []
        self._counts: list[int] = []
        self._mark = ""

    def blocks(self, root: LexborNode) -> list[Block]:
        stack: list[tuple[LexborNode, bool]] = [(root, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                self._leave(node)
            elif self._enter(node):
                stack.append((node, True))
                child = node.last_child
                while child is not None:
                    stack.append((child, False))
                    child = child.prev
        self._flush()
        return self._out

    def _enter(self, node: LexborNode) -> bool:
        """Whether to go into its children."""
        tag = node.tag or ""
        if node.is_text_node:
            self._words.append(node.text(deep=False))
            return False
        if not node.is_element_node or tag in _SKIPPED or _is_hidden(node):
            return False
        if tag in _INLINE:
            return True
        if tag == "br":
            self._words.append(" ")
            return False
        self._flush()
        if tag in _HEADINGS or tag in {"pre", "tr"}:
            self._whole(node, tag)
            return False
        if tag in _LISTS:
            self._lists.append(tag)
            self._counts.append(0)
        elif tag == "li":
            self._mark = self._next_mark()
        return True

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _INLINE:
            return
        self._flush()
        if tag in _LISTS and self._lists:
            self._lists.pop()
            self._counts.pop()

    def _whole(self, node: LexborNode, tag: str) -> None:
        """A node that is one block."""
        if tag in _HEADINGS:
            text = one_line(node.text())
            if text:
                self._out.append(Block("heading", text, level=_HEADINGS[tag]))
        elif tag == "pre":
            if code := node.text().strip("\n").rstrip():
                self._out.append(Block("code", f"```\n{code}\n```"))
        else:
            self._row(node)

    def _row(self, node: LexborNode) -> None:
        cells = [child for child in node.iter() if child.tag in {"td", "th"}]
        texts = [one_line(cell.text(separator=" ")).replace("|", "/") for cell in cells]
        if not any(texts):
            return
        line = f"| {' | '.join(texts)} |"
        if all(cell.tag == "th" for cell in cells):
            self._out.append(Block("row", f"{line}\n|{' --- |' * len(texts)}"))
            return
        before = self._out[-1] if self._out and self._out[-1].kind == "row" else None
        if before is not None and before.text.endswith("--- |"):
            self._out[-1] = Block("row", line, lead=before.text)
        else:
            self._out.append(Block("row", line, lead=before.lead if before else ""))

    def _next_mark(self) -> str:
        depth = min(max(len(self._lists) - 1, 0), _MAX_DEPTH)
        if not self._lists or self._lists[-1] != "ol":
            return "  " * depth + "- "
        self._counts[-1] += 1
        return "  " * depth + f"{self._counts[-1]}. "

    def _flush(self) -> None:
        text = one_line("".join(self._words))
        self._words.clear()
        if not text:
            return
        if self._lists:
            # The second paragraph of an item has no mark of its own.
            indent = self._mark or "  " * min(len(self._lists), _MAX_DEPTH)
            self._out.append(Block("item", indent + text))
            self._mark = ""
        else:
            self._out.append(Block("paragraph", text))


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or attributes.get("aria-hidden") == "true"
