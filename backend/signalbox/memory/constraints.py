"""The hard constraints of a conversation, by rule and from its user's own words alone: stated, corrected, lifted. Pure.

Nobody else has a say: what assistants wrote and what was pasted or quoted never comes here.
"""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.memory.clauses import is_elsewhere, whole
from signalbox.memory.forgetting import forgotten
from signalbox.memory.lifting import lifted, spoken_of
from signalbox.memory.loosening import loosened
from signalbox.memory.own_words import without_quotes
from signalbox.memory.profile import SINGLE, NewFact
from signalbox.memory.restating import restated, states_anew
from signalbox.memory.selection import is_needed
from signalbox.memory.statements import MAX_FACTS, Statements, read
from signalbox.memory.summary import Noted
from signalbox.retrieval.skills import SkillVocabulary

# They are told to a model whatever the budget, so they have to end somewhere; nobody in earnest has that many.
MOST: Final = 100
LONGEST: Final = 1_200
MOST_SOURCES: Final = 20
ARROW: Final = " → "
# A limit in words that no other rule holds.
STATED: Final = "stated"

Means = tuple[str, str]

_STATED = re.compile(
    r"\b(?:non[- ]?negotiable|deal[- ]?breaker|no exceptions|under no circumstances|hard (?:limit|requirement|rule|"
    r"constraint)|absolute(?:ly)? (?:must|required|essential|necessary)|(?:is|are) (?:a must|essential|mandatory)|"
    r"must[- ]have)\b"
    r"|\b(?:i|we)(?:'m| am|'ll)?\s+(?:(?:really|absolutely|definitely|just|do|also|only|physically|legally|simply)\s+)*"
    r"(?:need|require|must|have to|can'?t|cannot|can not|won'?t|will not|refuse to|can only|could only|"
    r"(?:not|un) ?(?:able|allowed|willing|prepared) to)\b"
    r"(?=[^.;!?]{0,80}\b(?:sponsor\w*|visas?|wheelchair|step[- ]free|accessib\w+|commut\w+|driv(?:e|ing)|licen[cs]e|"
    r"lift(?:ing)?|stand(?:ing)?|hours?|shifts?|school|kids|children|child ?care|nursery|mondays?|tuesdays?|"
    r"wednesdays?|"
    r"thursdays?|fridays?|saturdays?|sundays?|weekends?|evenings?|nights?|overtime|travel|notice|abroad|contract|"
    r"permanent|allerg\w+|pregnan\w+|disab\w+|religio\w+|prayers?|sabbath|office|miles|minutes|km|start (?:before|"
    r"after|in|"
    r"on|later|earlier)|"
    r"before \d|after \d|by \d|until|security clearance|public transport|train|bus|remote(?:ly)?|dogs?|ethic\w+|"
    r"pension|union\w*)\b)",
    re.IGNORECASE,
)
_NEEDS_AID = re.compile(
    r"\b(?:i|i'm|we)\b[^.;!?]{0,80}\band (?:so )?(?:(?:also|really|therefore) )?(?:i )?(?:need|require|must have)\b"
    r"[^.;!?]{0,60}\b(?:step[- ]free|accessib\w+|wheelchair|reasonable adjustments?|sponsor\w*)",
    re.IGNORECASE,
)
# What somebody uses or is says what they cannot do without.
_ACCESS = re.compile(
    r"\b(?:i|we)\b[^.;!?]{0,40}\b(?:need|needs|require|must have|use|rely on|depend on|only)\b[^.;!?]{0,60}\b(?:"
    r"step[- ]free|accessib\w+|wheelchair|caption\w*|subtitles|(?:sign[- ]language|bsl) interpret\w*|screen ?readers?|"
    r"hearing (?:aids?|loops?)|guide dog|assistance dog|reasonable adjustments?)\b"
    r"|\bi(?:'m| am)(?: (?:also|partially|profoundly|legally|hard of))? (?:deaf|blind|hearing|sighted|a wheelchair "
    r"user|disabled)\b(?! (?:to|that|about)\b)",
    re.IGNORECASE,
)
_REMEMBERING = re.compile(
    r"\W*(?:(?:please|also|and|ok|okay|so)\W+)*(?:remember|note|keep in mind|bear in mind|(?:don'?t|do not) forget)"
    r"(?:\s+that\b|\s*:)?\s+",
    re.IGNORECASE,
)
_NOT_STATED = re.compile(
    r"\b(?:no longer|not a|isn'?t|aren'?t|not really|any ?more|question|help|letter|e-?mail|interview (?:on|at)|"
    r"know|see|"
    r"find|open|think|believe|wait|remember)\b",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"\W*(?:(?:so|and|but|ok|okay|also|well|actually|sorry|please)[, ]+)*(?P<verb>(?P<it>has to|have to be|must be|"
    r"should be|needs to|need to be|does need|is a must|is essential|would have to be|will have to be)\b|(?:can|could|"
    r"would|will|should|must|have to|need to)\s+(?:only|just|not|never)\b|(?:can't|cannot|won't|wouldn't|couldn't)\b)",
    re.IGNORECASE,
)
_HAS_TO_BE_IN = re.compile(
    r"\W*(?:(?:it|the (?:job|role|work|position)|jobs) )?(?:must|has to|have to|needs to|need to|should) (?:only )?be "
    r"(?P<where>(?:in|near|around|within) (?-i:[A-Z]))",
    re.IGNORECASE,
)
_FLOOR = re.compile(
    r"(?:more |longer )?(?:a )?(?:(?:salary|pay|minimum|min) ?)*(?:minimum|floor|salary|pay|limit)?", re.IGNORECASE
)
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_FORGETTING: Final = (
    r"(?:(?:please|let's|you can|can you|could you|just|i want to|i'd like to) )*(?:forget|drop|ignore|scrap|"
    r"lift|remove|"
    r"clear|reset|disregard|cancel|delete|erase|wipe)(?: about)?"
)
_LIMITS: Final = r"(?:hard |old |other |previous |search )*(?:constraints|restrictions|limits)"
_MY_LIMITS: Final = (
    r"(?:hard |old |other |previous |search |job |stated )*(?:conditions|rules|requirements|filters|criteria)"
)
# Adverts, CVs and letters have requirements, too: those of the search are called "my", or "constraints" outright.
_FORGET_ALL: Final = (
    rf"{_FORGETTING} (?:(?:all |every one )?(?:of )?(?:(?:my|the|these|those) )?{_LIMITS}|"
    rf"(?:all )?(?:of )?my {_MY_LIMITS}|all (?:of )?(?:these|those) {_MY_LIMITS}|"
    r"everything(?: (?:i|we)(?:'ve| have)? (?:said|told you|asked for)| you (?:know|remember|have))?"
    r"(?: so far| before| earlier| about me)?|my (?:whole |entire )?profile)"
    r"(?:,? (?:except(?: for)?|but(?: not)?|apart from|other than) (?P<kept>[^.;!?]{2,80}?))?"
)


def constraints_after(
    held: Sequence[Noted], message_id: str, sentences: Sequence[str], vocabulary: SkillVocabulary
) -> tuple[Noted, ...]:
    """``held`` as the user's own ``sentences`` of one message leave it; none of them a question, nothing pasted."""
    rules = _Held(held, message_id)
    for sentence in sentences:
        rules.hear(sentence, vocabulary)
    return rules.noted()


class _Held:
    """The constraints in force while a message is read, sentence by sentence."""

    def __init__(self, held: Sequence[Noted], message_id: str) -> None:
        self._entries = list(held)
        self._message_id = message_id

    def noted(self) -> tuple[Noted, ...]:
        return tuple(self._entries)

    def hear(self, said: str, vocabulary: SkillVocabulary) -> None:
        """A rule goes, or gives way to another, only where the sentence says that beyond doubt. What may be meant so
        stands behind the rule, which stays.
        """
        bare = without_quotes(said).replace("’", "'").strip()
        if not bare:
            return
        facts = self._facts()
        if forgets := whole(_FORGET_ALL, bare):
            self._forget_all(forgets["kept"], facts, said)
            return
        if (changed := restated(bare, facts)) is not None:
            self._replace(changed, said)
            return
        gone = {(fact.key, fact.value) for fact in lifted(bare, facts)}
        self._take_away(tuple(gone), said)
        near = spoken_of(bare, facts)
        statements = read(_with_subject(bare), near, vocabulary)
        unsure = self._state(said, bare, statements, gone)
        unsure |= {(fact.key, fact.value) for fact in (*statements.remove, *loosened(bare, near))}
        if unsure and not gone and not is_elsewhere(bare):
            self._add_to(unsure - self._stated_in(statements), said)

    def _forget_all(self, kept: str | None, facts: Sequence[ProfileFact], said: str) -> None:
        if kept is None:
            self._entries.clear()
            return
        stays = {(fact.key, fact.value) for fact in forgotten(kept, facts)}
        if stays:  # what is to be kept has to be known, before the rest can go
            self._take_away([(fact.key, fact.value) for fact in facts if (fact.key, fact.value) not in stays], said)

    def _state(self, said: str, bare: str, statements: Statements, gone: set[Means]) -> set[Means]:
        """Add what the sentence states; the rules that it contradicts without doing so beyond doubt are given back."""
        firm = [(fact.key, fact.value) for fact in statements.add[:MAX_FACTS] if self._is_rule(fact, bare)]
        hard = [means for means in firm if means not in gone]  # "remote only is off the table" states nothing
        unsure: set[Means] = set()
        for means in list(hard):
            rivals = self._rivals(means)
            if rivals and not states_anew(bare, *means):
                hard.remove(means)
                unsure |= rivals
        if hard:
            self._replace(tuple(hard), said)
        elif not gone and not firm and _states_a_need(bare):
            self._replace(((STATED, said.casefold()),), said)
        softer = [
            fact
            for fact in statements.add
            if fact.kind == "preference" and (fact.key, fact.value) not in hard and self._contradicts(fact)
        ]
        return unsure | {means for fact in softer for means in self._of_key(fact.key)}

    def _is_rule(self, fact: NewFact, bare: str) -> bool:
        """No minimum is no wish to see nothing of that name; "only hybrid from now on" is more than a wish."""
        if fact.kind == "constraint":
            return fact.key != "exclude_term" or _FLOOR.fullmatch(fact.value) is None
        wished = fact.kind == "preference" and _ONLY.search(bare) is not None and self._contradicts(fact)
        return wished and states_anew(bare, fact.key, fact.value)

    def _rivals(self, means: Means) -> set[Means]:
        """What holds another value of a key that has one only."""
        key, value = means
        others = self._of_key(key) if key in SINGLE else []
        return {(key, other) for _, other in others if other.casefold() != value.casefold()}

    def _stated_in(self, statements: Statements) -> set[Means]:
        """What the sentence itself says again: "their office is great, but I still want only remote"."""
        return {(fact.key, fact.value) for fact in statements.add if fact.kind == "constraint"}

    def _contradicts(self, fact: NewFact) -> bool:
        """Whether a mere wish takes the place of a rule: another place or way of working does, higher hopes of pay,
        or the same thing said more softly, do not.
        """
        if fact.key not in SINGLE or fact.key in {"title", "currency", "salary_min", "name", "years"}:
            return False
        held = [value for _, value in self._of_key(fact.key)]
        if fact.key == "remote":
            return any((value == "only") != (fact.value == "preferred") for value in held)
        return any(value.casefold() != fact.value.casefold() for value in held)

    def _of_key(self, key: str) -> list[Means]:
        return [means for entry in self._entries for means in entry.means if means[0] == key]

    def _facts(self) -> tuple[ProfileFact, ...]:
        return tuple(
            ProfileFact(fact_id=f"{number}-{part}", kind="constraint", key=key, value=value)
            for number, entry in enumerate(self._entries)
            for part, (key, value) in enumerate(entry.means)
        )

    def _replace(self, means: tuple[Means, ...], said: str) -> None:
        """State ``means``; what held another value of a single-valued key gives way, or is corrected in place."""
        if self._repeats(means):
            return
        old = [
            (key, value)
            for entry in self._entries
            for key, value in entry.means
            if any(key == new and (key in SINGLE or value.casefold() == other.casefold()) for new, other in means)
        ]
        mine = [entry for entry in self._entries if set(entry.means) & set(old)]
        if mine and not _stands_alone(said, means):
            first = mine[0]
            kept = tuple(each for each in first.means if each not in old)
            at = self._entries.index(first)
            self._entries[at] = self._chained(first, said, (*kept, *means))
            for entry in mine[1:]:
                self._reduce(entry, old, said)
            return
        for entry in mine:
            self._reduce(entry, old, said)
        if len(self._entries) < MOST:
            self._entries.append(Noted(text=said, sources=(self._message_id,), means=tuple(dict.fromkeys(means))))

    def _repeats(self, means: tuple[Means, ...]) -> bool:
        """Whether all of it is in force already; then the words that said it first stand, with one source more."""
        held = {(key, value.casefold()) for entry in self._entries for key, value in entry.means}
        told = {(key, value.casefold()) for key, value in means}
        if not told <= held:
            return False
        for at, entry in enumerate(self._entries):
            if told & {(key, value.casefold()) for key, value in entry.means}:
                sources = (*entry.sources, self._message_id)[-MOST_SOURCES:]
                self._entries[at] = entry.model_copy(update={"sources": tuple(dict.fromkeys(sources))})
        return True

    def _take_away(self, gone: Sequence[Means], said: str) -> None:
        for entry in [entry for entry in self._entries if set(entry.means) & set(gone)]:
            self._reduce(entry, gone, said)

    def _reduce(self, entry: Noted, gone: Sequence[Means], said: str) -> None:
        at = self._entries.index(entry)
        kept = tuple(means for means in entry.means if means not in gone)
        if kept:
            self._entries[at] = self._chained(entry, said, kept)
        else:
            del self._entries[at]

    def _add_to(self, means: set[Means], said: str) -> None:
        """Lifted perhaps, or under a condition: the rule stands, and what was said of it stands behind it."""
        for at, entry in enumerate(self._entries):
            if means & set(entry.means):
                self._entries[at] = self._chained(entry, said, entry.means)

    def _chained(self, entry: Noted, said: str, means: tuple[Means, ...]) -> Noted:
        parts = entry.text.split(ARROW)
        if parts[-1] != said:
            parts.append(said)
        while len(parts) > 2 and len(ARROW.join(parts)) > LONGEST:
            del parts[1]
        sources = tuple(dict.fromkeys((*entry.sources, self._message_id)))
        return Noted(text=ARROW.join(parts), sources=sources, means=tuple(dict.fromkeys(means)))


def _states_a_need(bare: str) -> bool:
    """Whether it says what its writer cannot do without: by its words, or as what is to be remembered of their health
    and the like.
    """
    lead = _REMEMBERING.match(bare)
    told = bare[lead.end() :] if lead else bare
    if _NOT_STATED.search(told):
        return False
    if _STATED.search(_with_subject(told)) or _NEEDS_AID.search(told) or _ACCESS.search(told):
        return True
    return lead is not None and is_needed(ProfileFact(fact_id="", kind="fact", key="note", value=told))


def _with_subject(bare: str) -> str:
    """The sentence with the subject it leaves out: "can only do mornings", "has to be remote"."""
    if where := _HAS_TO_BE_IN.match(bare):
        return f"I only want jobs {bare[where.start('where') :]}"
    match = _NO_SUBJECT.match(bare)
    if match is None:
        return bare
    subject = "It" if match["it"] else "I"
    return f"{subject} {bare[match.start('verb') :]}"


def _stands_alone(said: str, means: Sequence[Means]) -> bool:
    """Whether the words say of themselves what they are about; "make that 60k" does not."""
    return all(_SUBJECTS[key].search(said) is not None for key, _ in means if key in _SUBJECTS)


_SUBJECTS: Final = {
    "salary_min": re.compile(
        r"\b(?:salar\w+|pay|paid|earn\w*|wage|income|minimum|at least|a year|per (?:year|hour|day|month)|an hour|"
        r"floor)\b",
        re.IGNORECASE,
    ),
    "location": re.compile(r"\b(?:jobs?|work|roles?|only|location|live|based|in|near|outside)\b", re.IGNORECASE),
}
