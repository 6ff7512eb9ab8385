"""What a model reads of a tool's outcome: a fixed form that says what may and what may not be concluded. Pure.

Three forms that look different from the first word on: FOUND, NOTHING FOUND, COULD NOT LOOK. A part is never told like
the whole, and no form but NOTHING FOUND holds a phrase that speaks of absence, whatever a source said of its trouble.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, assert_never

from signalbox.encoding import clean_text
from signalbox.tools.base import Effect
from signalbox.tools.result import KIND_WORDS, Empty, Err, ErrKind, Missed, Ok, Result, done_of

LONGEST_NOTE: Final = 300

# Phrases by which a reader takes something to be absent. A note about trouble that holds one is replaced.
ABSENCE: Final = re.compile(
    r"\b(?:no|zero|0|not any|none of)\s+(?:\w+\s+){0,3}?(?:results?|match(?:es)?|postings?|jobs?|vacanc(?:y|ies)|hits?|"
    r"roles?|openings?|records?|entr(?:y|ies)|rows?|passages?|compan(?:y|ies)|applications?|facts?|figures?|data|cv|"
    r"such|boards?)\b"
    r"|\bnothing\b|\bnone\b|\bnowhere\b|\bempty\b"
    r"|\b(?:not|never|n't)\s+(?:\w+\s+)?(?:found|exist(?:s|ing)?|available|listed|there|on record)\b"
    r"|\b(?:does|do|did)(?: not|n't)\s+(?:exist|have|hold|list)\b"
    r"|\bwithout (?:any )?(?:results?|match(?:es)?)\b|\bcould(?: not|n't) find\b|\bfound no\b",
    re.IGNORECASE,
)
_CONTROL: Final = re.compile(r"[\s\x00-\x1f\x7f]+")
_ACTING: Final[frozenset[Effect]] = frozenset({"idempotent", "non_idempotent", "irreversible"})
# Attributes that hold the things found, of values that are no collection themselves.
_LISTS: Final = ("hits", "passages", "companies", "rows", "counts")

_COULD_NOT: Final = (
    "Whether anything exists is unknown: make no claim about it either way, and give no advice that rests on an "
    "outcome of this look-up (such as to search more broadly). Say that you could not look, and why."
)
_NOT_DONE: Final[dict[ErrKind, str]] = {
    "rejected": "It was not done, because the user said no. Do not call that a failure, and do not do it another way.",
    "expired": "It was not done, because nobody approved it in time. Offer to ask again.",
}
_UNSURE: Final = (
    "Whether it was done is unknown: say exactly that, and that it could be checked where it would show. Claim neither "
    "that it was done nor that it was not."
)
_FAILED: Final = "It was not done: say exactly that, and why."
_NOTHING: Final = (
    "The look-up worked and covered all it should. You may say that nothing was found, of exactly what was looked for; "
    "say nothing about what lies outside of it."
)
_OF_CUT: Final = "FOUND, so many of more: say how many there are; never tell these as if they were all."
_OF_PART: Final = "FOUND IN PART: there may be more. Say that this is a part, and name what could not be asked."
_WHOLE: Final = "This is all there is of it. Use only what stands in the data."
_AGAIN: Final = {
    True: "The same call may work later.",
    False: "The same call will fail the same way: do not repeat it.",
}
_NOT_AGAIN: Final = "Do not call it again, nor do the same another way: it could be done twice."


def told(tool: str, result: Result[Any], data: str = "", *, effect: Effect = "read") -> str:
    """``result`` of ``tool`` as a model reads it. ``data`` is the value found, written out and fenced by the caller's
    rules already; it stands in the form of FOUND alone.
    """
    match result:
        case Ok():
            return _found(tool, result, data)
        case Empty(note, ()):
            return _form(tool, "NOTHING FOUND", [f"What was looked for: {_line(note)}", _NOTHING])
        case Empty(_, missed):
            return _failed(tool, Err("incomplete", "", missed=missed), effect)
        case Err():
            return _failed(tool, result, effect)
        case _:
            assert_never(result)


def headline(result: Result[Any]) -> str:  # noqa: PLR0911 - one return an outcome
    """The outcome in one line, without its data: for a list of all that was looked up."""
    match result:
        case Ok(missed=()):
            return f"FOUND, {amount(result)}" if amount(result) else "FOUND"
        case Ok(missed=missed):
            return f"FOUND IN PART; could not ask {_named(missed)}"
        case Empty(note, ()):
            return f"NOTHING FOUND ({_line(note)})"
        case Empty(_, missed):
            return f"COULD NOT LOOK EVERYWHERE; could not ask {_named(missed)}"
        case Err(kind, note, done="unknown"):
            return f"FAILED, OUTCOME UNKNOWN ({label(kind)}: {cause(kind, note)})"
        case Err(kind) if kind in _NOT_DONE:
            return f"NOT DONE ({KIND_WORDS[kind]})"
        case Err(kind, note, done="no"):
            return f"NOT DONE ({label(kind)}: {cause(kind, note)})"
        case Err(kind, note):
            return f"COULD NOT LOOK ({label(kind)}: {cause(kind, note)})"
        case _:
            assert_never(result)


def conclusions_of(results: Iterable[Result[Any]]) -> tuple[str, ...]:
    """What may be concluded from outcomes such as these, and what not, each once; nothing on what found all."""
    said: dict[str, None] = {}
    for result in results:
        match result:
            case Ok(truncated=False, missed=()):
                continue
            case Ok(missed=()):
                said.setdefault(_OF_CUT)
            case Ok():
                said.setdefault(_OF_PART)
            case Empty(_, ()):
                said.setdefault(f"NOTHING FOUND: {_NOTHING}")
            case Err(done="unknown"):
                said.setdefault(f"OUTCOME UNKNOWN: {_UNSURE}")
            case Err(kind) if kind in _NOT_DONE:
                said.setdefault(f"NOT DONE: {_NOT_DONE[kind]}")
            case Err(done="no"):
                said.setdefault(f"NOT DONE: {_FAILED}")
            case _:
                said.setdefault(f"COULD NOT LOOK: {_COULD_NOT}")
    return tuple(said)


def amount(result: Ok[Any]) -> str:
    """How much of it is there: "100 of 2,260", "more than 100", "7 in all"; "" where nothing was counted."""
    shown = shown_of(result.value)
    if result.truncated:
        if result.total is not None and shown is not None and result.total > shown:
            return f"{shown:,} of {result.total:,}"
        if shown is not None:
            return f"the first {shown:,}, and there are more"
        return f"a part of {result.total:,}" if result.total is not None else "only a part"
    return f"{result.total:,} in all" if result.total is not None else ""


def shown_of(value: Any) -> int | None:
    """How many things the value holds, if it holds several of a kind."""
    for each in (value, *(getattr(value, name, None) for name in _LISTS)):
        if isinstance(each, Sequence) and not isinstance(each, str | bytes):
            return len(each)
    return None


def cause(kind: ErrKind, note: str) -> str:
    """Why it could not be looked, in words that cannot be taken for an absence."""
    line = _line(note)
    words = KIND_WORDS.get(kind, "it failed")
    return words if not line or ABSENCE.search(line) else line


def label(kind: ErrKind) -> str:
    """The kind as a model reads it: one of them would sound like an absence."""
    return "wrong_address" if kind == "not_found" else kind


def _found(tool: str, result: Ok[Any], data: str) -> str:
    lines: list[str] = []
    if result.as_of is not None:
        lines.append(f"As of: {result.as_of.isoformat()}. Say so where it matters.")
    much = amount(result)
    if result.truncated:
        lines.append(f"Cut short: this is {much}. Say how many there are; never tell these as if they were all.")
    elif not result.missed:
        lines.append(f"{much[:1].upper()}{much[1:]}. {_WHOLE}" if much else _WHOLE)
    if result.missed:
        lines.append(
            f"Partial: could not ask {_named(result.missed)}. There may be more there: say that this is a part, name "
            "what could not be asked, and conclude only from what is here."
        )
    title = "FOUND" if not result.missed and not result.truncated else "FOUND A PART"
    return _form(tool, title, [*lines, *([f"<data>\n{data}\n</data>"] if data else [])])


def _failed(tool: str, err: Err, effect: Effect) -> str:
    acting = effect in _ACTING
    if acting and done_of(err) == "unknown":
        again = "The same call may be made again: the same thing is not done twice." if err.retryable else _NOT_AGAIN
        return _form(tool, f"FAILED ({label(err.kind)}), OUTCOME UNKNOWN", [_why(err), _UNSURE, again])
    if err.kind in _NOT_DONE:
        return _form(tool, f"NOT DONE ({err.kind})", [_NOT_DONE[err.kind], _why(err)])
    if err.kind == "invalid_arguments":
        title = "NOT CARRIED OUT (invalid_arguments)"
        rest = _FAILED if acting else _COULD_NOT
        return _form(tool, title, [f"What is wrong: {_why(err)}", "Mend the arguments and call again.", rest])
    if acting:
        return _form(tool, f"NOT DONE ({label(err.kind)})", [_why(err), _FAILED, _AGAIN[err.retryable]])
    if err.kind == "incomplete":
        return _form(tool, "COULD NOT LOOK EVERYWHERE", [_why(err), _COULD_NOT, _AGAIN[err.retryable]])
    return _form(tool, f"COULD NOT LOOK ({label(err.kind)})", [_why(err), _COULD_NOT, _AGAIN[err.retryable]])


def _why(err: Err) -> str:
    if err.missed:
        return f"Could not ask {_named(err.missed)}."
    return f"{cause(err.kind, err.note)}."


def _named(missed: Sequence[Missed]) -> str:
    return "; ".join(f"{_line(each.source)} ({cause(each.kind, each.note)})" for each in missed)


def _form(tool: str, title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"[{title}: {tool}]", *filter(None, lines)])


def _line(text: str) -> str:
    """One line of bounded length that cannot pass for a form of its own."""
    return _CONTROL.sub(" ", clean_text(text)).replace("[", "(").replace("]", ")").strip()[:LONGEST_NOTE]
