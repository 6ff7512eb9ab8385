"""One company as a file states it: checked, sizes as numbers, technologies by their common names, no markup.

Knows nothing of files or of the database; ``records`` brings the rows and stores the result.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from signalbox.db import Database
from signalbox.retrieval.facts.companies import StatedFact, name_key
from signalbox.retrieval.facts.records import RecordTable, first_named, ingest_records
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.ingest import IngestReport, Progress
from signalbox.retrieval.posting import Body, Day, Line, OptionalLine, Skills
from signalbox.retrieval.readers import FieldMapping
from signalbox.retrieval.skills import SkillVocabulary

MAX_FACT: Final = 1_200
MAX_PEOPLE: Final = 2_000_000_000
# Years a company can have been founded in; the oldest that still trade are from the sixth century.
_FIRST_YEAR: Final = 500
_LAST_YEAR: Final = 2100

_OTHER_NAMES: Final = {
    "id": ("slug", "company_id", "uuid", "uid"),
    "name": ("company", "company_name", "organization", "organisation", "employer", "legal_name"),
    "site": ("website", "homepage", "home_page", "domain", "web"),
    "careers_url": ("careers", "careers_page", "jobs_url", "career_url"),
    "region": ("regions", "hires_in", "hiring_region", "headquarters", "country", "location"),
    "technologies": ("tech", "tech_stack", "stack", "tags"),
    "size": ("company_size", "employees", "headcount", "employee_count", "team_size", "number_of_employees"),
    "founded": ("founded_year", "year_founded", "foundation_year"),
    "remote_policy": ("remote", "work_policy", "workplace"),
    "description": ("blurb", "about", "summary", "tagline"),
    "as_of": ("updated", "updated_at", "last_updated", "date"),
}  # fmt: skip
# Fields kept in the source's own words, and what they are called when shown.
_STATED: Final = {
    "remote_status": "Remote work",
    "tech_text": "Technology",
    "offices": "Offices",
    "industry": "Industry",
    "funding": "Funding",
    "benefits": "Benefits",
    "hiring_process": "Hiring process",
}
# The list of remote companies states sizes as words; its contributors' guide says what they stand for.
_REMOTE_LIST: Final = "Remote In Tech"
_REMOTE_LIST_URL: Final = "https://github.com/remoteintech/remote-jobs"
_SIZES: Final = {
    "tiny": (1, 10), "startup": (1, 50), "small": (11, 50), "medium": (51, 200), "large": (201, 1000),
    "enterprise": (1000, None),
}  # fmt: skip
_REGIONS: Final = {
    "worldwide": "worldwide", "anywhere": "worldwide", "americas": "the Americas", "europe": "Europe",
    "americas-europe": "the Americas and Europe", "asia-pacific": "Asia-Pacific", "other": None,
}  # fmt: skip
_SPELLED: Final = {"nosql": "NoSQL", "ml": "machine learning", "api": "APIs"}
# Only ever a whole run of digits, so that a long one is looked at once and not from each of its digits.
_NUMBER = r"(?<!\d)(?:\d{1,3}(?:[,. ]\d{3}){1,4}|\d+(?:\.\d+)?\s?[km]?)(?!\d)"
_RANGE = re.compile(rf"(?P<low>{_NUMBER})\s*(?:-|–|—|to)\s*(?P<high>{_NUMBER})", re.IGNORECASE)
_OPEN = re.compile(
    rf"(?:(?:>|over|more than|above|at least|from)\s*(?P<after>{_NUMBER})|(?P<before>{_NUMBER})\s*\+)", re.IGNORECASE
)
_UNDER = re.compile(rf"(?:<|under|fewer than|less than|up to|at most)\s*(?P<high>{_NUMBER})", re.IGNORECASE)
_FOUNDED = re.compile(r"\b(?:founded|established)\s+(?:back\s+)?in\s+(?P<year>1[5-9]\d\d|20\d\d)\b", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\]\[]{0,300})\]\([^()\s]{0,600}\)")
_MARK = re.compile(r"^[ \t]*(?:#{1,6}|[-*+•]|\d{1,2}[.)]|>)[ \t]+|\*{1,3}|`+", re.MULTILINE)


def parse_size(text: str) -> tuple[int | None, int | None]:
    """Bounds on the number of people: ``51-200``, ``500+``, ``under 50``, ``about 1.2k``, ``medium``; else two None."""
    line = " ".join(text.split())
    if line.casefold() in _SIZES:
        return _SIZES[line.casefold()]
    if match := _RANGE.search(line):
        low, high = _count(match["low"]), _count(match["high"])
        return min(low, high), max(low, high)
    if match := _OPEN.search(line):
        return _count(match["after"] or match["before"]), None
    if match := _UNDER.search(line):
        return None, _count(match["high"])
    match = re.search(_NUMBER, line, re.IGNORECASE)
    return (_count(match.group()), _count(match.group())) if match else (None, None)


def without_markup(text: str) -> str:
    """Markdown as plain running text: links by their words, lists as sentences of one paragraph."""
    bare = _MARK.sub("", _LINK.sub(r"\1", text))
    lines = [" ".join(line.split()) for line in bare.splitlines()]
    return " ".join(_ended(line) for line in lines if line)


def _ended(line: str) -> str:
    return line if line[-1] in ".!?:;," else f"{line}."


def _count(text: str) -> int:
    unit = {"k": 1_000, "m": 1_000_000}.get(text[-1].casefold(), 1)
    digits = text if unit == 1 else text[:-1]
    whole = re.sub(r"[,. ](?=\d{3}(?:\D|$))", "", digits.strip())
    return int(min(float(whole) * unit, MAX_PEOPLE))


def _clean_address(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    line = value.strip()
    if line.casefold() in {"", "none", "null", "n/a", "-"}:
        return None
    return line if re.match(r"https?://", line, re.IGNORECASE) else f"https://{line}"


def _clean_year(value: Any) -> Any:
    match = re.search(r"\b(\d{3,4})\b", str(value)) if value not in (None, "") else None
    return int(match[1]) if match else None


def _clean_day(value: Any) -> Any:
    return f"{value}-01-01" if re.fullmatch(r"\s*\d{4}\s*", str(value)) else value


Address = Annotated[
    Annotated[str, StringConstraints(pattern=r"^https?://[^\s<>\"]+\.[^\s<>\"]+$", max_length=2_000)] | None,
    BeforeValidator(_clean_address),
]


class RawCompany(BaseModel):
    """A row under our field names. Other fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: OptionalLine = None
    name: Line
    source: Annotated[str, StringConstraints(min_length=1, max_length=100)] = "import"
    site: Address = None
    careers_url: Address = None
    url: Address = None
    region: OptionalLine = None
    technologies: Skills = []
    size: OptionalLine = None
    founded: Annotated[Annotated[int, Field(ge=_FIRST_YEAR, le=_LAST_YEAR)] | None, BeforeValidator(_clean_year)] = None
    remote_policy: OptionalLine = None
    description: Body = ""
    stated: dict[str, Body] = {}
    as_of: Annotated[Day, BeforeValidator(_clean_day)] = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not name_key(self.name):
            raise ValueError("the name has no letter or digit")
        said = (self.site, self.careers_url, self.region, self.technologies, self.size, self.founded)
        if not any((*said, self.remote_policy, self.description, *self.stated.values())):
            raise ValueError("the row says nothing of the company but its name")
        return self

    @property
    def external_id(self) -> str:
        return self.id or name_key(self.name)

    def columns(self) -> dict[str, Any]:
        size = parse_size(self.size) if self.size else (None, None)
        description = without_markup(self.description)
        stated_year = _FOUNDED.search(description)
        return {
            "source": self.source,
            "external_id": self.external_id,
            "name": self.name,
            "name_key": name_key(self.name),
            "site": self.site,
            "careers_url": self.careers_url,
            "region": _REGIONS.get(self.region.casefold(), self.region) if self.region else None,
            "technologies": self.technologies,
            "size_min": size[0],
            "size_max": size[1],
            "founded": self.founded or (int(stated_year["year"]) if stated_year else None),
            "remote_policy": self.remote_policy,
            "description": description,
            "facts": json.dumps([{"label": fact.label, "text": fact.text} for fact in self._facts()]),
            "as_of": self.as_of,
            "url": self.url,
        }

    def _facts(self) -> list[StatedFact]:
        texts = {label: without_markup(self.stated.get(field, "")) for field, label in _STATED.items()}
        return [StatedFact(label, text[:MAX_FACT]) for label, text in texts.items() if text]


def understood(row: Mapping[str, Any], vocabulary: SkillVocabulary) -> dict[str, Any]:
    """A row under our names. The public list of remote companies is known by its fields."""
    named = first_named(row, _OTHER_NAMES)
    if "remote_status" in row and "tech_text" in row:
        named = {**named, "source": named.get("source") or _REMOTE_LIST, "url": named.get("url") or _REMOTE_LIST_URL}
    technologies = named.get("technologies")
    if isinstance(technologies, str):
        technologies = [part.strip() for part in re.split(r"[;,|\n]", technologies)]
    if technologies is None or isinstance(technologies, list):
        named["technologies"] = _skills(technologies or [], named.get("tech_text"), vocabulary)
    named["stated"] = {field: row[field] for field in _STATED if isinstance(row.get(field), str)}
    return named


def _skills(stated: list[Any], text: Any, vocabulary: SkillVocabulary) -> list[Any]:
    names = [_technology(name, vocabulary) if isinstance(name, str) else name for name in stated if name]
    named = vocabulary.extract(text) if isinstance(text, str) else []
    return list(dict.fromkeys([*names, *named])) if all(isinstance(name, str) for name in names) else names


def _technology(name: str, vocabulary: SkillVocabulary) -> str:
    return vocabulary.canonical(name) or _SPELLED.get(name.casefold(), name)


def company_table(vocabulary: SkillVocabulary) -> RecordTable[RawCompany]:
    columns = (
        "source", "external_id", "name", "name_key", "site", "careers_url", "region", "technologies", "size_min",
        "size_max", "founded", "remote_policy", "description", "facts", "as_of", "url",
    )  # fmt: skip
    return RecordTable("company", "c_", columns, RawCompany.model_validate, lambda row: understood(row, vocabulary))


async def ingest_companies(
    db: Database,
    vocabulary: SkillVocabulary,
    paths: Sequence[Path],
    mapping: FieldMapping | None = None,
    *,
    as_of: date | None = None,
    source: str | None = None,
    progress: Progress | None = None,
    tenant: str = PUBLIC_TENANT,
) -> IngestReport:
    """Reads companies into the table ``company``; ``as_of`` and ``source`` stand for rows that state none."""
    given = {name: value for name, value in (("as_of", as_of), ("source", source)) if value is not None}
    return await ingest_records(
        company_table(vocabulary), db, None, paths, mapping, defaults=given, progress=progress, tenant=tenant
    )
