"""Which conditions an answer offers to drop, and which of those a reply means. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.memory.words import words_in

_MOST_WORDS: Final = 14
_LONGEST: Final = 150
_THE: Final = r"the [a-z]+ condition"
_OFFER = re.compile(
    rf"\bdrop[:,]? (?P<names>{_THE}(?:(?:,| or|, or| and) {_THE})*)|"
    rf"\bsearch again without (?P<button>{_THE})",
    re.IGNORECASE,
)
_NAME = re.compile(r"\bthe (?P<name>[a-z]+) condition\b", re.IGNORECASE)
# What each condition is called in a reply, by its name in the offer.
_CALLED: Final = {
    name: words_in(words)
    for name, words in {
        "remote": "remote remoteness homeworking",
        "location": "location place city town where area",
        "pay": "pay salary wage money",
        "level": "level seniority",
        "experience": "experience",
        "date": "date age",
        "skill": "skill skills",
        "company": "company employer",
        "employment": "employment hours contract",
        "exclusion": "exclusion exclusions",
        "sample": "sample samples",
        "size": "size",
    }.items()
}
_ORDINALS: Final = {
    "first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "last": -1, "latter": -1, "former": 0,
    "middle": 1,
}  # fmt: skip
_TWO: Final = 2
_COUNTS: Final = {"two": 2, "2": 2, "three": 3, "3": 3}
_ALL: Final = words_in("all everything lot")
_REST: Final = words_in("rest others other")
_AGREES: Final = words_in(
    "yes yeah yep yup ya sure ok okay fine alright absolutely definitely course drop remove lift lose scrap ditch skip "
    "ignore forget relax delete without go try again let's lets do get rid take"
)
_DECLINES: Final = words_in("no nah")
_KEEPS: Final = words_in("keep except excluding not")
_FILLING: Final = words_in(
    "please pls then thanks thank you them ahead hm just now the that those this these my a one condition conditions "
    "limit limits filter filters requirement rule part bit thing of off out and or it i i'd i'll would could can "
    "will want to like for me look search instead first with so well hmm first's actually maybe perhaps too as "
    "also in rid on guess think"
)
_BUT = re.compile(r"\b(?P<all>all|everything|anything) but\b|\b(?:apart from|other than|but not|rather than)\b")
# "Not both, just the pay": some are to go, and it may say which.
_NOT_ALL = re.compile(r"(?<!but )\bnot (?:both|all|everything)\b")
_SOME: Final = "some_of"
# "Drop 1 and 3", though not "the first 2".
_DIGIT = re.compile(r"(?<!first )(?<!last )\b[123]\b")
_OPEN = re.compile(
    r"\W*(?:(?:ok|okay|yes|oh|well|hmm+|just|drop)\W+)*(?:either(?: (?:one|of (?:them|those|these)|is fine|works))?|"
    r"any(?: (?:one|of (?:them|those|these)))?|whichever(?: (?:one|you (?:like|want|think|prefer)))?|"
    r"(?:you|u) (?:choose|decide|pick)|up to you|your (?:choice|call)|(?:it )?(?:doesn't|does not) matter(?: which)?|"
    r"i (?:don't|do not) (?:mind|care)(?: which)?)(?:\W+(?:please|one|really|to me|then))*\W*",
    re.IGNORECASE,
)
# "I like the pay" drops nothing, "I'd like to drop the pay" does.
_WANTS = re.compile(r"\b(?:like|love|want|need)\b(?! to\b)")
# "Keep the remote one", where "not remote" is a wish of its own.
_STAYS = re.compile(r"^(?!.*\bnot\b).*\b(?:keep|leave)\b", re.DOTALL)
_WORD = re.compile(r"[\w']+")

_Mode = Literal["drop", "keep"]


@dataclass(frozen=True, slots=True)
class Choice:
    """``names``: the conditions to drop; none where the reply wants some dropped and leaves open which."""

    names: tuple[str, ...] = ()


def offered_in(texts: Sequence[str]) -> tuple[str, ...]:
    """The conditions that an answer and its buttons (``texts``) offer to drop, in that order, each once."""
    named = (name["name"].casefold() for text in texts for match in _OFFER.finditer(text) for name in _names(match))
    return tuple(dict.fromkeys(named))


def _names(offer: re.Match[str]) -> Iterator[re.Match[str]]:
    return _NAME.finditer(offer["names"] or offer["button"])


def choice_of(reply: str, offered: Sequence[str]) -> Choice | None:
    """What ``reply`` chooses of the conditions ``offered``, by name, by place or all at once; None if it says anything
    else. Who leaves the choice to others drops the first.
    """
    said = _said(reply)
    if said and _OPEN.fullmatch(said):
        return Choice(tuple(offered[:1]))
    heard = _heard(said, offered)
    return heard.choice() if heard else None


def keeps_all(reply: str, offered: Sequence[str]) -> bool:
    """Whether ``reply`` wants all the conditions ``offered`` to stay as they are."""
    said = _said(reply)
    if not offered or not _STAYS.search(said):
        return False
    heard = _heard(said, offered)
    return heard is not None and heard.keeps_all()


def _said(reply: str) -> str:
    """``reply`` as it is compared; nothing, where it can be no choice."""
    said = reply.replace("’", "'").casefold() if len(reply) <= _LONGEST else ""
    return "" if _WANTS.search(said) else said


def _heard(said: str, offered: Sequence[str]) -> "_Heard | None":
    """What is said word by word, if all of its words can be part of a choice."""
    said = _DIGIT.sub(lambda digit: ("first", "second", "third")[int(digit[0]) - 1], said)
    said = _NOT_ALL.sub(_SOME, said)
    words = _WORD.findall(_BUT.sub(lambda but: "all except" if but["all"] else "except", said))
    if not words or len(words) > _MOST_WORDS:
        return None
    heard = _Heard(offered)
    return heard if all(heard.takes(word, words[at + 1 :]) for at, word in enumerate(words)) else None


class _Heard:
    """What a reply has said so far, word by word."""

    def __init__(self, offered: Sequence[str]) -> None:
        self._offered = tuple(offered)
        self._mode: _Mode = "drop"
        self._named: dict[_Mode, list[str]] = {"drop": [], "keep": []}
        self._all: set[_Mode] = set()
        self._both = False
        self._agrees = False
        self._some = False
        self._declines = False

    def takes(self, word: str, following: Sequence[str]) -> bool:
        """Take in one more word; whether it can be part of a choice at all."""
        name = next((name for name, words in _CALLED.items() if word in words), None)
        if name is not None:
            self._named[self._mode].append(name)
            return name in self._offered
        if word == "not" and following and following[0] in _AGREES:
            return False
        if word in _ORDINALS and (word != "first" or self._points(following)):
            self._named[self._mode] += self._placed(word, following)
        elif word in _ALL | _REST:
            self._all.add(self._mode)
        elif word == "both" and self._mode == "keep":
            self._all.add("keep")
        elif word == "both":
            self._both = True
        elif word in _KEEPS or (word == "leave" and "out" not in following):
            self._mode = "keep"
        elif word in _AGREES or word == "leave":
            self._agrees, self._mode = True, "drop"
        else:
            return self._passes(word)
        return True

    def choice(self) -> Choice | None:
        kept = set(self._named["keep"])
        dropped = [name for name in self._named["drop"] if name not in kept]
        left = [name for name in self._offered if name not in kept]
        if dropped:
            return Choice(tuple(dict.fromkeys(dropped)))
        if not left or ("keep" in self._all and not kept):
            return None
        if "drop" in self._all or (self._both and len(left) == _TWO):
            return Choice(tuple(left))
        if self._some:
            return Choice(tuple(left) if kept and len(left) == 1 else ())
        # "No, forget it" is no wish to drop what is offered, though "forget the pay" is.
        if self._both or kept or (self._agrees and not self._declines):
            return Choice(tuple(left) if len(left) == 1 else ())
        return None

    def keeps_all(self) -> bool:
        """Whether all that is offered is to stay: "keep both", "leave it"."""
        if self._named["drop"] or "drop" in self._all or self._both or self._some:
            return False
        kept = set(self._named["keep"])
        return kept >= set(self._offered) if kept else self._mode == "keep"

    def _passes(self, word: str) -> bool:
        """Take in a word that names nothing; whether a choice may have it at all."""
        if word == _SOME:
            self._some, self._mode = True, "drop"
        elif word in _DECLINES:
            self._declines = True
        else:
            return word in _FILLING or word in _COUNTS
        return True

    def _points(self, following: Sequence[str]) -> bool:
        """Whether "first" is a place among the offered, which it is not in "drop the pay first"."""
        return not self._named["drop"] or (bool(following) and following[0] in _COUNTS)

    def _placed(self, word: str, following: Sequence[str]) -> tuple[str, ...]:
        count = _COUNTS.get(following[0], 0) if following else 0
        if count:
            return self._offered[:count] if _ORDINALS[word] == 0 else self._offered[-count:]
        at = _ORDINALS[word]
        return self._offered[at : at + 1 or None] if at < len(self._offered) else ()
