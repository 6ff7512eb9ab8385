"""Reads a CV out of its lines: sections by their headings, jobs by their dates. Pure; any text has a reading.

What no rule understands stays in ``other`` and in ``text``: nothing is dropped but contact data.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from signalbox.memory.resume.contact import town_of, without_contact
from signalbox.memory.resume.dates import find_stretch
from signalbox.memory.resume.entries import (
    certificates,
    education_items,
    is_place,
    names_title,
    projects,
    work_items,
)
from signalbox.memory.resume.lines import Line, heading_of, joined, lines_of, plain_text
from signalbox.memory.resume.model import (
    PASTED,
    ContactKind,
    OtherSection,
    Resume,
    SectionName,
    SpokenLanguage,
)
from signalbox.memory.words import words_in
from signalbox.retrieval.places import gazetteer

MAX_SKILLS: Final = 150
MAX_OTHER: Final = 20
_LONGEST_SKILL: Final = 60
_LONGEST_HEADLINE: Final = 120
_LONGEST_SUMMARY: Final = 3_000
_LANGUAGES: Final = words_in(
    """arabic bengali bulgarian cantonese catalan chinese croatian czech danish dutch english estonian farsi finnish
    flemish french gaelic german greek gujarati hebrew hindi hungarian icelandic indonesian irish italian japanese
    korean latvian lithuanian malay mandarin norwegian persian polish portuguese punjabi romanian russian serbian
    slovak slovenian somali spanish swahili swedish tagalog tamil telugu thai turkish ukrainian urdu vietnamese welsh
    deutsch englisch französisch spanisch italienisch türkisch russisch polnisch anglais français allemand espagnol
    italien inglés español francés alemán inglese italiano tedesco francese engels nederlands duits frans"""
)
# "A/B testing" and "CI/CD" are one skill each, "Python/R" and "HTML / CSS" are two.
_SPLIT_SKILLS: Final = re.compile(
    r"\s*[,;|•·]\s*(?![^()]*\))|\s*(?<!\bA)(?<!\bCI)(?<!\bUI)(?<!\bUX)(?<!\bTCP)(?<!\bPL)(?<!\bI)(?<!\bR&D)"
    r"/\s*(?![^()]*\))|\s+/\s+|\s{2,}|\s+[–—]\s+",
    re.IGNORECASE,
)
_SKILL_LABEL: Final = re.compile(r"^[^:,;]{2,40}:\s*")
_LEVEL_BEHIND: Final = re.compile(
    r"\s*[(–—:-]+\s*(?:expert|advanced|intermediate|beginner|basic|proficient|fluent|good|excellent|very good|"
    r"\d+\+? ?(?:years?|yrs?)|\d/\d+|[●○★☆◆◇■□]+)\)?\s*$",
    re.IGNORECASE,
)
_LANGUAGE_LINE: Final = re.compile(r"^(?P<language>[^\W\d_]+)\b\s*(?P<rest>.*)$")
_LEVEL_AHEAD: Final = re.compile(r"^(?P<level>.{3,30}?)\s+(?:in\s+)?(?P<language>[^\W\d_]+)$")
_LOCATION_LABEL: Final = re.compile(
    r"^(?:location|based in|lives in|living in|city|residence|wohnort|ort)\s*:?\s+", re.IGNORECASE
)
_PLACE_BEHIND: Final = re.compile(r"\s+(?:based )?in\s+(?P<place>[^\W\d_][^,|]{1,40}(?:,\s*[^,|]{2,30})?)$")
_WORD: Final = re.compile(r"[^\W\d_]+")
_PIECES: Final = re.compile(r"\s+@\s+|\s*[|•·]\s*|\s{2,}|\s+[–—]\s+")
_EDGES: Final = " ,;|·•–—-:()[]\t"


@dataclass(frozen=True, slots=True)
class ResumeReading:
    """``name`` is the writer's as the CV states it, kept apart: it is no part of the CV that is stored."""

    resume: Resume
    name: str = ""


@dataclass(slots=True)
class _Section:
    kind: SectionName
    heading: str
    lines: list[Line] = field(default_factory=list)


def read_text(text: str, *, source: str = PASTED) -> ResumeReading:
    """A CV from pasted text or Markdown."""
    return read_lines(lines_of(text), source=source)


def read_lines(
    lines: Sequence[Line], *, source: str = PASTED, pages: int | None = None, photo: bool = False
) -> ResumeReading:
    """A CV from lines that a parser has found."""
    cleaned = without_contact(joined(lines))
    head, sections = _sections(cleaned.lines)
    opening = _opening(head)
    contact: tuple[ContactKind, ...] = (*cleaned.contact, *(("photo",) if photo else ()))
    of = {kind: [line for part in sections if part.kind == kind for line in part.lines] for kind in _READ}
    skills, spoken = _skills(of["skills"]), list(_languages(of["languages"]))
    # "Languages: Python, Go" under the skills is no list of spoken ones.
    skills += _loose_items(of["languages"])
    resume = Resume(
        headline=opening.headline,
        summary=_prose([*opening.prose, *(line.text for line in of["summary"])]),
        location=opening.location or _stated_location(sections),
        work=work_items(of["work"]),
        education=education_items(of["education"]),
        skills=tuple(dict.fromkeys(skills))[:MAX_SKILLS],
        languages=tuple(spoken),
        certificates=certificates(of["certificates"]),
        projects=projects(of["projects"]),
        other=tuple(
            OtherSection(section=part.kind, heading=part.heading, lines=tuple(line.text for line in part.lines))
            for part in sections
            if part.kind not in _READ and part.lines
        )[:MAX_OTHER],
        sections=tuple(dict.fromkeys(part.kind for part in sections if part.lines)),
        contact=tuple(dict.fromkeys(contact)),
        pages=pages,
        text=plain_text(cleaned.lines),
        source=source,
    )
    return ResumeReading(resume, cleaned.name)


_READ: Final[tuple[SectionName, ...]] = (
    "summary", "work", "education", "skills", "languages", "certificates", "projects",
)  # fmt: skip


def _sections(lines: Sequence[Line]) -> tuple[list[Line], list[_Section]]:
    """What stands before the first heading, and the sections."""
    head: list[Line] = []
    sections: list[_Section] = []
    for line in lines:
        heading = heading_of(line)
        if heading is not None and not _is_inner(heading.section, line, sections):
            sections.append(_Section(heading.section, heading.text))
            if heading.rest:
                sections[-1].lines.append(Line(heading.rest))
        else:
            (sections[-1].lines if sections else head).append(line)
    if not any(part.kind == "work" for part in sections):
        head, work = _work_without_heading(head)
        if work:
            sections.insert(0, _Section("work", "", work))
    return head, sections


def _is_inner(kind: SectionName, line: Line, sections: Sequence[_Section]) -> bool:
    """A heading within a job: "Key achievements:" or "Technologies: Java" above the next bullet."""
    if not sections or line.level > 0:
        return False
    if sections[-1].kind == "skills" and kind == "languages":
        return _LANGUAGES.isdisjoint(_WORD.findall(line.text.casefold())) and ":" in line.text.rstrip(": ")
    if sections[-1].kind not in {"work", "projects"}:
        return False
    if kind == "awards":
        return line.text.endswith(":") or not line.after_blank
    return kind in {"skills", "languages"} and ":" in line.text.rstrip(": ") and not line.after_blank


def _work_without_heading(head: list[Line]) -> tuple[list[Line], list[Line]]:
    """A CV without headings: its jobs begin with the line that has the first dates, or the head of a line above."""
    first = next((number for number, line in enumerate(head) if find_stretch(line.text)), None)
    if first is None:
        return head, []
    rest = find_stretch(head[first].text)
    bare = rest is not None and len(head[first].text) - (rest.at[1] - rest.at[0]) <= 3
    while first > 0 and bare and not head[first].after_blank and len(head[first - 1].text) <= 80:
        first -= 1
    return head[:first], head[first:]


@dataclass(slots=True)
class _Opening:
    headline: str = ""
    location: str = ""
    prose: list[str] = field(default_factory=list)


def _opening(head: Sequence[Line]) -> _Opening:
    """Headline, place and opening words of what stands before the first heading."""
    found = _Opening()
    for line in head:
        text = line.text
        if len(text.split()) > 16 or (text.endswith(".") and len(text.split()) > 6):
            found.prose.append(text)
            continue
        for piece in _PIECES.split(text):
            part = piece.strip(_EDGES)
            if place := _place(part):
                found.location = found.location or place
            elif not found.headline and names_title(part) and len(part) <= _LONGEST_HEADLINE:
                found.headline, place = _less_place(part)
                found.location = found.location or place
            elif len(part.split()) > 6:
                found.prose.append(part)
    return found


def _less_place(headline: str) -> tuple[str, str]:
    """Title and place of a headline like "Waitress in Rome"."""
    match = _PLACE_BEHIND.search(headline)
    if match and gazetteer().find(match["place"].partition(",")[0]):
        return headline[: match.start()], match["place"]
    return headline, ""


def _place(text: str) -> str:
    bare = _LOCATION_LABEL.sub("", text).strip(_EDGES)
    parts = town_of(bare).split(", ")
    if not parts[0] or len(parts) > 4 or len(bare) > 60 or names_title(bare):
        return ""
    # A town nobody knows is a place all the same beside a region or behind a label.
    known = gazetteer().find(parts[0]) or (len(parts) > 1 and is_place(parts[-1])) or bare != text.strip(_EDGES)
    return ", ".join(parts) if known else ""


def _stated_location(sections: Sequence[_Section]) -> str:
    for part in sections:
        if part.kind == "other":
            for line in part.lines:
                if place := _place(line.text.strip(_EDGES)):
                    return place
    return ""


def _prose(lines: Sequence[str]) -> str:
    return " ".join(lines)[:_LONGEST_SUMMARY].strip()


def _skills(lines: Sequence[Line]) -> list[str]:
    found: dict[str, None] = {}
    for line in lines:
        text = _SKILL_LABEL.sub("", line.text) if ":" in line.text else line.text
        if line.text.endswith(":") and not text:
            continue
        for piece in _SPLIT_SKILLS.split(text):
            skill = _LEVEL_BEHIND.sub("", piece).strip(_EDGES.replace("(", "").replace(")", "") + ".")
            skill = re.sub(r"^(?:and|or|as well as)\s+", "", skill)
            if 0 < len(skill) <= _LONGEST_SKILL:
                found[skill] = None
    return list(found)


def _languages(lines: Sequence[Line]) -> Iterator[SpokenLanguage]:
    for text in (piece for line in lines for piece in _language_pieces(line)):
        ahead, behind = _LANGUAGE_LINE.match(text), _LEVEL_AHEAD.match(text)
        if ahead and ahead["language"].casefold() in _LANGUAGES:
            level = re.sub(r"^(?:in|at|as|level|is)\s+", "", ahead["rest"].strip(_EDGES), flags=re.IGNORECASE)
            yield SpokenLanguage(language=ahead["language"].capitalize(), level=level.strip(_EDGES + "."))
        elif behind and behind["language"].casefold() in _LANGUAGES:
            yield SpokenLanguage(language=behind["language"].capitalize(), level=behind["level"].strip(_EDGES))


def _loose_items(lines: Sequence[Line]) -> Iterator[str]:
    """What stands under "languages" and is none that people speak."""
    for line in lines:
        if _LANGUAGES.isdisjoint(_WORD.findall(line.text.casefold())):
            yield from (text for text in _language_pieces(line) if len(text) <= _LONGEST_SKILL)


def _language_pieces(line: Line) -> Iterator[str]:
    for piece in re.split(r"\s*[,;|•·]\s*(?![^()]*\))|\s{2,}|\s+and\s+|\.\s+", line.text):
        if text := piece.strip(_EDGES.replace("(", "").replace(")", "")):
            yield text
