"""One line of a wage table: an occupation in an area, and percentiles of its pay, as the publisher states them.

Figures are never converted here: a row is yearly, monthly or hourly, in its own currency.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from signalbox.db import Database
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.facts.records import RecordTable, first_named, ingest_records
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.ingest import IngestReport, Progress
from signalbox.retrieval.pay import Period, currency_named, period_named
from signalbox.retrieval.posting import Amount, Day, Line, OptionalLine, Skills
from signalbox.retrieval.readers import FieldMapping

PERCENTILES: Final = ("p10", "p25", "p50", "p75", "p90")
_FIGURES: Final = ("mean", *PERCENTILES)

_OTHER_NAMES: Final = {
    "occupation": ("occ_title", "occupation_title", "title", "job_title", "role"),
    "code": ("soc", "soc_code", "occ_code", "occupation_code", "isco", "noc", "anzsco"),
    "area": ("area_title", "region", "location", "city", "state"),
    "employed": ("employment", "tot_emp", "employees"),
    "period": ("salary_period", "pay_period"),
    "currency": ("salary_currency",),
    "as_of": ("date", "year", "period_end", "reference_date"),
    "mean": ("average", "avg", "mean_wage"),
    "p10": ("pct10", "percentile_10"),
    "p25": ("pct25", "percentile_25", "lower_quartile"),
    "p50": ("median", "pct50", "percentile_50"),
    "p75": ("pct75", "percentile_75", "upper_quartile"),
    "p90": ("pct90", "percentile_90"),
}
# Tables that state a period in the column's name; the yearly figures are taken where a row has both.
_PREFIXES: Final[tuple[tuple[Period, tuple[str, ...]], ...]] = (
    ("year", ("annual_", "yearly_", "a_")),
    ("hour", ("hourly_", "h_")),
)
_OEWS: Final = {
    "source": "BLS Occupational Employment and Wage Statistics",
    "country": "US",
    "currency": "USD",
    "url": "https://www.bls.gov/oes/",
}
_SOC = re.compile(r"\d\d-\d{4}")
# What statistical offices print where a figure is not published, or lies above what they publish.
_UNPUBLISHED: Final = frozenset({"", "-", "–", "*", "**", "#", "..", ":", "x", "n/a", "na", "null", "none"})
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTH_YEAR = re.compile(rf"\b(?P<month>{'|'.join(_MONTHS)})\s+(?P<year>20\d\d)\b", re.IGNORECASE)
_NOTICE_BYTES: Final = 4_000


def _clean_figure(value: Any) -> Any:
    return None if isinstance(value, str) and value.strip().casefold() in _UNPUBLISHED else value


def _clean_period(value: Any) -> Any:
    return (period_named(value) or value) if isinstance(value, str) else value


def _clean_currency(value: Any) -> Any:
    return (currency_named(value) or value) if isinstance(value, str) else value


def _clean_day(value: Any) -> Any:
    text = str(value).strip()
    if re.fullmatch(r"\d{4}", text):
        return f"{text}-01-01"
    return f"{text}-01" if re.fullmatch(r"\d{4}-\d{2}", text) else value


Figure = Annotated[Amount, BeforeValidator(_clean_figure)]


class RawWage(BaseModel):
    """A row under our field names. Other fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    occupation: Line
    code: OptionalLine = None
    aliases: Skills = []
    area: OptionalLine = None
    country: Annotated[
        Annotated[str, StringConstraints(pattern="^[A-Za-z]{2}$", to_upper=True)] | None,
        BeforeValidator(lambda value: value or None),
    ] = None
    currency: Annotated[str, StringConstraints(pattern="^[A-Z]{3}$"), BeforeValidator(_clean_currency)]
    period: Annotated[Period, BeforeValidator(_clean_period)]
    source: Annotated[str, StringConstraints(min_length=1, max_length=100)] = "import"
    employed: Annotated[float | None, Field(ge=0, le=1e10), BeforeValidator(_clean_figure)] = None
    mean: Figure = None
    p10: Figure = None
    p25: Figure = None
    p50: Figure = None
    p75: Figure = None
    p90: Figure = None
    as_of: Annotated[Day, BeforeValidator(_clean_day)] = None
    url: Annotated[str, StringConstraints(pattern=r"^https?://\S+$", max_length=2_000)] | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        figures = [value for name in PERCENTILES if (value := getattr(self, name)) is not None]
        if figures != sorted(figures):
            raise ValueError("the percentiles do not rise from p10 to p90")
        return self

    @property
    def external_id(self) -> str:
        return "\x1f".join((self.code or "", self.occupation, self.area or "", self.country or "", self.period))

    def columns(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "occupation": self.occupation,
            "occupation_code": self.code or "",
            "aliases": self.aliases,
            "area": self.area or NATIONAL,
            "country": self.country,
            "currency": self.currency,
            "period": self.period,
            "employed": None if self.employed is None else int(self.employed),
            **{name: getattr(self, name) for name in _FIGURES},
            "as_of": self.as_of,
            "url": self.url,
        }


NATIONAL: Final = "National"


def understood(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row under our names. ``annual_p10`` or ``hourly_median`` say a period; with SOC codes it is the US survey."""
    named = first_named(row, _OTHER_NAMES)
    for period, prefixes in _PREFIXES:
        found = {name: figure for name in _FIGURES if (figure := _prefixed(row, name, prefixes)) is not None}
        if found and any(_clean_figure(figure) is not None for figure in found.values()):
            named = {**named, **found, "period": named.get("period") or period}
            break
    else:
        if any(name.startswith(("annual_", "a_")) for name in row):
            named["period"] = named.get("period") or "year"
    if _SOC.fullmatch(str(named.get("code") or "")) and any(name.startswith(("annual_", "a_")) for name in row):
        named.update({name: value for name, value in _OEWS.items() if named.get(name) in (None, "")})
    return named


def _prefixed(row: Mapping[str, Any], name: str, prefixes: tuple[str, ...]) -> Any:
    names = (name, *_OTHER_NAMES.get(name, ()))
    return next((row[p + n] for p in prefixes for n in names if row.get(p + n) not in (None, "")), None)


def beside(path: Path) -> dict[str, Any]:
    """The month a NOTICE beside the file dates its figures with: tables rarely say it themselves."""
    notice = path.with_name("NOTICE")
    if not notice.is_file():
        return {}
    with notice.open("rb") as file:
        text = file.read(_NOTICE_BYTES).decode("utf-8", "replace")
    match = _MONTH_YEAR.search(text)
    return {"as_of": date(int(match["year"]), _MONTHS.index(match["month"].casefold()) + 1, 1)} if match else {}


def embedded_text(record: RawWage) -> str:
    return ". ".join((record.occupation, *record.aliases[:10]))


WAGE_COLUMNS: Final = (
    "source", "occupation", "occupation_code", "aliases", "area", "country", "currency", "period", "employed", "mean",
    "p10", "p25", "p50", "p75", "p90", "as_of", "url",
)  # fmt: skip


def wage_table() -> RecordTable[RawWage]:
    return RecordTable("wage", "w_", WAGE_COLUMNS, RawWage.model_validate, understood, embedded_text, beside)


async def ingest_wages(
    db: Database,
    embedder: Embedder,
    paths: Sequence[Path],
    mapping: FieldMapping | None = None,
    *,
    as_of: date | None = None,
    source: str | None = None,
    progress: Progress | None = None,
    tenant: str = PUBLIC_TENANT,
) -> IngestReport:
    """Reads wage tables into the table ``wage``; ``as_of`` and ``source`` stand for rows that state none."""
    given = {name: value for name, value in (("as_of", as_of), ("source", source)) if value is not None}
    return await ingest_records(
        wage_table(), db, embedder, paths, mapping, defaults=given, progress=progress, tenant=tenant
    )
