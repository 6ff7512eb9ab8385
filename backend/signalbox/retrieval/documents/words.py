"""Text as full text search reads it: the same for passages and questions, so that both meet in the same lexemes."""

import re

# Names whose marks the parser of PostgreSQL would drop.
_NAMES = (
    (re.compile(r"\bc\+\+", re.IGNORECASE), "cplusplus"),
    (re.compile(r"\bc#", re.IGNORECASE), "csharp"),
    (re.compile(r"\bf#", re.IGNORECASE), "fsharp"),
    (re.compile(r"(?<!\w)\.net\b", re.IGNORECASE), "dotnet"),
)
_OTHER = re.compile(r"[\W_]+")


def searchable(text: str) -> str:
    """Only words and blanks. "node.js" and "node js" are the same, "C++" and "C" are not."""
    for pattern, name in _NAMES:
        text = pattern.sub(f" {name} ", text)
    return _OTHER.sub(" ", text).strip()
