"""Reads a JSON Resume (jsonresume.org) and what is near enough to one. Pure; what has the wrong type is passed over.

Its text is written out as a CV and read for contact data like any other, so nothing private gets past in a summary.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from signalbox.memory.resume.contact import redacted, town_of
from signalbox.memory.resume.dates import moment_of
from signalbox.memory.resume.lines import Line, plain_text
from signalbox.memory.resume.model import (
    Certificate,
    ContactKind,
    EducationItem,
    OtherSection,
    Project,
    Resume,
    SectionName,
    SpokenLanguage,
    WorkItem,
)
from signalbox.memory.resume.text import ResumeReading

MAX_ITEMS: Final = 60
_LONGEST: Final = 2_000
_SECTIONS: Final[dict[str, SectionName]] = {
    "work": "work", "experience": "work", "education": "education", "skills": "skills", "languages": "languages",
    "certificates": "certificates", "certifications": "certificates", "projects": "projects",
    "volunteer": "volunteering", "awards": "awards", "publications": "publications", "interests": "interests",
    "references": "references",
}  # fmt: skip
_OTHER: Final = ("volunteer", "awards", "publications", "interests", "references")


def is_json_resume(value: Any) -> bool:
    return isinstance(value, Mapping) and bool({"basics", *_SECTIONS} & set(value))


def read_json(value: Mapping[str, Any], *, source: str) -> ResumeReading:
    """The CV in ``value``, which satisfies ``is_json_resume``."""
    return _Reading(value).resume(source)


class _Reading:
    def __init__(self, value: Mapping[str, Any]) -> None:
        self._value = value
        basics = value.get("basics")
        self._basics: Mapping[str, Any] = basics if isinstance(basics, Mapping) else {}
        self._seen: dict[ContactKind, None] = {}
        self._name = _plain(self._basics.get("name"))

    def resume(self, source: str) -> ResumeReading:
        self._note_contact()
        bare = Resume(
            headline=self._text(self._basics.get("label") or self._basics.get("headline")),
            summary=self._text(self._basics.get("summary")),
            location=self._location(),
            work=tuple(self._work()),
            education=tuple(self._education()),
            skills=tuple(dict.fromkeys(self._skills())),
            languages=tuple(self._languages()),
            certificates=tuple(self._certificates()),
            projects=tuple(self._projects()),
            other=tuple(self._others()),
            sections=tuple(self._sections()),
            source=source,
        )
        text = plain_text(lines_of_resume(bare))
        return ResumeReading(bare.model_copy(update={"contact": tuple(self._seen), "text": text}), self._name)

    def _note_contact(self) -> None:
        location = self._basics.get("location")
        street = isinstance(location, Mapping) and _plain(location.get("address"))
        said: dict[ContactKind, Any] = {
            "name": self._name,
            "email": self._basics.get("email"),
            "phone": self._basics.get("phone"),
            "link": self._basics.get("url") or self._basics.get("profiles"),
            "photo": self._basics.get("image") or self._basics.get("picture"),
            "street": street,
            "private": self._basics.get("birth") or self._basics.get("birthDate") or self._basics.get("nationality"),
        }
        self._seen.update({kind: None for kind, value in said.items() if value})
        redacted(_plain(self._basics.get("email")), self._seen)

    def _text(self, value: Any) -> str:
        return redacted(_plain(value), self._seen, name=self._name)

    def _list(self, value: Any) -> tuple[str, ...]:
        return tuple(text for item in _items(value) if (text := self._text(item)))

    def _location(self) -> str:
        place = self._basics.get("location")
        if not isinstance(place, Mapping):
            return town_of(redacted(_plain(place), self._seen, in_head=True, name=self._name))
        said = [place.get("city"), place.get("region")]
        parts = [town_of(redacted(_plain(part), self._seen, in_head=True)) for part in said]
        return ", ".join(part for part in parts if part) or _plain(place.get("countryCode") or place.get("country"))

    def _work(self) -> Iterator[WorkItem]:
        for item in self._objects("work", "experience"):
            start, end = _moment(item, "startDate", "start"), _moment(item, "endDate", "end")
            yield WorkItem(
                title=self._text(item.get("position") or item.get("title")),
                company=self._text(item.get("name") or item.get("company") or item.get("employer")),
                location=self._text(item.get("location")),
                start=start,
                end=end,
                current=start is not None and end is None,
                highlights=(*self._list(item.get("summary")), *self._list(item.get("highlights"))),
            )

    def _education(self) -> Iterator[EducationItem]:
        for item in self._objects("education"):
            degree = [self._text(item.get(key)) for key in ("studyType", "area")]
            start, end = _moment(item, "startDate", "start"), _moment(item, "endDate", "end")
            yield EducationItem(
                degree=" ".join(part for part in degree if part) or self._text(item.get("degree")),
                institution=self._text(item.get("institution") or item.get("school")),
                start=start,
                end=end,
                current=start is not None and end is None,
                highlights=self._list(item.get("courses")),
            )

    def _skills(self) -> Iterator[str]:
        for item in _items(self._value.get("skills")):
            if isinstance(item, Mapping):
                yield from self._list(item.get("keywords")) or self._list(item.get("name"))
            else:
                yield from self._list(item)

    def _languages(self) -> Iterator[SpokenLanguage]:
        for item in _items(self._value.get("languages")):
            if isinstance(item, Mapping) and (language := self._text(item.get("language") or item.get("name"))):
                yield SpokenLanguage(language=language, level=self._text(item.get("fluency") or item.get("level")))
            elif isinstance(item, str):
                yield SpokenLanguage(language=self._text(item))

    def _certificates(self) -> Iterator[Certificate]:
        for item in _items(self._value.get("certificates") or self._value.get("certifications")):
            if isinstance(item, str):
                yield Certificate(name=self._text(item))
            elif isinstance(item, Mapping) and (name := self._text(item.get("name") or item.get("title"))):
                yield Certificate(name=name, issuer=self._text(item.get("issuer")), date=_moment(item, "date"))

    def _projects(self) -> Iterator[Project]:
        for item in self._objects("projects"):
            lines = (*self._list(item.get("description") or item.get("summary")), *self._list(item.get("highlights")))
            name = self._text(item.get("name") or item.get("title"))
            if name or lines:
                start, end = _moment(item, "startDate"), _moment(item, "endDate")
                yield Project(name=name, start=start, end=end, highlights=lines)

    def _others(self) -> Iterator[OtherSection]:
        for key in _OTHER:
            lines = tuple(line for item in _items(self._value.get(key)) if (line := self._line(item)))
            if lines:
                yield OtherSection(section=_SECTIONS[key], heading=key.capitalize(), lines=lines)

    def _line(self, item: Any) -> str:
        """An entry of another section on one line."""
        if not isinstance(item, Mapping):
            return self._text(item)
        keys = ("position", "title", "name", "organization", "awarder", "publisher", "summary", "reference", "keywords")
        parts = [", ".join(self._list(item.get(key))) for key in keys]
        return " – ".join(part for part in [*parts, *self._list(item.get("highlights"))] if part)

    def _objects(self, *keys: str) -> Iterator[Mapping[str, Any]]:
        for key in keys:
            if found := [item for item in _items(self._value.get(key)) if isinstance(item, Mapping)]:
                yield from found
                return

    def _sections(self) -> Iterator[SectionName]:
        if _plain(self._basics.get("summary")):
            yield "summary"
        seen: set[SectionName] = set()
        for key, value in self._value.items():
            kind = _SECTIONS.get(key)
            if kind and kind not in seen and list(_items(value)):
                seen.add(kind)
                yield kind


def lines_of_resume(resume: Resume) -> Iterator[Line]:
    """The CV written out, as its text."""
    yield from (Line(text) for text in (resume.headline, resume.location) if text)
    yield from _section("Summary", [Line(resume.summary)] if resume.summary else [])
    work: list[Line] = []
    for job in resume.work:
        work += _entry([job.title, job.company, job.location], job.start, job.end, current=job.current)
        work += [Line(text, bullet=True) for text in job.highlights]
    yield from _section("Work experience", work)
    projects: list[Line] = []
    for project in resume.projects:
        projects += _entry([project.name], project.start, project.end)
        projects += [Line(text, bullet=True) for text in project.highlights]
    yield from _section("Projects", projects)
    education: list[Line] = []
    for study in resume.education:
        education += _entry([study.degree, study.institution], study.start, study.end, current=study.current)
        education += [Line(text, bullet=True) for text in study.highlights]
    yield from _section("Education", education)
    yield from _section("Skills", [Line(", ".join(resume.skills))] if resume.skills else [])
    spoken = [f"{each.language} ({each.level})" if each.level else each.language for each in resume.languages]
    yield from _section("Languages", [Line(", ".join(spoken))] if spoken else [])
    names = [", ".join(part for part in (each.name, each.issuer, each.date) if part) for each in resume.certificates]
    yield from _section("Certificates", [Line(text, bullet=True) for text in names])
    for part in resume.other:
        yield from _section(part.heading, [Line(text, bullet=True) for text in part.lines])


def _section(heading: str, lines: Sequence[Line]) -> Iterator[Line]:
    if lines:
        yield Line(heading, level=1, after_blank=True)
        yield from lines


def _entry(parts: Sequence[str], start: str | None, end: str | None, *, current: bool = False) -> list[Line]:
    dates = " – ".join(part for part in (start, "present" if current else end) if part)
    text = ", ".join(part for part in parts if part)
    return [Line(f"{text} ({dates})" if dates else text, after_blank=True)] if text or dates else []


def _plain(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value)[:_LONGEST].split())


def _items(value: Any) -> Iterator[Any]:
    """``value`` as a list: many write one thing where the format wants several."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        yield from value[:MAX_ITEMS]
    elif value:
        yield value


def _moment(item: Mapping[str, Any], *keys: str) -> str | None:
    return next((moment for key in keys if (moment := moment_of(_plain(item.get(key))))), None)
