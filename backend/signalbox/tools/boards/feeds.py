"""The boards that gather postings of many employers: what is asked of each, and how its payload reads. Pure."""

import html
from typing import Any, Final

from signalbox.retrieval.pay import find_pay
from signalbox.tools.boards.html_text import text_of
from signalbox.tools.boards.listing import (
    Malformed,
    Page,
    day_of_seconds,
    dig,
    joined,
    read_rows,
    text,
    web_address,
    words,
)

# What Adzuna pays in, by the country code in its path: the figures themselves name no currency.
ADZUNA_CURRENCIES: Final = {
    "gb": "GBP", "us": "USD", "au": "AUD", "ca": "CAD", "nz": "NZD", "sg": "SGD", "za": "ZAR", "in": "INR",
    "br": "BRL", "mx": "MXN", "pl": "PLN", "ch": "CHF", "at": "EUR", "be": "EUR", "de": "EUR", "es": "EUR",
    "fr": "EUR", "it": "EUR", "nl": "EUR",
}  # fmt: skip


def read_remotive(payload: Any) -> Page | Malformed:
    """https://github.com/remotive-com/remote-jobs-api: all work is remote, pay is free text."""

    def convert(row: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": row.get("id"),
            "title": html.unescape(text(row.get("title"))),
            "company": row.get("company_name"),
            "location": row.get("candidate_required_location"),
            "remote": True,
            "category": row.get("category"),
            "employment_type": text(row.get("job_type")).replace("_", "-"),
            "date_posted": row.get("publication_date"),
            "description": text_of(text(row.get("description"))),
            "skills": words(row.get("tags")),
            "url": web_address(row.get("url")),
            **_pay_in_words(text(row.get("salary"))),
        }

    return read_rows(dig(payload, "jobs"), convert)


def read_arbeitnow(payload: Any) -> Page | Malformed:
    """https://www.arbeitnow.com/blog/job-board-api: pages of 100, newest first."""

    def convert(row: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": row.get("slug"),
            "title": html.unescape(text(row.get("title"))),
            "company": row.get("company_name"),
            "location": row.get("location"),
            "remote": row.get("remote"),
            "employment_type": joined(words(row.get("job_types"))),
            "date_posted": day_of_seconds(row.get("created_at")),
            "description": text_of(text(row.get("description"))),
            "skills": words(row.get("tags")),
            "url": web_address(row.get("url")),
        }

    return read_rows(dig(payload, "data"), convert)


def arbeitnow_goes_on(payload: Any) -> bool:
    return bool(dig(payload, "links", "next"))


def read_jobicy(payload: Any) -> Page | Malformed:
    """https://jobicy.com/jobs-rss-feed: all work is remote; pay under two generations of names."""

    def convert(row: dict[str, Any]) -> dict[str, Any]:
        low, high = (row.get(f"salary{end}") or row.get(f"annualSalary{end}") for end in ("Min", "Max"))
        return {
            "id": row.get("id"),
            "title": html.unescape(text(row.get("jobTitle"))),
            "company": html.unescape(text(row.get("companyName"))),
            "location": row.get("jobGeo"),
            "remote": True,
            "category": joined(html.unescape(name) for name in words(row.get("jobIndustry"))),
            "employment_type": joined(words(row.get("jobType"))),
            "seniority": row.get("jobLevel"),
            "salary_min": low,
            "salary_max": high,
            "salary_period": row.get("salaryPeriod") or "year",
            "currency": row.get("salaryCurrency"),
            "date_posted": row.get("pubDate"),
            "description": text_of(text(row.get("jobDescription") or row.get("jobExcerpt"))),
            "url": web_address(row.get("url")),
        }

    return read_rows(dig(payload, "jobs"), convert)


def read_adzuna(payload: Any, country: str) -> Page | Malformed:
    """https://developer.adzuna.com/docs/search: yearly pay. A predicted one is Adzuna's guess and is left out."""

    def convert(row: dict[str, Any]) -> dict[str, Any]:
        stated = str(row.get("salary_is_predicted", "0")) != "1"
        return {
            "id": row.get("id"),
            "title": text_of(text(row.get("title"))),
            "company": dig(row, "company", "display_name"),
            "location": dig(row, "location", "display_name"),
            "country": country.upper(),
            "category": dig(row, "category", "label"),
            "employment_type": joined(
                [text(row.get("contract_time")).replace("_", "-"), _but_permanent(row.get("contract_type"))]
            ),
            "salary_min": row.get("salary_min") if stated else None,
            "salary_max": row.get("salary_max") if stated else None,
            "salary_period": "year",
            "currency": ADZUNA_CURRENCIES[country],
            "date_posted": row.get("created"),
            "description": text_of(text(row.get("description"))),
            "url": web_address(row.get("redirect_url")),
        }

    count = dig(payload, "count")
    return read_rows(dig(payload, "results"), convert, matches=count if isinstance(count, int) else None)


def _but_permanent(kind: Any) -> str:
    """A permanent post says nothing of its hours."""
    return "" if kind == "permanent" else text(kind)


def _pay_in_words(stated: str) -> dict[str, Any]:
    """``$50k - $60k`` as figures; words that hold none give none."""
    pay = find_pay(stated[:200])
    if pay is None:
        return {}
    return {
        "salary_min": pay.minimum,
        "salary_max": pay.maximum,
        "salary_period": "year",
        "currency": pay.currency,
    }
