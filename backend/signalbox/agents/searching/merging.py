"""A search and what refines it, brought together. Pure."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from signalbox.retrieval.query import JobQuery


def merged(before: JobQuery, new: JobQuery, subject: JobQuery) -> JobQuery:
    """The conditions of both, the newer winning; skills named anew are asked for as well."""
    blank = JobQuery()
    stated = {f.name: value for f in fields(new) if (value := getattr(new, f.name)) != getattr(blank, f.name)}
    if "salary_min" in stated or "salary_max" in stated:
        before = replace(before, salary_min=None, salary_max=None)
    before = _without_contradiction(before, new)
    stated |= {
        "text": subject.text,
        "words": subject.words,
        "skills": subject.skills if subject is new else tuple(dict.fromkeys((*subject.skills, *new.skills))),
        "exclude": tuple(dict.fromkeys((*before.exclude, *new.exclude))),
        "not_locations": tuple(dict.fromkeys((*before.not_locations, *new.not_locations))),
        "not_companies": tuple(dict.fromkeys((*before.not_companies, *new.not_companies))),
        "not_seniority": tuple(dict.fromkeys((*before.not_seniority, *new.not_seniority))),
    }
    return replace(before, **stated)


def either_would_do(before: JobQuery, new: JobQuery) -> dict[str, Any]:
    """The conditions that fall away where another value would do as well: "also senior ones" after junior ones."""
    names = ("seniority", "employment_type", "remote")
    pairs = {name: (getattr(before, name), getattr(new, name)) for name in names}
    return {name: None for name, (held, other) in pairs.items() if None not in {held, other} and held != other}


def _without_contradiction(before: JobQuery, new: JobQuery) -> JobQuery:
    """``before`` without what ``new`` turns round: "not in Berlin" after "in Berlin", or the reverse."""
    return replace(
        before,
        locations=_less(before.locations, new.not_locations),
        companies=_less(before.companies, new.not_companies),
        seniority=None if before.seniority in new.not_seniority else before.seniority,
        not_locations=_less(before.not_locations, new.locations),
        not_companies=_less(before.not_companies, new.companies),
        not_seniority=tuple(level for level in before.not_seniority if level != new.seniority),
    )


def _less(names: Sequence[str], gone: Sequence[str]) -> tuple[str, ...]:
    folded = {name.casefold() for name in gone}
    return tuple(name for name in names if name.casefold() not in folded)
