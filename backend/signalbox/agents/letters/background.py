"""What a letter may say of its writer: the profile, the CV and what the message itself states. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from signalbox.agents.turn import Facts
from signalbox.agents.words.profile_words import value_of, values_of
from signalbox.blocks import ProfileFact
from signalbox.memory.resume.facts import held_title, skills_of
from signalbox.memory.resume.model import EducationItem, Resume, WorkItem
from signalbox.memory.statements import own_words, sentences
from signalbox.retrieval.skills import SkillVocabulary

MAX_JOBS: Final = 6
_TOOLS: Final = frozenset({"software", "data", "cloud", "security"})
_LONGEST_NAME: Final = 60
_LONGEST_BULLET: Final = 38
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_ADVERB: Final = r"(?:(?:also|once|even|recently|currently|previously|successfully|personally|later|now)\s+)*"
# What someone tells of themselves, and not what they want of us.
_OF_ONESELF = re.compile(
    rf"^(?:i(?:'ve|’ve| have) (?!got rejected|to\b|been told|drafted|written|not?\b|an? (?:question|problem))|"
    rf"i(?:'m|’m| am) {_ADVERB}(?:an?|the|currently|now|responsible|working|used|good|trained|qualified|fluent)\b|"
    rf"i {_ADVERB}(?:work|worked|led|ran|run|manage[ds]?|built|build|taught|teach|speak|hold|held|organi[sz]ed|"
    r"answered|cooked|looked|trained|studied|volunteer\w*|grew|did|kept|set up|started|supervised?|handled?|won|"
    r"saved|increased|reduced|cut|helped|designed?|developed|delivered|created|launched|improved|introduced|implemented|oversaw|"
    r"coordinated?|sold|raised|hired|mentor(?:ed)?|wrote|presented|negotiated|completed|passed|earned)\b|"
    r"what i (?:believe|bring|offer)\b|i (?:believe|grew up)\b|my (?:degree|team|experience|work|last job|"
    r"current job)\b)",
    re.IGNORECASE,
)
_BEHIND_A_REQUEST = re.compile(
    r"\s*(?:[,;:]|\s[–—-])\s+(?:(?:and|as|because|since|so you know|btw|by the way|note that|given that)\s+)?"
    rf"(?=i(?:'ve|'m| am| have| {_ADVERB}(?:work|worked|led|ran|run|managed?|built|taught|teach|speak|hold|held|"
    r"studied|trained|volunteer\w*|love|enjoy|know))\b)",
    re.IGNORECASE,
)
# A letter has a sentence of its own for them.
_LANGUAGES_ALONE = re.compile(r"^i (?:also )?speak \w+(?:(?:,| and) \w+){0,3}$", re.IGNORECASE)
# Years in one job are not all the years there are.
_IN_ONE_JOB = re.compile(r"\b(?:work(?:ed|ing)?|was|spent)\b[^.?!\n]{0,80}\b(?:at|with|for)\s+(?!\d)[A-ZÀ-Þ]")
# "..., add that" and "add that ...": what is to become of a sentence is no part of it.
_ADD_IT = re.compile(
    r"[\s,;.–—-]{1,4}(?:(?:so|and|please|pls|can you|could you|you can|also)\s+)*"
    r"(?:add|mention|include|work|put|use|say)\s+(?:that|it|this|these|them)\b[^.!?\n]{0,40}[.!?]*$",
    re.IGNORECASE,
)
_SAY_THAT = re.compile(
    r"^(?:(?:and|also|oh|btw|by the way|plus|ok|okay|now|then|but|well|actually|please|pls|could you|can you)[,\s]+)*"
    r"(?:(?:add|mention|include|say|put in|state)\s+(?:also\s+)?(?:in\s+)?(?:the fact\s+)?(?:that\s+)?)?"
    r"(?=i(?:['’](?:ve|m)|\s))",
    re.IGNORECASE,
)
_MOST_SAID: Final = 6
_FEWEST_WORDS: Final = 4
_MOST_WORDS: Final = 45
_NOT_FOR_A_LETTER = re.compile(
    r"\b(?:letter|cv|résumé|resume|apply|applying|application|advert|posting|help me|this job|the form|you|worth|"
    r"salary|"
    r"reject\w*|hate|fired|sacked|tired|never written|like that|anything)\b",
    re.IGNORECASE,
)


class HeldJob(Facts):
    """A job of the CV. ``period`` is in words: "since March 2021", "from 2019 to 2021"."""

    title: str
    company: str
    period: str = ""
    current: bool = False
    highlights: tuple[str, ...] = ()


class Background(Facts):
    """All that may be claimed, but ``implied``: skills that are only read into the CV ("for the sales team"), neither
    claimed nor called missing. ``said``: the user's own sentences; ``projects`` are highlights of projects.
    """

    name: str = ""
    title: str = ""
    years: str = ""
    skills: tuple[str, ...] = ()
    implied: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    certificates: tuple[str, ...] = ()
    jobs: tuple[HeldJob, ...] = ()
    education: tuple[str, ...] = ()
    studying: bool = False
    projects: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    has_cv: bool = False

    @property
    def known(self) -> bool:
        """Whether there is enough to write more than blanks."""
        return bool(self.jobs or self.skills or self.title or self.said)


def background_of(
    profile: Sequence[ProfileFact], resume: Resume | None, asked: str, vocabulary: SkillVocabulary
) -> Background:
    """The user's own words come before the profile, the profile before the CV."""
    # Long runs of signs say nothing, and patterns that skip them cost far more than their length.
    asked = re.sub(r"[\W_]{8,}", lambda run: run.group()[:3], asked)
    told = own_words(told_apart(asked), vocabulary)
    held = [fact for fact in profile if fact.kind == "fact"]
    said = {key: [fact.value for fact in told if fact.key == key and fact.kind == "fact"] for key in
            ("name", "title", "years", "skill", "language", "certificate")}  # fmt: skip
    own = [fact.value for fact in held if fact.key == "skill" and not (fact.source_message_id or "").startswith("cv_")]
    languages = [*said["language"], *values_of(held, "language")]
    certificates = [*said["certificate"], *values_of(held, "certificate")]
    if resume:
        languages += [f"{each.language} ({each.level})" if each.level else each.language for each in resume.languages]
        certificates += [each.name for each in resume.certificates]
    stated = _once(
        [*said["skill"], *own, *(_stated_skills(resume, vocabulary) if resume else values_of(held, "skill"))]
    )
    # A language is no tool: it has a sentence of its own.
    skills = tuple(skill for skill in _rejoined(stated, vocabulary) if vocabulary.field(skill) != "languages")
    others = [*values_of(held, "skill"), *(skills_of(resume, vocabulary) if resume else ())]
    return Background(
        name=_line((said["name"] or [value_of(profile, "name") or ""])[0]),
        title=_line((said["title"] or [value_of(held, "title") or (held_title(resume) if resume else "")])[0]),
        years=value_of(held, "years") or (said["years"] or [""])[0]
        if _IN_ONE_JOB.search(asked)
        else (said["years"] or [value_of(held, "years") or ""])[0],
        skills=skills,
        implied=tuple(skill for skill in _once(others) if skill not in stated),
        languages=_languages(languages),
        certificates=_once(certificates),
        jobs=tuple(_job(item) for item in _newest_first(resume.work))[:MAX_JOBS] if resume else (),
        education=tuple(filter(None, (_education(item) for item in resume.education))) if resume else (),
        studying=bool(resume and resume.education and resume.education[0].current),
        projects=tuple(_bullet(h) for p in resume.projects for h in p.highlights if _bullet(h))[:8] if resume else (),
        said=own_sentences(asked),
        notes=tuple(_line(fact.value, 500) for fact in profile if fact.key == "note"),
        has_cv=resume is not None,
    )


def _rejoined(skills: Sequence[str], vocabulary: SkillVocabulary) -> tuple[str, ...]:
    """``A`` and ``B testing`` are one skill that a stroke parted; a letter alone is none that is not known as one."""
    letters = {skill for skill in skills if len(skill) == 1 and vocabulary.canonical(skill) is None}
    whole = []
    for skill in skills:
        parted = next(
            (joined for letter in sorted(letters) if (joined := vocabulary.canonical(f"{letter}/{skill}"))), None
        )
        if skill not in letters:
            whole.append(parted or skill)
    return tuple(dict.fromkeys(whole))


def _stated_skills(resume: Resume, vocabulary: SkillVocabulary) -> tuple[str, ...]:
    """Those the CV lists, and the tools its jobs name: who tells of work with a tool has used it."""
    listed = vocabulary.extract(", ".join(resume.skills), loose=True)
    tools = (skill for skill in skills_of(resume, vocabulary) if vocabulary.field(skill) in _TOOLS)
    return tuple(dict.fromkeys((*listed, *tools)))


def told_apart(asked: str) -> str:
    """With what is told of oneself behind a request as a sentence of its own: "a letter for ..., I have taught ..."."""
    return _BEHIND_A_REQUEST.sub(". ", asked.replace("’", "'"))


def own_sentences(asked: str) -> tuple[str, ...]:
    """The writer's sentences about themselves, word for word, fit to stand in a letter; the newest where there are
    many.
    """
    return tuple(dict.fromkeys(sentence for sentence, _ in _said_of_oneself(asked)))[-_MOST_SAID:]


def without_own_sentences(asked: str) -> str:
    """What is left of a request: a company of one's past is not the one that is written to."""
    asked = asked.replace("’", "'")
    for _, raw in _said_of_oneself(asked):
        asked = asked.replace(raw, " ")
    return asked


def _said_of_oneself(asked: str) -> Iterator[tuple[str, str]]:
    """Each sentence as it may stand in a letter, and as it was typed."""
    for raw in sentences(told_apart(asked)):
        for part in re.split(r",\s+(?:and )?(?=[iI](?:'ve|'m| )\s?\w)|(?<=[a-z]) and (?=[iI](?:'ve|'m) )|;\s+", raw):
            typed = _SAY_THAT.sub("", _ADD_IT.sub("", part.strip(" ,.")), count=1).strip(" ,.")
            text = _line(typed, 400)
            unfit = _NOT_FOR_A_LETTER.search(text) or _LANGUAGES_ALONE.match(text)
            if _OF_ONESELF.match(text) and not unfit and _FEWEST_WORDS <= len(text.split()) <= _MOST_WORDS:
                text = _written_out(re.sub(r"\bi(?=$|['\s,.])", "I", text))
                yield text[:1].upper() + text[1:] + ".", typed


def _written_out(text: str) -> str:
    """A letter has no contractions."""
    for short, whole in (("'ve", " have"), ("'m", " am"), ("'ll", " will"), ("n't", " not")):
        text = re.sub(rf"(?<=\w){short}\b", whole, text)
    return text.replace("ca not", "cannot").replace("wo not", "will not")


def _newest_first(work: Sequence[WorkItem]) -> list[WorkItem]:
    dated = any(item.start or item.end for item in work)
    return (
        sorted(work, key=lambda item: (item.current, item.end or item.start or ""), reverse=True)
        if dated
        else list(work)
    )


def _job(item: WorkItem) -> HeldJob:
    return HeldJob(
        title=_line(item.title),
        company=_line(item.company),
        period=period_words(item.start, item.end, current=item.current),
        current=item.current,
        highlights=tuple(filter(None, (_bullet(text) for text in item.highlights))),
    )


def period_words(start: str | None, end: str | None, *, current: bool) -> str:
    if current:
        return f"since {_moment(start)}" if start else ""
    if start and end and start[:4] != end[:4]:
        return f"from {_moment(start)} to {_moment(end)}"
    only = start or end
    return f"in {only[:4]}" if only else ""


def _moment(moment: str) -> str:
    return f"{_MONTHS[int(moment[5:7]) - 1]} {moment[:4]}" if len(moment) == 7 else moment


def _education(item: EducationItem) -> str:
    """``BSc Computer Science, University of Leeds (2018)``."""
    name = ", ".join(filter(None, (_line(item.degree, 90), _line(item.institution))))
    return f"{name} ({item.end[:4]})" if name and item.end and not item.current else name


def _bullet(text: str) -> str:
    """The first sentence, if it is not too long to be said in a letter."""
    first = re.split(r"(?<=[a-z0-9)%])[.;]\s+(?=[A-Z])", _line(text, 400))[0].strip(" .;,-•*")
    return first if 3 <= len(first.split()) <= _LONGEST_BULLET else ""


def _languages(stated: Sequence[str]) -> tuple[str, ...]:
    """Each language once, with its level where one is known."""
    kept: dict[str, str] = {}
    for value in stated:
        name = value.split(" (")[0].casefold()
        if name not in kept or ("(" in value and "(" not in kept[name]):
            kept[name] = _line(value)
    return tuple(kept.values())


def _once(values: Sequence[str]) -> tuple[str, ...]:
    kept: dict[str, str] = {}
    for value in values:
        line = _line(value, 90)
        if line:
            kept.setdefault(line.casefold(), line)
    return tuple(kept.values())


def _line(text: str, limit: int = _LONGEST_NAME) -> str:
    """On one line, without brackets of its own: those would pass for placeholders."""
    line = " ".join(re.sub(r"[\[\]]", " ", text).split())
    return line if len(line) <= limit else line[:limit].rsplit(" ", 1)[0]
