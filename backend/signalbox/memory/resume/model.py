"""A CV as everything else reads it: typed sections and the text they came from.

Contact data is not in it: what kinds of it were there is noted in ``contact``, the data itself is dropped on reading.
"""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

SectionName = Literal[
    "summary", "work", "education", "skills", "languages", "certificates", "projects", "volunteering", "awards",
    "publications", "interests", "references", "other",
]  # fmt: skip

# What was seen and dropped. "private": birth date, marital status, nationality and the like; "photo": a picture.
ContactKind = Literal["name", "email", "odd_email", "phone", "link", "street", "private", "photo"]

# "2021-03", or "2021" where no month is said. Two of them compare as text does.
Moment = Annotated[str, StringConstraints(pattern=r"^(19|20)\d\d(-(0[1-9]|1[0-2]))?$")]

PASTED: Final = "pasted"


class ResumePart(BaseModel):
    """A value inside a CV."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class WorkItem(ResumePart):
    """One job. ``current``: it goes on ("present"), and ``end`` is None. ``highlights`` are bullets without marks."""

    title: str = ""
    company: str = ""
    location: str = ""
    start: Moment | None = None
    end: Moment | None = None
    current: bool = False
    highlights: tuple[str, ...] = ()


class EducationItem(ResumePart):
    """``degree`` with its subject as written ("BSc Computer Science")."""

    degree: str = ""
    institution: str = ""
    start: Moment | None = None
    end: Moment | None = None
    current: bool = False
    highlights: tuple[str, ...] = ()


class SpokenLanguage(ResumePart):
    """``level`` as written ("C1", "native"), or empty."""

    language: str
    level: str = ""


class Certificate(ResumePart):
    name: str
    issuer: str = ""
    date: Moment | None = None


class Project(ResumePart):
    name: str
    start: Moment | None = None
    end: Moment | None = None
    highlights: tuple[str, ...] = ()


class OtherSection(ResumePart):
    """A section without a field of its own: ``section`` is its kind, ``heading`` what it is called in the CV."""

    section: SectionName
    heading: str
    lines: tuple[str, ...] = ()


class Resume(ResumePart):
    """``work`` and ``education`` in the order of the CV, ``skills`` as spelled there. ``text`` is the plain text as
    read, without contact data. ``source``: ``PASTED`` or the file's name. ``sections``: which there are, in their
    order. ``pages`` is None where the source has none.
    """

    headline: str = ""
    summary: str = ""
    location: str = ""
    work: tuple[WorkItem, ...] = ()
    education: tuple[EducationItem, ...] = ()
    skills: tuple[str, ...] = ()
    languages: tuple[SpokenLanguage, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    projects: tuple[Project, ...] = ()
    other: tuple[OtherSection, ...] = ()
    sections: tuple[SectionName, ...] = ()
    contact: tuple[ContactKind, ...] = ()
    pages: int | None = None
    text: str = ""
    source: str = PASTED

    @property
    def words(self) -> int:
        return len(self.text.split())

    @property
    def evidence(self) -> str:
        """Where a skill is shown rather than claimed: the summary, jobs and projects, without the list of skills."""
        lines = [self.headline, self.summary]
        for item in self.work:
            lines += [f"{item.title}, {item.company}", *item.highlights]
        for project in self.projects:
            lines += [project.name, *project.highlights]
        return "\n".join(line for line in lines if line.strip(", "))
