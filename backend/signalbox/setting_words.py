"""How a refused setting is told: what is wrong with it, and what may stand there instead."""

from collections.abc import Mapping
from typing import Final

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from signalbox.errors import said_by_check

# In our words, where the library's speak of strings and parsing.
_WORDS: Final[Mapping[str, str]] = {
    "int_parsing": "is not a whole number",
    "int_from_float": "is not a whole number",
    "int_parsing_size": "is not a whole number of a sensible size",
    "float_parsing": "is not a number",
    "finite_number": "is not a finite number",
    "bool_parsing": "is neither true nor false",
}


def wrong(detail: ErrorDetails) -> str:
    return _WORDS.get(detail["type"]) or said_by_check(detail["msg"])


def expected(field: FieldInfo) -> str:
    least = _bound(field, {"ge": "from", "gt": "above"})
    most = _bound(field, {"le": "to", "lt": "below"})
    if least.startswith("above") and most:
        return f"a number {least} and up {most}"
    if least or most:
        return " ".join(filter(None, ("a number", least, most)))
    if field.annotation is bool:
        return "true or false"
    return "another value"


def _bound(field: FieldInfo, words: Mapping[str, str]) -> str:
    """How the field is bounded on one side; empty where it is not."""
    named = ((word, getattr(rule, key)) for rule in field.metadata for key, word in words.items() if hasattr(rule, key))
    return next((f"{word} {bound:.12g}" for word, bound in named), "")
