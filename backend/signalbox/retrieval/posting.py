"""One posting as it comes in: checked, brought to our units and words, or refused with a reason.

Knows nothing of files or tables; ``readers`` brings the rows, ``ingest`` stores the result.
"""

import hashlib
import math
import re
from datetime import date, timedelta
from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from signalbox.retrieval.pay import Period, currency_named, guess_period, period_named, yearly
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import employment_kind, is_remote, title_level

# Above these a row is not a posting but a mistake in the export.
MAX_TEXT = 60_000
MAX_LINE = 400
MAX_SKILLS = 100
# Agencies advertise for clients they do not name.
UNNAMED_COMPANY = "Company not named"
# Part of every digest: raise it when rows come to be read differently, and the next import reads them all anew.
READING = 1

# 320 characters are about 70 tokens of the embedding model, which costs 0.4 ms of one core a token: title, field
# and skills, which tell postings apart, come first, and boilerplate beyond them only blurs the vector.
EMBEDDED_CHARS = 320
_EMBEDDED_SKILLS = 10

_YES = frozenset({"true", "yes", "y", "1", "t", "remote", "fully remote"})
_NO = frozenset({"false", "no", "n", "0", "f", "on-site", "onsite", "hybrid", "office"})
_TAGS = re.compile(r"<(?:/?[a-zA-Z][^<>]{0,200}|!--.{0,500}?--)>")
_SLASH_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")


def _clean_text(value: Any) -> Any:
    """Removes markup and control characters; NUL is refused, since PostgreSQL cannot hold it and it marks damage."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    if "\x00" in value:
        raise ValueError("contains a NUL byte")
    value = value.encode("utf-8", "replace").decode("utf-8")
    return "".join(char for char in _TAGS.sub(" ", value) if char >= " " or char in "\n\t").strip()


def _clean_line(value: Any) -> Any:
    """One line of text, or None for what stands for nothing."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        value = f"{value:g}"
    cleaned = _clean_text(value)
    if not isinstance(cleaned, str):
        return cleaned
    line = " ".join(cleaned.split())
    return None if line.casefold() in {"", "null", "none", "nan", "n/a", "-"} else line


def _clean_amount(value: Any) -> Any:
    if isinstance(value, str):
        line = value.strip().replace(" ", "")
        if line.casefold() in {"", "null", "none", "n/a"}:
            return None
        value = re.sub(r",(?=\d{3}(?:\D|$))", "", re.sub(r"^[^\d.+-]+(?=\d)", "", line))
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("is not a finite number")
    return value


def _clean_date(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    line = value.strip()
    if line.casefold() in {"", "null", "none", "n/a"}:
        return None
    if match := _SLASH_DATE.fullmatch(line):
        raise ValueError(f"{match.group()} is ambiguous between day and month; write YYYY-MM-DD")
    # A time of day adds nothing to a posting's day.
    return re.split(r"[T ]", line, maxsplit=1)[0]


def _clean_closing(value: Any) -> Any:
    """What says "until filled" is a remark and no date; a text with digits is meant as one and must be right."""
    return None if isinstance(value, str) and not re.search(r"\d", value) else _clean_date(value)


def _clean_remote(value: Any) -> Any:
    if isinstance(value, str):
        word = value.strip().casefold()
        if word in _YES or word in _NO:
            return word in _YES
        return None if word in {"", "null", "none", "n/a", "unknown"} else value
    return value


def _clean_skills(value: Any) -> Any:
    if value is None or value == "":
        return []
    return [part.strip() for part in re.split(r"[;,|\n]", value)] if isinstance(value, str) else value


Line = Annotated[str, StringConstraints(min_length=1, max_length=MAX_LINE), BeforeValidator(_clean_line)]
OptionalLine = Annotated[Annotated[str, StringConstraints(max_length=MAX_LINE)] | None, BeforeValidator(_clean_line)]
Body = Annotated[str, StringConstraints(max_length=MAX_TEXT), BeforeValidator(_clean_text)]
Amount = Annotated[float | None, Field(ge=0, le=1e9, allow_inf_nan=False), BeforeValidator(_clean_amount)]
Day = Annotated[date | None, BeforeValidator(_clean_date)]
Skills = Annotated[list[Line], Field(max_length=MAX_SKILLS), BeforeValidator(_clean_skills)]


class RawPosting(BaseModel):
    """A row of a feed under our field names. Other fields are ignored: feeds carry many."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Line
    title: Line
    company: OptionalLine = None
    source: Annotated[str, StringConstraints(pattern=r"^[\w.-]{1,64}$"), BeforeValidator(_clean_line)] = "import"
    location: OptionalLine = None
    country: OptionalLine = None
    remote: Annotated[bool | None, BeforeValidator(_clean_remote)] = None
    category: OptionalLine = None
    employment_type: OptionalLine = None
    seniority: OptionalLine = None
    salary_min: Amount = None
    salary_max: Amount = None
    salary_period: OptionalLine = None
    currency: OptionalLine = None
    date_posted: Day = None
    date_closes: Annotated[date | None, BeforeValidator(_clean_closing)] = None
    days_ago: Annotated[int | None, Field(ge=0, le=36_500)] = None
    description: Body = ""
    requirements: Body = ""
    skills: Skills = []
    url: Annotated[str, StringConstraints(pattern=r"^https?://\S+$", max_length=2_000)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _empty_url_is_none(cls, row: Any) -> Any:
        return {**row, "url": None} if isinstance(row, dict) and row.get("url") == "" else row

    @model_validator(mode="after")
    def _salary_in_order(self) -> Self:
        if self.salary_min and self.salary_max and self.salary_min > self.salary_max:
            raise ValueError("salary_min is above salary_max")
        return self


class Posting(BaseModel):
    """A row of the table ``job``, without its vector and its times."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    job_id: str
    tenant: str
    source: str
    external_id: str
    title: str
    company: str
    location: str | None
    country: str | None
    remote: bool | None
    category: str | None
    employment_type: str | None
    seniority: str | None
    salary_min: float | None
    salary_max: float | None
    salary_period: str | None
    currency: str | None
    salary_year_min: float | None
    salary_year_max: float | None
    posted_at: date | None
    closes_at: date | None
    url: str | None
    description: str
    requirements: str
    skills: list[str]
    sample: bool
    digest: str


def digest_of(raw: RawPosting) -> str:
    """The same for rows that say the same. ``days_ago`` counts as written: a sample does not change every day."""
    return hashlib.blake2b(orjson.dumps([READING, raw.model_dump(mode="json")]), digest_size=16).hexdigest()


def job_id_of(source: str, external_id: str, tenant: str) -> str:
    """Stable over re-imports. A source has no slash and no colon, so no two postings share an id."""
    prefix = "" if tenant == "public" else f"{tenant}/"
    return f"{prefix}{source}:{external_id}"


def normalise(raw: RawPosting, vocabulary: SkillVocabulary, *, today: date, tenant: str, sample: bool) -> Posting:
    """Pay per year, countries as codes; level, remote and skills read from the text where the row states none."""
    period = _period(raw)
    low, high = raw.salary_min or None, raw.salary_max or None
    kind = employment_kind(raw.employment_type or raw.title)
    level = title_level(raw.seniority) if raw.seniority else None
    level = level or title_level(raw.title)
    posted = raw.date_posted
    if raw.days_ago is not None:
        posted = today - timedelta(days=raw.days_ago)
    return Posting(
        job_id=job_id_of(raw.source, raw.id, tenant),
        tenant=tenant,
        source=raw.source,
        external_id=raw.id,
        title=raw.title,
        company=raw.company or UNNAMED_COMPANY,
        location=raw.location,
        country=_country(raw),
        remote=raw.remote if raw.remote is not None else is_remote(raw.title, raw.location),
        category=raw.category,
        employment_type=kind[0] if kind else (raw.employment_type and raw.employment_type.casefold()),
        seniority=level[0] if level else None,
        salary_min=low,
        salary_max=high,
        salary_period=period,
        currency=currency_named(raw.currency) if raw.currency else None,
        salary_year_min=yearly(low, period) if low and period else None,
        salary_year_max=yearly(high, period) if high and period else None,
        posted_at=posted,
        closes_at=raw.date_closes,
        url=raw.url,
        description=raw.description,
        requirements=raw.requirements,
        skills=_skills(raw, vocabulary),
        sample=sample,
        digest=digest_of(raw),
    )


def embedded_text(posting: Posting) -> str:
    """What the vector is made of: what the job is, then as much of its text as fits."""
    parts = [posting.title, posting.category, ", ".join(posting.skills[:_EMBEDDED_SKILLS]), posting.company]
    parts += [posting.description, posting.requirements]
    return ". ".join(" ".join(part[:EMBEDDED_CHARS].split()) for part in parts if part)[:EMBEDDED_CHARS]


def _country(raw: RawPosting) -> str | None:
    stated = raw.country or ""
    code = gazetteer().country_code(stated)
    if code is None and re.fullmatch("[A-Za-z]{2}", stated):
        return stated.upper()
    return code or gazetteer().country_code(raw.location or "")


def _period(raw: RawPosting) -> Period | None:
    amount = raw.salary_max or raw.salary_min
    if not amount:
        return None
    return (period_named(raw.salary_period) if raw.salary_period else None) or guess_period(amount)


def _skills(raw: RawPosting, vocabulary: SkillVocabulary) -> list[str]:
    """Stated ones first, then those the text names; unknown stated ones are kept as written."""
    stated = [vocabulary.canonical(name) or name for name in raw.skills]
    named = vocabulary.extract(f"{raw.title}\n\n{raw.requirements}\n\n{raw.description}")
    return list(dict.fromkeys([*stated, *named]))[:MAX_SKILLS]
