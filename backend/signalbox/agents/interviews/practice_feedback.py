"""What can be told of an answer from its words alone, by rules: length, parts of an example, "I" and "we", fillers.

Whether an answer is right, kind or convincing is not judged here: no rule of words can tell.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.agents.words.knowledge_text import subject_of
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.blocks import InterviewQuestion

StarPart = Literal["situation", "task", "action", "result"]

# An unhurried speaking pace, in words a minute.
PACE: Final = 130
# One to two minutes of speech, with some grace at both ends.
SHORT_WORDS: Final = 60
FULL_WORDS: Final = 110
LONG_WORDS: Final = 320
TINY_WORDS: Final = 15
_QUOTED_CHARS: Final = 110
_MOST_REMARKS: Final = 5

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|;\s+")
_PAST: Final = (
    "built|wrote|made|took|led|ran|set|spoke|met|found|gave|went|told|taught|sold|bought|kept|held|brought|got|did|chose|drew|"
    "began|came|sent|put|cut|split|drove|fixed|knew|saw|thought|read|sat|broke|rebuilt|rewrote|sought|dealt|spent|won"
)
_ACTION = re.compile(
    rf"\bI(?:'d| had)?\s+(?:(?:then|first|also|personally|immediately|quickly|therefore|finally|always|even|just|"
    rf"\w+ly)\s+)*(?!(?:need|want|had|was|lik|lov|hat|work(?:ed)? (?:at|for|as)|learn|realis|realiz|"
    rf"notic)\w*\b)(?:\w{{2,}}ed|{_PAST})\b",
    re.IGNORECASE,
)
_STAR: Final[tuple[tuple[StarPart, re.Pattern[str]], ...]] = (
    (
        "situation",
        re.compile(
            r"\b(?:when (?:i|we|our|the|my)|while (?:i|we|working)|at my (?:last|previous|old|current|former)|"
            r"in my (?:last|previous|old|current|former|first)|(?:last|this|that) (?:year|summer|winter|spring|autumn|"
            r"month|week)|in (?:19|20)\d\d|during|there was|there were|we had|i was (?:working|a|an|the|in|on|at)|"
            r"i worked (?:at|for|as|in|on)|our (?:team|company|client|customer|shop|ward|school|site|project)|"
            r"one (?:day|time|of our)|a (?:few|couple of) years ago|\w+ years? ago|once,)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "task",
        re.compile(
            r"\b(?:(?:i|we) (?:had|needed|was asked|were asked|was told|was supposed|was meant) to|my (?:job|task|role|"
            r"goal|responsibility|aim|brief|part) (?:was|is)|i was (?:responsible|in charge|asked|tasked)|the (?:goal|"
            r"aim|task|deadline|challenge|problem) was|asked me to|it was (?:my|up to me)|we had (?:only )?(?:two|"
            r"three|\d+) \w+ to)\b",
            re.IGNORECASE,
        ),
    ),
    ("action", _ACTION),
    (
        "result",
        re.compile(
            r"\b(?:as a result|in the end|result(?:ed|ing|s)?\b|led to|so that|which (?:meant|led|saved|cut|reduced|"
            r"gave|made|increased|brought)|afterwards|ended up|eventually|finally|since then|outcome|(?:reduc|increas|"
            r"improv|sav|cutt?|grew|doubl|halv|dropp|fell|ros|rais|deliver|finish|launch|shipp|achiev)(?:ed|e)?\b|"
            r"(?:went|came) down|(?:went|came) up|(?:i|we) learn(?:ed|t)|taught me|on time|was (?:happy|pleased|"
            r"approved|adopted|promoted))",
            re.IGNORECASE,
        ),
    ),
)
_NUMBER = re.compile(
    r"(?<![\w.])(?!(?:19|20)\d\d\b)[£$€]?\d[\d,.]*\s?(?:%|per ?cent|k\b|m\b)?|\b(?:half|halved|doubled|tripled|twice|"
    r"a third|a quarter|percent|per cent|dozens?|hundreds?|thousands?)\b",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"\b(?:um+|uh+|er+m?|you know|basically|actually|literally|sort of|kind of|kinda|i guess|i mean|to be honest|"
    r"and stuff|or something|and so on|whatever)\b|,\s*like,",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|i think|i suppose|hopefully|i feel like|not really sure)\b", re.IGNORECASE
)
_NEGATIVE = re.compile(
    r"\b(?:(?:my|the|our|their|his|her|that)\s+(?:(?:old|last|former|previous|ex|current)[\s-])?(?:boss|manager|"
    r"supervisor|company|employer|team|colleagues?|co-?workers?|management|team lead|ceo|job|place)|they|he|she|"
    r"management|everyone|everybody|it)\s+(?:there\s+)?(?:was|were|is|are|had been|is just|was just|was so|were so|"
    r"was really|were all|are all|was a|were a|is a)\s+(?:(?:so|really|very|just|all|a|an|total|totally|complete|"
    r"completely|pretty|absolutely|quite|bit)\s+)*(?:terrible|awful|horrible|useless|stupid|idiots?|incompetent|toxic|"
    r"lazy|clueless|nightmare|joke|rubbish|crap\w*|rude|bully|bullies|liars?|crazy|unfair|disaster|micro-?manag\w+|"
    r"control freaks?|morons?|jerks?|bad|mess)\b|\b(?:hated|couldn't stand|could not stand|despised|"
    r"can't stand)\s+(?:my|the|our|that|working (?:for|with|there))\b|\bsucked\b|\bsucks\b",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:i(?:'m| am) (?:a |an )?(?:\w+ )?(?:hard[- ]?work(?:er|ing)|team player|people person|perfectionist|"
    r"quick learner|fast learner|go-getter|self[- ]starter|problem solver|good communicator|motivated|passionate|"
    r"detail[- ]oriented)|i (?:always|usually|generally|normally|typically|often|never)|i would (?:always|usually|just|"
    r"try)|people (?:say|tell)|you (?:have to|should|need to|must|always))\b",
    re.IGNORECASE,
)
_I = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|me|myself)\b", re.IGNORECASE)
_WE = re.compile(r"\b(?:we|we're|we've|we'd|us|our|ourselves)\b", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|since|so that|therefore|the reason|depends|trade-?offs?|rather than|instead of|unless)\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"\b(?:for example|for instance|such as|e\.g\.|one case|in one|once)\b", re.IGNORECASE)
_WOULD = re.compile(r"\bi(?:'d| would)\b", re.IGNORECASE)
_NOT_KNOWN = re.compile(
    r"\b(?:i (?:do not|don't|dont) (?:really )?(?:know|remember)|no idea|not sure|i have (?:no|never)|i've never|"
    r"i haven't|(?:can't|cannot) (?:think|remember))\b",
    re.IGNORECASE,
)


_OF_EVERY_QUESTION: Final = subject_of(
    "describe example advert posting meet hardest part happened ended went done made give"
)


_INTRODUCTION: Final = re.compile(
    r"\b(?:about yourself|introduce yourself|who are you|walk (?:me|us) through your (?:cv|r[eé]sum[eé]|career))\b",
    re.IGNORECASE,
)
# What people say of themselves when they introduce themselves.
_SELF: Final = re.compile(
    r"\b(?:(?:i am|i'm) (?:currently |now |originally |a |an |the |from )|i(?:'ve| have) (?:been|worked|spent)|my "
    r"(?:background|career|name|degree|studies|training|experience|current)|years? (?:of|in|as)|i (?:currently|now) "
    r"(?:work|lead|run|study)|i work (?:as|at|in|for)|i (?:studied|graduated|trained|qualified)|at the moment|looking "
    r"for|next step)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Remark:
    """``name`` is the same for the same remark in every answer, so that a summary can count it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Feedback:
    words: int
    seconds: int
    star: tuple[StarPart, ...]
    keep: tuple[Remark, ...]
    change: tuple[Remark, ...]

    @property
    def unknown(self) -> bool:
        """The user said that they have no answer: nothing of it can be judged."""
        return any(remark.name == "no answer" for remark in self.change)

    @property
    def lines(self) -> tuple[str, ...]:
        return (
            *(f"Keep: {remark.text}" for remark in self.keep),
            *(f"Change: {remark.text}" for remark in self.change),
        )


def feedback_on(question: InterviewQuestion, answer: str) -> Feedback:
    """What the words of ``answer`` show, with the user's own words quoted. Made of what was written, so the speaking
    time is an estimate at ``PACE``.
    """
    text = " ".join(answer.replace("’", "'").split())
    words = len(text.split())
    sentences = [part.strip() for part in _SENTENCE.split(answer.replace("’", "'")) if part.strip()]
    told = {name: found for name, rule in _STAR if (found := _first(rule, sentences))}
    star: tuple[StarPart, ...] = tuple(name for name, _ in _STAR if name in told)
    keep: list[Remark] = []
    change: list[Remark] = []
    if words <= TINY_WORDS:
        return Feedback(words, _seconds(words), star, (), (_tiny(text),))
    for remark, good in _remarks(question, text, sentences, told):
        (keep if good else change).append(remark)
    return Feedback(words, _seconds(words), star, tuple(keep[:_MOST_REMARKS]), tuple(change[:_MOST_REMARKS]))


def asks_for_example(question: InterviewQuestion) -> bool:
    words = {word.strip("?,.“”").casefold() for word in question.question.split()}
    return question.kind == "behavioural" or bool(words & {"describe", "mistake", "achievement"})


def _remarks(
    question: InterviewQuestion, text: str, sentences: list[str], told: dict[StarPart, str]
) -> Iterator[tuple[Remark, bool]]:
    """Remarks with whether they praise, the weightiest first."""
    if bad := _said(_NEGATIVE, text):
        yield (
            Remark(
                "negative talk", f"“{_short(bad)}” speaks ill of people you worked with. Say what you want instead."
            ),
            False,
        )
    # A story told in parts may answer without one word of a question that asks for a story.
    story = len(told) >= 2
    missed = _no_introduction(question, text, told=story)
    if missed is None and not (story and asks_for_example(question)):
        missed = _off_subject(question, text)
    if missed is not None:
        yield missed, False
    if asks_for_example(question):
        yield from _example(sentences, told)
    else:
        yield from _explanation(sentences)
    yield from _person(text)
    yield from _length(len(text.split()))
    yield from _fillers(text)


def _example(sentences: list[str], told: dict[StarPart, str]) -> Iterator[tuple[Remark, bool]]:
    missing = [name for name in ("situation", "task", "action", "result") if name not in told]
    if not missing:
        yield Remark("all four parts", "all four parts are there: situation, task, action and result."), True
    if "action" in told and missing:
        yield Remark("own action", f"you say what you did: “{_short(told['action'])}”."), True
    if "result" in told and (sentence := _first(_NUMBER, [told["result"], *sentences])):
        yield Remark("result with a number", f"a figure makes it believable: “{_short(sentence)}”."), True
    elif "result" in told:
        yield (
            Remark("result without a number", f"put a figure or a reaction to the result “{_short(told['result'])}”."),
            False,
        )
    else:
        yield (
            Remark(
                "no result", "I find no result. End with what came of it, with a number or a reaction if there was one."
            ),
            False,
        )
    if "action" not in told:
        general = _first(_GENERAL, sentences) or _first(_WOULD, sentences)
        why = (
            f"“{_short(general)}” tells what you do in general" if general else "I find no step that you took yourself"
        )
        yield Remark("no own action", f"{why}. Tell one occasion: “I asked …, then I …”."), False
    elif general := _first(_GENERAL, sentences):
        yield (
            Remark("general statement", f"“{_short(general)}” is general; the example says more, so lead with that."),
            False,
        )
    opening = [name for name in missing if name in {"situation", "task"}]
    if opening:
        yield (
            Remark(
                f"no {opening[0]}",
                f"the {listed(opening)} cannot be made out. Begin with where it was and what you had to do.",
            ),
            False,
        )


def _explanation(sentences: list[str]) -> Iterator[tuple[Remark, bool]]:
    if reason := _first(_REASON, sentences):
        yield Remark("reason given", f"you give a reason: “{_short(reason)}”."), True
    others = [sentence for sentence in sentences if sentence != reason] or sentences
    if example := (_first(_EXAMPLE, others) or _first(_ACTION, others)):
        yield Remark("example given", f"you back it with something concrete: “{_short(example)}”."), True
    else:
        general = _first(_GENERAL, sentences)
        lead = f"“{_short(general)}” could be said by anybody" if general else "it stays general"
        yield Remark("no example", f"{lead}. Add one occasion from your own work."), False
    if not reason and not _first(_NUMBER, sentences):
        yield Remark("no reason", "say why you would do it that way, or what it led to."), False


def _person(text: str) -> Iterator[tuple[Remark, bool]]:
    mine, ours = len(_I.findall(text)), len(_WE.findall(text))
    if ours >= 3 and ours > mine:
        yield (
            Remark(
                "we rather than I",
                (
                    f"you say “we” or “our” {counted(ours, 'time')} and “I” or “my” {counted(mine, 'time')}: say which "
                    f"part was yours."
                ),
            ),
            False,
        )


def _length(words: int) -> Iterator[tuple[Remark, bool]]:
    if words < SHORT_WORDS:
        yield Remark("too short", "there is room for detail: one to two minutes is usual."), False
    elif words > LONG_WORDS:
        yield Remark("too long", "aim for two minutes at most: shorten the background first."), False
    elif words >= FULL_WORDS:
        yield Remark("good length", "the length."), True


def _fillers(text: str) -> Iterator[tuple[Remark, bool]]:
    fillers = [match.strip(" ,").casefold() for match in _FILLER.findall(text)]
    hedges = [match.casefold() for match in _HEDGE.findall(text)]
    if len(fillers) >= 2:
        yield Remark("fillers", f"{counted(len(fillers), 'filler')} ({_quoted(fillers)}): pause instead."), False
    if len(hedges) >= 3:
        yield (
            Remark(
                "hedging",
                f"you soften {counted(len(hedges), 'time')} ({_quoted(hedges)}): say it straight where you are sure.",
            ),
            False,
        )


def _off_subject(question: InterviewQuestion, text: str) -> Remark | None:
    """No word of the question, nor of what a good answer shows, occurs. Openers have no such words."""
    wanted = subject_of(question.question) - _OF_EVERY_QUESTION
    if question.kind == "opening" or len(wanted) < 2 or (wanted | subject_of(question.hint)) & subject_of(text):
        return None
    words = [word.strip('.,?“”"') for word in question.question.split() if wanted & subject_of(word)]
    return Remark(
        "off the question",
        f"this may be an answer to another question: nothing that was asked comes back in it ({_quoted(words)}). "
        "Say in the first sentence how it answers.",
    )


def is_introduction(question: InterviewQuestion) -> bool:
    """The user is asked to introduce themselves."""
    return _INTRODUCTION.search(question.question) is not None


def _no_introduction(question: InterviewQuestion, text: str, *, told: bool) -> Remark | None:
    """A single event was told where the user was asked who they are."""
    if not (told and is_introduction(question)) or _SELF.search(text):
        return None
    return Remark(
        "off the question",
        "this tells of one occasion, and the question was who you are. Keep the story for a question that asks for an "
        "example; here say what you do now, what brought you there, and why this post is next.",
    )


def _tiny(text: str) -> Remark:
    if _NOT_KNOWN.search(text):
        return Remark(
            "no answer",
            (
                "it is fine not to know. Say so in one sentence, then the nearest thing you have done or how you would "
                "go about it."
            ),
        )
    return Remark(
        "too short",
        "there is too little in it to say anything of. Take one to two minutes, and tell one example.",
    )


def _first(rule: re.Pattern[str], sentences: list[str]) -> str:
    return next((sentence for sentence in sentences if rule.search(sentence)), "")


def _said(rule: re.Pattern[str], text: str) -> str:
    match = rule.search(text)
    return match.group() if match else ""


def _short(sentence: str) -> str:
    sentence = sentence.strip().rstrip(".!?,;")
    if len(sentence) > _QUOTED_CHARS:
        sentence = sentence[:_QUOTED_CHARS].rsplit(" ", 1)[0] + " …"
    return plain(sentence, _QUOTED_CHARS + 10)


def _quoted(words: list[str]) -> str:
    return ", ".join(f"“{word}”" for word in list(dict.fromkeys(words))[:4])


def _seconds(words: int) -> int:
    return round(words / PACE * 60 / 5) * 5
