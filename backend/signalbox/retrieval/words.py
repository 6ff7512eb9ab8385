"""Word lists of the query reader, kept as data: long, dull and better edited there than in code."""

import json
from importlib import resources


def word_list(name: str) -> frozenset[str]:
    """A named list of ``words.json``, whose lines hold words separated by blanks."""
    text = (resources.files("signalbox.data") / "words.json").read_text(encoding="utf-8")
    return frozenset(" ".join(json.loads(text)[name]).split())
