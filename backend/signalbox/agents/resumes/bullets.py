"""The bullets of a CV: what is weak about each, and each said more strongly in its own words. Pure.

A rewritten bullet adds no fact: what is missing becomes a [placeholder] for the writer to fill in or to strike.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from signalbox.agents.resumes.verbs import gerunds_in_past, in_past, tense_of
from signalbox.memory.resume.model import Resume
from signalbox.memory.words import words_in

Fault = Literal["weak_opener", "first_person", "no_result", "long", "short", "present_tense", "buzzword"]

MOST_WORDS: Final = 35
LEAST_WORDS: Final = 4
# How much a fault weighs when the weakest bullets are chosen.
_WEIGHTS: Final[dict[Fault, int]] = {
    "weak_opener": 3, "no_result": 3, "first_person": 2, "long": 2, "present_tense": 1, "short": 2, "buzzword": 2,
}  # fmt: skip

_OPENERS: Final = re.compile(
    r"^(?P<duty>(?:was |were |am |is |being |solely |also |fully |mainly )*(?:responsible for|in charge of|tasked with|"
    r"accountable for|charged with)|(?:my )?(?:main |key |daily )*(?:duties|responsibilities|tasks|role)"
    r"(?: (?:included?|were|was|are|involved|consisted of))?:?)\s+(?:the (?=\w+ing\b))?"
    r"|^(?P<part>(?:was |were |got |been |am )?(?:also )?(?:involved (?:in|with)|part of|engaged in)|"
    r"helped(?: out)?(?: with| to| in| on)?|assisted(?: with| in| to)?|participated in|took part in|contributed to|"
    r"supported(?: with| in)|exposure to|familiar with)\s+"
    r"|^(?P<vague>worked on|worked in|did(?! not)|handled|dealt with|looked after|took care of|"
    r"experience (?:in|with|of)|had to|got to)\s+",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(
    r"^(?:(?:i|we)(?:['’](?:ve|m|d|ll))?(?: (?:also|have|had|was|am|would|can|could|did))*)\s+", re.IGNORECASE
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|me|my|mine|myself|we|our|us)\b(?![.&/])|\b[Mm]y\b|\b[Ii]['’](?:m|ve|d|ll)\b")
_NUMBER: Final = re.compile(
    r"\d|[%€$£]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundreds?|"
    r"thousands?|dozens?|millions?|half|halved|doubled|tripled|twice|a third|a quarter)\b",
    re.IGNORECASE,
)
_RESULT: Final = re.compile(
    r"\b(?:result(?:ed|ing) in|so that|which (?:cut|saved|raised|led|made|let|gave|won|reduced|increased|improved)|"
    r"lead(?:ing)? to|led to|saving|saved|reducing|reduced|increasing|increased|cutting|cut|improving|improved|raising|"
    r"raised|boosting|boosted|growing|grew|winning|won|award(?:ed)?|enabling|enabled|prevent(?:ed|ing)|"
    r"eliminat(?:ed|ing)|shorten(?:ed|ing)|speed(?:ing)? up|sped up|faster|fewer|on time|under budget|promoted|adopted|"
    r"exceed(?:ed|ing))\b",
    re.IGNORECASE,
)
# Things that come in numbers a reader would like to know.
_COUNTABLE: Final = re.compile(
    r"(?<![\w\]-])(?:(?:new|junior|senior|local|monthly|weekly|daily|annual|customer|client|sales|support|internal|"
    r"external|key|large|small|corporate|private|young|live|online)\s+)?(?P<word>customers|clients|patients|students|pupils|children|guests|users|people|employees|colleagues|"
    r"staff|starters|trainees|members|volunteers|engineers|developers|technicians|accounts|stores|shops|sites|branches|"
    r"projects|reports|dashboards|events|campaigns|orders|calls|tickets|invoices|products|machines|vehicles|deliveries|"
    r"complaints|applications|services|classes|lessons|workshops|pages|articles|suppliers|vendors|tests|systems|rooms)\b",
    re.IGNORECASE,
)
_BUZZWORDS: Final = re.compile(
    r"\b(?:team[- ]?players?|hard[- ]?working|hard[- ]?worker|results?[- ](?:driven|oriented)|detail[- ]oriented|"
    r"attention to detail|self[- ](?:starter|motivated)|go[- ]getter|think(?:ing|s)? outside (?:of )?the box|synerg\w+|"
    r"proven track record|track record of success|dynamic (?=professional|team|individual|person|environment)|"
    r"passionate|highly motivated|motivated|enthusiastic|"
    r"excellent communication(?: skills)?|good communication(?: skills)?|strong communication(?: skills)?|"
    r"communication skills|people person|fast[- ]paced(?: environment)?|best of breed|game[- ]changer|guru|ninja|"
    r"rockstar|"
    r"world[- ]class|cutting[- ]edge|value[- ]add(?:ed)?|go[- ]to person|works? well under pressure|"
    r"good with people|quick learner|fast learner|multi[- ]?task(?:er|ing)?|perfectionist|out[- ]of[- ]the[- ]box|"
    r"strategic thinker|problem solver|win[- ]win|move the needle|"
    r"seasoned (?=professional|manager|leader)|dedicated professional)\b",
    re.IGNORECASE,
)
_SMALL: Final = words_in("the a an all our my their its this these new daily weekly monthly")
# A line that names the tools of a job is none on what was done.
_TOOLS: Final = re.compile(r"^(?:tech\w*|tools|stack|environment|skills|methods)\b[^:]{0,20}:\s", re.IGNORECASE)
_PLACEHOLDER: Final = re.compile(r"\[[^\]]*\]")
# "[how many] customers" is right behind a verb or a preposition; behind "the", "web" or "all" it is not.
_MAY_COUNT: Final = re.compile(r"^$|^[\w-]+\s+$|\b(?:for|of|with|to|from|in|on|across|and|by|at)\s+$", re.IGNORECASE)
_JOINT: Final = re.compile(r";\s+|\.\s+(?=[A-Z])|,?\s+and\s+(?=\w+(?:ed|ing)\b)|,\s+(?:and\s+)?")
_SPELLINGS: Final = dict(
    pair.split(":")
    for pair in words_in(
        """managment:management menaged:managed acheived:achieved acheivement:achievement
        experiance:experience expirience:experience recieved:received succesful:successful
        succesfully:successfully sucessful:successful enviroment:environment liason:liaison
        developement:development maintainance:maintenance maintenence:maintenance comunication:communication
        knowlege:knowledge responsable:responsible responsibilty:responsibility
        responsability:responsibility technican:technician technicans:technicians custumer:customer
        custumers:customers costumers:customers buisness:business proffesional:professional
        profesional:professional proffessional:professional accomodate:accommodate collegues:colleagues
        colleages:colleagues definately:definitely implemention:implementation recomend:recommend
        recomended:recommended strenght:strength strenghts:strengths seperate:separate
        perfomance:performance preformance:performance analisis:analysis anaylsis:analysis langauge:language
        langauges:languages univeristy:university univercity:university secratary:secretary
        necesary:necessary occured:occurred persue:pursue gaurantee:guarantee equiptment:equipment
        schedual:schedule restaraunt:restaurant restaurent:restaurant certficate:certificate
        trainning:training writting:writing begining:beginning teh:the adress:address"""
    )
)
_MISSPELLED: Final = re.compile(rf"\b(?:{'|'.join(map(re.escape, _SPELLINGS))})\b", re.IGNORECASE)
RESULT: Final = "[with what result]"
OWN_PART: Final = "[what you did yourself]"
VERB: Final = "[led, ran, built or improved]"
EXAMPLE: Final = "[one example that shows it: what you did, and what came of it]"
HOW_MANY: Final = "[how many]"


@dataclass(frozen=True, slots=True)
class Bullet:
    """``number`` counts all bullets of jobs and projects from 1, ``of`` names the job; ``past``: the job is over."""

    number: int
    text: str
    of: str
    section: Literal["work", "projects"] = "work"
    past: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    bullet: Bullet
    faults: tuple[Fault, ...]

    @property
    def weight(self) -> int:
        return sum(_WEIGHTS[fault] for fault in self.faults)


def bullets_of(resume: Resume) -> tuple[Bullet, ...]:
    """All bullets of the CV, numbered in its order."""
    found: list[Bullet] = []
    for job in resume.work:
        name = ", ".join(part for part in (job.title, job.company) if part)
        found += [Bullet(0, text, name, "work", past=job.end is not None) for text in job.highlights]
    for project in resume.projects:
        found += [Bullet(0, text, project.name, "projects") for text in project.highlights]
    return tuple(replace(each, number=number) for number, each in enumerate(found, start=1))


def judged(bullet: Bullet) -> Judged:
    return Judged(bullet, tuple(_faults(bullet)))


def weakest(bullets: Sequence[Bullet]) -> list[Judged]:
    """Those with a fault, the weakest first; equals in the order of the CV."""
    return sorted((each for each in map(judged, bullets) if each.faults), key=lambda each: -each.weight)


def has_result(text: str) -> bool:
    return _NUMBER.search(text) is not None or _RESULT.search(text) is not None


def has_number(text: str) -> bool:
    return _NUMBER.search(text) is not None


def buzzwords_in(text: str) -> tuple[str, ...]:
    """As they are written there, each once."""
    found = {match.group().casefold(): match.group() for match in _BUZZWORDS.finditer(text)}
    return tuple(found.values())


def is_first_person(text: str) -> bool:
    return _FIRST_PERSON.search(text) is not None or _PRONOUN.match(text) is not None


def _faults(bullet: Bullet) -> Iterator[Fault]:
    if _TOOLS.match(bullet.text):
        return
    text, words = bullet.text, len(bullet.text.split())
    bare = _PRONOUN.sub("", text)
    if _OPENERS.match(bare):
        yield "weak_opener"
    if is_first_person(text):
        yield "first_person"
    # What a project is comes before what came of it.
    if bullet.section == "work" and not has_result(text):
        yield "no_result"
    if words > MOST_WORDS:
        yield "long"
    if words < LEAST_WORDS and not has_number(text):
        yield "short"
    if bullet.past and tense_of(bare) == "present":
        yield "present_tense"
    if buzzwords_in(text):
        yield "buzzword"


def rewritten(bullet: Bullet) -> str:
    """The bullet said more strongly, in its own words, with placeholders where something is missing; one that is too
    long in two lines. The same text back if there is nothing to gain.
    """
    text = respelled(_PRONOUN.sub("", bullet.text.strip()).rstrip(" .;"))
    if not _BUZZWORDS.sub("", text).strip(" ,.;"):
        return EXAMPLE
    text = _opened(text)
    if bullet.past and tense_of(text) == "present":
        text = in_past(text)
    text = _less_buzz(text)
    if bullet.section == "work" and not has_result(_PLACEHOLDER.sub("", text)):
        counted = _COUNTABLE.search(text)
        if counted and _MAY_COUNT.search(text[: counted.start()]):
            text = f"{text[: counted.start()]}{HOW_MANY} {text[counted.start() :]}"
        text = f"{text}, {RESULT}"
    return _split(text[:1].upper() + text[1:])


def respelled(text: str) -> str:
    """``text`` with the common misspellings in it mended."""
    return _MISSPELLED.sub(lambda match: _like(match.group(), _SPELLINGS[match.group().casefold()]), text)


def misspellings_in(text: str) -> tuple[tuple[str, str], ...]:
    """(as written, as it should be), each once."""
    found = {match.group(): _SPELLINGS[match.group().casefold()] for match in _MISSPELLED.finditer(text)}
    return tuple(found.items())


def _like(written: str, right: str) -> str:
    return right[:1].upper() + right[1:] if written[:1].isupper() else right


def _split(text: str) -> str:
    """One that is too long as two, parted at the joint nearest to its middle."""
    if len(text.split()) <= MOST_WORDS:
        return text
    joints = list(_JOINT.finditer(text, len(text) // 4, len(text) * 3 // 4))
    if not joints:
        return text
    joint = min(joints, key=lambda match: abs(match.start() - len(text) / 2))
    rest = text[joint.end() :]
    return f"{text[: joint.start()].rstrip(' ,;')}\n{rest[:1].upper()}{rest[1:]}"


def _opened(text: str) -> str:
    """``text`` with its weak opening turned into what was done, as far as it says so."""
    match = _OPENERS.match(text)
    if not match:
        return text
    rest = text[match.end() :]
    kind = match.lastgroup
    if kind == "duty":
        return gerunds_in_past(rest) or f"{VERB} {_lowered(rest)}"
    if kind == "vague":
        return f"{VERB} {_lowered(rest)}"
    mark = re.search(r"\b(with|in|on)\s*$", match.group(), re.IGNORECASE)
    if mark is None:  # "helped customers", "contributed to": that says for whom or to what, not what was done
        return f"{text}, {OWN_PART}"
    return f"{OWN_PART} {'in' if mark[1].casefold() == 'in' else 'for'} {_lowered(rest)}"


def _less_buzz(text: str) -> str:
    bare = re.sub(rf"(?:\b(?:and|in a|with|a|an|as a)\s+)?{_BUZZWORDS.pattern}", "", text, flags=re.IGNORECASE)
    bare = " ".join(re.sub(r"\s+([,.;])", r"\1", bare).split()).strip(" ,;")
    return bare if len(bare.split()) >= LEAST_WORDS else text


def _lowered(text: str) -> str:
    """With a small letter where only the place at the start has made it a capital."""
    first = text.split(" ", 1)[0].casefold()
    return text[:1].lower() + text[1:] if first in _SMALL or first.endswith("ing") else text
