"""Brings the summary of a conversation up to date with what was said since: by rule, from the user's own words. Pure.

Hard constraints come from nowhere else, whoever writes the rest: see ``constraints``. A model that may write the rest
is asked in ``summary_model``.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.memory.constraints import constraints_after
from signalbox.memory.contact_data import without_contact_data
from signalbox.memory.own_words import own_questions, own_sentences, without_quotes
from signalbox.memory.profile import SINGLE
from signalbox.memory.statements import read
from signalbox.memory.summary import ConversationSummary, Noted
from signalbox.memory.words import words_in
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.skills import SkillVocabulary

# Entries of a kind, hard constraints apart; of more the oldest goes. Characters of one.
MOST_ENTRIES: Final = 12
MOST_CHARS: Final = 240
MOST_SOURCES: Final = 6

_GOAL = re.compile(
    r"\b(?:my (?:main |real |current |new )?(?:goal|aim|plan|target|dream|priority|focus) (?:is|now)|"
    r"(?:i'm|i am|im|i've been|we're) (?:now |currently |still |actually |really )*(?:looking (?:for|to|at)|"
    r"trying to|hoping to|aiming (?:for|to)|planning to|"
    r"searching for|after an?\b|job hunting)|"
    r"i (?:really |just |now |still )*(?:want|need|would like|'d like|hope|plan|aim) (?:to (?:become|be(?:come)?|"
    r"move|switch|get|find|work|change|land|go|leave|return|start|prepare|learn|improve|apply)|"
    r"(?:an?|some|my next|my first|new) (?:[\w-]+ ){0,4}(?:jobs?|roles?|positions?|career|interview|offer)))\b"
    r"|^\W*(?:(?:please|ok|okay|now|then|so|and|can you|could you)\W+)*(?:help me (?:to )?(?:find|get|land|become|"
    r"move|switch|prepare|write|negotiate|decide|choose|with)|"
    r"find me|search for|look for|let'?s (?:focus|work|look|start|move) (?:on|at|with|to)|focus (?:now )?on)\b",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:i(?:'ve| have)? (?:just |now |finally |already )?(?:decided|chosen|chose|picked|accepted|declined|"
    r"turned (?:it|them|that)? ?down|rejected|applied|signed|withdr(?:ew|awn)|"
    r"resigned|handed in|sent)|"
    r"i(?:'ll| will| am going to|'m going to) (?:go (?:with|for|ahead)|take|apply|accept|decline|turn|send|use|skip|"
    r"wait|stay|pass)|"
    r"i(?:'m| am) (?:going (?:with|for)|accepting|declining|taking|turning down|choosing|applying)|"
    r"let'?s (?:go with|use|take|keep|skip|drop|send|settle|stick)|we(?:'ll| will)? (?:go with|settled)|i(?:'d|"
    r" would)? (?:choose|pick|go with)|that settles it|final answer|"
    r"my (?:choice|decision) is)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:remind me|i (?:still|also) (?:need|have|want) to (?:decide|find out|ask|check|think|know|sort)|(?:i'm |"
    r"i am |im )?(?:still )?not (?:yet )?sure (?:yet )?"
    r"(?:whether|if|which|about|how|what)|(?:i )?have ?n'?o?t decided|(?:i'm |i am )?undecided|let me think|"
    r"come back to (?:this|that|it)|(?:i )?wonder (?:whether|if|how|what)|"
    r"(?:tell|ask) me later|for later)\b",
    re.IGNORECASE,
)
_NAME: Final = r"(?P<name>[A-Z0-9][\w&'’.-]*[\w](?:\s+(?:(?:of|and|&)\s+)?[A-Z][\w&'’.-]*[\w]){0,3})"
_COMPANY = re.compile(
    r"\b(?:(?i:at|with|from|for|join|joining|joined|left|leaving|about|by|called|company|employer|offer from|"
    r"applied to|apply to|applying to|interviewing at|interview at|like|prefer|over|versus|vs|and|or|"
    r"between))\s+(?:(?i:the)\s+)?" + _NAME
)
_COMPANY_CUE = re.compile(
    r"\b(?:compan(?:y|ies)|employers?|firms?|work(?:ed|ing|s)? (?:at|for)|jobs? (?:at|with)|roles? (?:at|with)|"
    r"positions? (?:at|with)|appl(?:y|ied|ying|ication)|interview\w*|"
    r"offer(?:ed|s)?|hired|hiring|recruit\w*|join\w*|contract with|heard (?:back )?from|about|research\w*|cold e-?mail|"
    r"e-?mail|write to|wrote to|letter|referr\w+|turn(?:ed)? down|accept\w*|left|leaving|laid off|fired)\b",
    re.IGNORECASE,
)
_NO_COMPANY: Final = words_in(
    """i i'm i've i'd i'll monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december english german french spanish dutch italian polish cv resume
    linkedin indeed glassdoor christmas easter hr it ai ceo cto pm my the this that it's what when where how why please
    thanks ok
    okay hello hi dear and or but so then europe uk us usa eu remote junior senior lead"""
)
_COMPANY_END = re.compile(r"[.,'’-]+$|['’]s$")


@dataclass(frozen=True, slots=True)
class Said:
    """One stored message of a conversation, whole. ``complete`` is False of an answer that broke off."""

    message_id: str
    role: Literal["user", "assistant"]
    content: str
    complete: bool = True


def by_rules(before: ConversationSummary, said: Sequence[Said], vocabulary: SkillVocabulary) -> ConversationSummary:
    """``before``, and what the user said in ``said`` (oldest first), which stands right behind it. Assistants' messages
    only tell which questions were answered.
    """
    summary = before
    for at, message in enumerate(said):
        if message.role == "user":
            answered = any(after.role == "assistant" and after.complete for after in _until_next(said, at))
            summary = _heard(summary, message, answered=answered, vocabulary=vocabulary)
    return summary


def _until_next(said: Sequence[Said], at: int) -> Iterator[Said]:
    for message in said[at + 1 :]:
        if message.role == "user":
            return
        yield message


def _heard(
    before: ConversationSummary, message: Said, *, answered: bool, vocabulary: SkillVocabulary
) -> ConversationSummary:
    sentences = list(own_sentences(message.content))
    questions = list(own_questions(message.content))
    source = message.message_id
    constraints = constraints_after(before.hard_constraints, source, sentences, vocabulary)
    goals = [said for said in [*sentences, *questions] if _GOAL.search(said) and not _DECIDED.search(said)]
    preferences = before.job_preferences
    for sentence in sentences:
        preferences = _wished(preferences, sentence, source, vocabulary)
    firm = {means for note in constraints for means in note.means}
    preferences = tuple(note for note in preferences if not set(note.means) & firm)
    names = [name for sentence in (*sentences, *questions) for name in companies_in(sentence, vocabulary)]
    names += [
        value
        for note in constraints
        for key, value in note.means
        if key == "exclude_company" and source in note.sources
    ]
    unanswered = [] if answered else [question for question in questions if len(question.split()) > 2]
    open_questions = before.open_questions
    if answered:
        asked = {question.casefold() for question in questions}
        open_questions = tuple(note for note in open_questions if note.text.casefold() not in asked)
    return ConversationSummary(
        hard_constraints=constraints,
        job_preferences=latest(preferences),
        mentioned_companies=noted(before.mentioned_companies, _in_full(names, before.mentioned_companies), source),
        current_goal=Noted(text=shortened(goals[-1]), sources=(source,)) if goals else before.current_goal,
        decisions=noted(before.decisions, [said for said in sentences if _DECIDED.search(said)], source),
        open_questions=noted(
            open_questions, [*unanswered, *(said for said in sentences if _OPEN.search(said))], source
        ),
    )


def _wished(notes: tuple[Noted, ...], sentence: str, source: str, vocabulary: SkillVocabulary) -> tuple[Noted, ...]:
    """``notes`` with what the sentence says the user would like; of a key that holds one value the newest stays."""
    statements = read(without_quotes(sentence), (), vocabulary)
    means = tuple((fact.key, fact.value) for fact in statements.add if fact.kind == "preference")
    if not means:
        return notes
    replaced = {key for key, _ in means if key in SINGLE}
    kept = [note for note in notes if note.text != sentence and not any(key in replaced for key, _ in note.means)]
    return (*kept, Noted(text=shortened(sentence), sources=(source,), means=means))


def companies_in(sentence: str, vocabulary: SkillVocabulary) -> Iterator[str]:
    """Names in ``sentence`` that can only be employers': no place, skill, day or language."""
    bare = without_quotes(sentence)
    if not _COMPANY_CUE.search(bare):
        return
    for match in _COMPANY.finditer(bare):
        name = _COMPANY_END.sub("", match["name"])
        words = name.split()
        if not words or any(word.casefold() in _NO_COMPANY for word in words) or name.isdigit() or len(name) < 2:
            continue
        if gazetteer().find(name) is None and vocabulary.canonical(name) is None:
            yield name


def _in_full(names: Sequence[str], known: Sequence[Noted]) -> Iterator[str]:
    """Each name, or the longer one that it is short for: "Acme" where Acme Ltd was named."""
    full = [*(note.text for note in known), *names]
    for name in names:
        yield next((other for other in full if other.casefold().startswith(f"{name.casefold()} ")), name)


def noted(notes: tuple[Noted, ...], texts: Iterable[str], source: str) -> tuple[Noted, ...]:
    """``notes`` with ``texts`` behind them; one that is there already gets a source more and counts as new."""
    kept = list(notes)
    for text in (shortened(each) for each in texts):
        same = next((note for note in kept if note.text.casefold() == text.casefold()), None)
        if same is not None:
            kept.remove(same)
        sources = (*(same.sources if same else ()), source)
        kept.append(Noted(text=same.text if same else text, sources=tuple(dict.fromkeys(sources))[-MOST_SOURCES:]))
    return latest(kept)


def latest(notes: Sequence[Noted]) -> tuple[Noted, ...]:
    return tuple(notes[-MOST_ENTRIES:])


def shortened(text: str) -> str:
    """On one line, without e-mail addresses and the like, and with a sign of it where words are missing."""
    line = " ".join(without_contact_data(text).split())
    return line if len(line) <= MOST_CHARS else line[: MOST_CHARS - 2].rsplit(" ", 1)[0] + " …"
