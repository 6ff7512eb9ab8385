"""Lasting facts in what a user just said, as a model finds them: what it is asked, and what of its answer is accepted.

The model proposes; nothing it writes is believed. Each operation has to quote the user's own words of this message, and
its value has to stand in them. What rules have stored already stays theirs. Pure but for asking the model.
"""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from signalbox.blocks import ProfileFact
from signalbox.errors import SignalboxError
from signalbox.llm.base import ChatMessage, Judging, Model, ModelRequest, read_whole
from signalbox.llm.prompts import Prompt, load
from signalbox.memory.contact_data import find_contact_data, without_contact_data
from signalbox.memory.fencing import fenced
from signalbox.memory.forgetting import removals
from signalbox.memory.lifting import lifted
from signalbox.memory.own_words import own_sentences
from signalbox.memory.profile import SINGLE, Kind, NewFact
from signalbox.memory.profile_values import CODES, KEYS, NUMBERS, checked_value
from signalbox.memory.restating import restated, states_anew
from signalbox.memory.sameness import says_same
from signalbox.memory.words import NUMBER, number_of, words_in

logger = structlog.get_logger(__name__)

PATIENCE_S: Final = 45.0
MOST_TOKENS: Final = 700
MOST_OPERATIONS: Final = 5
MOST_KNOWN: Final = 80
# What a model is less sure of is not worth remembering.
LEAST_CONFIDENCE: Final = 0.6
_LEAST_WORDS: Final = 4
_LEAST_QUOTE: Final = 2

_OBJECT: Final = re.compile(r"\{.*\}", re.DOTALL)
_WRITER: Final = re.compile(r"(?<!\w)(?:i|i'(?:m|ve|d|ll)|im|ive|id|my|mine|me|myself|we|our|us)(?!\w)", re.IGNORECASE)
# "Find me a job" says nothing of its writer.
_ERRAND: Final = re.compile(
    r"(?:^|[,;:]|\b(?:please|pls|you|and|then|to))\s*(?:find|show|tell|give|send|help|get|write|draft) me\b",
    re.IGNORECASE,
)
_FIRM: Final = re.compile(
    r"\b(?:must|never|only|cannot|can'?t|won'?t|will not|refuse|at least|minimum|nothing (?:under|below|less)|"
    r"no more than|at most|need|needs|has to|have to|insist\w*|not|don'?t|no)\b",
    re.IGNORECASE,
)
# Words without which a coded value cannot have been said.
_SPOKEN_OF: Final = {
    "remote": r"remote\w*|from home|home office|wfh|office|on[- ]?site|hybrid|in person",
    "relocation": r"relocat\w*|mov(?:e|ing)|abroad",
    "seniority": (
        r"intern\w*|juniors?|entry|graduate|mid\w*|senior\w*|lead\w*|principal|staff|head|director|executive|levels?"
    ),
    "office_days": r"days?|office",
    "currency": r"usd|eur\w*|gbp|dollars?|pounds?|[$£€]|chf|inr|rupees?|francs?",
}
_FIGURE: Final = re.compile(
    r"(?P<digits>\d{1,3}(?:[,. ]\d{3})+|\d+)(?:\.\d+)?\s?(?P<kilo>k\b|thousand\b)?", re.IGNORECASE
)
_NUMBER_WORD: Final = re.compile(rf"\b{NUMBER}\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+(?:[+#]+)?")
_NO_CONTENT: Final = words_in(
    """a an the and or of to in on at for with from by as is are was were be been am have has had do does did i my me
    we our they their them he she it its this that very really also not no user would will can who"""
)
_NOT_SO: Final = re.compile(
    r"\b(?:no longer|not any ?more|any ?more|n't|not|never|stopped|quit|left|gave up|given up|finished|forget|"
    r"changed my mind|over|instead|used to|actually|wrong|former\w*|now)\b|n't\b",
    re.IGNORECASE,
)
# A note's words are the model's; a name has to stand there whole.
_NOTE_SHARE: Final = 0.6

Action = Literal["ADD", "UPDATE", "DELETE", "NOOP"]


class Operation(BaseModel):
    """One proposal. ``id`` names a known fact for UPDATE and DELETE."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    action: Action
    id: str | None = None
    kind: Kind = "fact"
    key: str = "note"
    value: str = ""
    quote: str = ""
    confidence: float = Field(default=0.0, ge=0, le=1)


@dataclass(frozen=True, slots=True)
class Learned:
    """What was accepted: facts to add, known ones (by their ids) to replace or retire; and why others were not."""

    add: tuple[NewFact, ...] = ()
    replace: tuple[tuple[str, NewFact | None], ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        return bool(self.add or self.replace)


def tells_of_writer(message: str) -> tuple[str, ...]:
    """The sentences of ``message`` in which its writer speaks of themselves: nothing pasted, quoted or asked."""
    return tuple(
        sentence
        for sentence in own_sentences(message)
        if _WRITER.search(_ERRAND.sub(" ", sentence.replace("’", "'"))) and len(sentence.split()) >= _LEAST_WORDS
    )


async def extracted(
    model: Model, said: Sequence[str], profile: Sequence[ProfileFact], *, message_id: str
) -> Learned | None:
    """What ``model`` finds in the sentences ``said``, as far as it may be believed. None when it cannot be asked, takes
    too long or answers nothing usable.
    """
    request = await asyncio.to_thread(extraction_request, said, profile)
    try:
        async with asyncio.timeout(PATIENCE_S):
            reading = await read_whole(model, request)
    except (TimeoutError, SignalboxError) as exc:
        logger.warning("the model could not be asked for facts to remember", error=type(exc).__name__)
        return None  # truth: documented as "could not be asked"; the rules' facts stand
    operations = read_operations(reading.text)
    if isinstance(model, Judging):
        model.judged(request, kept=operations is not None)
    if operations is None:
        logger.warning("the model's facts to remember could not be read")
        return None
    learned = accepted(operations, said, profile, message_id=message_id)
    if learned.refused:
        logger.info("facts that a model proposed were refused", reasons=learned.refused)
    return learned


def extraction_request(said: Sequence[str], profile: Sequence[ProfileFact]) -> ModelRequest:
    prompt = extraction_prompt()
    known = [
        {"id": name, "kind": fact.kind, "key": fact.key, "value": without_contact_data(fact.value)}
        for name, fact in _named(profile).items()
    ]
    asked = "\n".join((fenced("known", known), fenced("said", "\n".join(map(without_contact_data, said)))))
    return ModelRequest(
        task="extract",
        messages=(ChatMessage("system", prompt.text), ChatMessage("user", asked)),
        draft="",
        max_tokens=MOST_TOKENS,
        temperature=0.0,
        prompts=(prompt.ref,),
    )


def extraction_prompt() -> Prompt:
    return load("extract").filled("keys", ", ".join(KEYS))


def read_operations(text: str) -> tuple[Operation, ...] | None:
    """The operations in a model's answer; None if it holds no such object. One that is malformed is left out."""
    found = _OBJECT.search(text)
    try:
        told = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        return None  # truth: documented as "no usable answer", told from no operations
    if not isinstance(told, dict) or not isinstance(told.get("operations"), list):
        return None
    return tuple(_valid(told["operations"][:MOST_OPERATIONS]))


def accepted(
    operations: Sequence[Operation], said: Sequence[str], profile: Sequence[ProfileFact], *, message_id: str
) -> Learned:
    """What of ``operations`` the user's own words bear out. ``profile`` is as it stands now; what rules took from this
    very message is in it already.
    """
    named = _named(profile)
    add: list[NewFact] = []
    replace: list[tuple[str, NewFact | None]] = []
    refused: list[str] = []
    for operation in operations:
        if operation.action == "NOOP":
            continue
        verdict = _judged(operation, said, named, profile, message_id)
        match verdict:
            case str():
                refused.append(verdict)
            case NewFact() if operation.action == "ADD":
                add.append(verdict)
            case _:
                replace.append((named[operation.id or ""].fact_id, verdict))
    return Learned(tuple(dict.fromkeys(add)), tuple(dict(replace).items()), tuple(refused))


def _judged(  # noqa: PLR0911 - one return a reason
    operation: Operation,
    said: Sequence[str],
    named: Mapping[str, ProfileFact],
    profile: Sequence[ProfileFact],
    message_id: str,
) -> NewFact | str | None:
    """The fact to store, None for a plain removal, or why it is refused; no reason holds a word of the user's."""
    sentence = _sentence_of(operation.quote, said)
    if sentence is None:
        return "not in the user's words"
    if operation.confidence < LEAST_CONFIDENCE:
        return "too unsure"
    if find_contact_data(operation.value) or find_contact_data(operation.quote):
        return "contact data"
    if operation.action == "ADD":
        return _addition(operation, sentence, profile, message_id)
    old = named.get(operation.id or "")
    if old is None:
        return "no such fact"
    if old.source_message_id == message_id:
        return "said in this message"
    if operation.action == "DELETE":
        return None if takes_back(sentence, old) else "not taken back in the user's words"
    new = _fact(operation, old, sentence)
    if isinstance(new, NewFact) and _stands(new, profile, message_id):
        return "known already"
    if isinstance(new, NewFact) and not _may_replace(sentence, old, new):
        return "not restated in the user's words"
    return new


def _addition(operation: Operation, sentence: str, profile: Sequence[ProfileFact], message_id: str) -> NewFact | str:
    new = _fact(operation, None, sentence)
    if isinstance(new, str):
        return new
    if _stands(new, profile, message_id):
        return "known already"
    held = [fact for fact in profile if fact.key == new.key and (fact.kind == "constraint" or fact.pinned)]
    if new.key in SINGLE and not all(_may_replace(sentence, fact, new) for fact in held):
        return "a hard rule stands"
    return new


def _fact(operation: Operation, old: ProfileFact | None, sentence: str) -> NewFact | str:
    key = old.key if old is not None else operation.key
    if key not in KEYS:
        return "unknown key"
    value = checked_value(key, operation.value)
    if value is None:
        return "no value for its key"
    if not _is_grounded(key, value, sentence):
        return "the value is not in the user's words"
    kind = operation.kind
    if kind == "constraint" and not _FIRM.search(sentence):
        kind = "preference"
    pinned = old.pinned if old is not None else False
    return NewFact(kind, key, value, pinned=pinned, confidence=operation.confidence)


def _stands(new: NewFact, profile: Sequence[ProfileFact], message_id: str) -> bool:
    """Whether the profile says it already, or rules took another value from this very message."""
    return any(
        fact.key == new.key
        and (says_same(new.key, fact.value, new.value) or (new.key in SINGLE and fact.source_message_id == message_id))
        for fact in profile
    )


def takes_back(sentence: str, old: ProfileFact) -> bool:
    """Whether the sentence says that ``old`` is not so any more; of a hard rule only what says so beyond doubt."""
    if old.kind == "constraint":
        return bool(lifted(sentence, (old,)))
    if removals(sentence, (old,))[0]:
        return True
    if old.pinned:
        return False
    return _NOT_SO.search(sentence) is not None and share_of(old.value, sentence) > 0


def _may_replace(sentence: str, old: ProfileFact, new: NewFact) -> bool:
    """A hard rule gives way to another as hard, or when it is taken back; anything else to what is said later."""
    if old.kind == "constraint":
        anew = new.kind == "constraint" and states_anew(sentence, new.key, new.value)
        return anew or restated(sentence, (old,)) == ((new.key, new.value),) or takes_back(sentence, old)
    return not old.pinned or _NOT_SO.search(sentence) is not None


def _is_grounded(key: str, value: str, sentence: str) -> bool:
    """Whether the sentence says that value, and not only something like it."""
    if key in NUMBERS:
        return int(value) in _figures(sentence)
    spoken = _SPOKEN_OF.get("seniority" if key == "seniority_min" else key)
    if key in CODES or key == "seniority_min" or spoken is not None:
        return spoken is None or re.search(rf"(?<!\w)(?:{spoken})(?!\w)", sentence, re.IGNORECASE) is not None
    if not _figures(value) <= _figures(sentence):
        return False
    return share_of(value, sentence) >= (_NOTE_SHARE if key == "note" else 1)


def _figures(text: str) -> set[int]:
    found = {
        int(re.sub(r"\D", "", match["digits"])) * (1000 if match["kilo"] else 1)
        for match in _FIGURE.finditer(text[:1000])
    }
    return found | {number_of(word) for word in _NUMBER_WORD.findall(text[:1000].casefold())}


def share_of(value: str, sentence: str) -> float:
    """Which part of the words of ``value`` stand in ``sentence``, whatever their endings."""
    own, there = _stems(value), _stems(sentence)
    return len(own & there) / len(own) if own else 0.0


def _stems(text: str) -> frozenset[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(word[: max(4, len(word) - 3)] for word in words if word not in _NO_CONTENT)


def _sentence_of(quote: str, said: Sequence[str]) -> str | None:
    """The sentence that holds the quote, letter by letter but for case, blanks and kinds of quotation marks."""
    wanted = _plain(quote)
    if len(wanted.split()) < _LEAST_QUOTE:
        return None
    return next((sentence for sentence in said if wanted in _plain(sentence)), None)


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").replace("‹", "<").casefold().split()).strip(' .,;!"“”')


def _named(profile: Sequence[ProfileFact]) -> dict[str, ProfileFact]:
    """The facts a model may name, the newest of very many; which CV there is cannot be told."""
    told = [fact for fact in profile if fact.key in KEYS][-MOST_KNOWN:]
    return {f"k{number}": fact for number, fact in enumerate(told, 1)}


def _valid(proposed: Sequence[Any]) -> Iterator[Operation]:
    for each in proposed:
        try:
            yield Operation.model_validate(each)
        except ValidationError:
            logger.info("an operation of the model was malformed")  # truth: a proposal that nobody can carry out
