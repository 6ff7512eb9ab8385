"""The boards of single employers, as their applicant systems publish them: how each payload reads. Pure."""

from typing import Any, Final, Literal

from signalbox.tools.boards.html_text import plain_text, text_of, unescaped_text_of
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

_ASHBY_KINDS: Final = {
    "FullTime": "full-time",
    "PartTime": "part-time",
    "Intern": "internship",
    "Contract": "contract",
    "Temporary": "temporary",
}
_WORKPLACES: Final = {"remote": True, "on-site": False, "onsite": False, "hybrid": False}


def read_greenhouse(payload: Any, company: str) -> Page | Malformed:
    """https://developers.greenhouse.io/job-board.html with ``content=true``: the description is escaped HTML."""

    def convert(row: dict[str, Any]) -> dict[str, Any]:
        ranges = row.get("pay_input_ranges")
        pay = ranges[0] if isinstance(ranges, list) and len(ranges) == 1 else None
        return {
            "id": row.get("id"),
            "title": row.get("title"),
            "company": row.get("company_name") or company,
            "location": dig(row, "location", "name"),
            "category": joined(dig(part, "name") for part in _list(row.get("departments"))),
            "salary_min": _of_cents(dig(pay, "min_cents")),
            "salary_max": _of_cents(dig(pay, "max_cents")),
            "currency": dig(pay, "currency_type"),
            "date_posted": row.get("first_published") or row.get("updated_at"),
            "description": unescaped_text_of(text(row.get("content"))),
            "url": web_address(row.get("absolute_url")),
        }

    return read_rows(dig(payload, "jobs"), convert)


def read_lever(payload: Any, company: str) -> Page | Malformed:
    """https://github.com/lever/postings-api with ``mode=json``: a bare list of postings."""

    def convert(row: dict[str, Any]) -> dict[str, Any]:
        interval = text(dig(row, "salaryRange", "interval"))
        pay = row.get("salaryRange") if interval != "one-time" else None
        places = words(dig(row, "categories", "allLocations")) or [dig(row, "categories", "location")]
        return {
            "id": row.get("id"),
            "title": row.get("text"),
            "company": company,
            "location": joined(places, "; "),
            "country": row.get("country"),
            "remote": _WORKPLACES.get(text(row.get("workplaceType")).lower()),
            "category": joined([dig(row, "categories", "department"), dig(row, "categories", "team")]),
            "employment_type": dig(row, "categories", "commitment"),
            "salary_min": dig(pay, "min"),
            "salary_max": dig(pay, "max"),
            "salary_period": interval.replace("-", " "),
            "currency": dig(pay, "currency"),
            "date_posted": day_of_seconds(row.get("createdAt"), unit="ms"),
            "description": _lever_text(row),
            "requirements": "\n\n".join(
                f"{plain_text(text(part.get('text')))}\n{text_of(text(part.get('content')))}"
                for part in _list(row.get("lists"))
                if isinstance(part, dict)
            ),
            "url": web_address(row.get("hostedUrl")),
        }

    return read_rows(payload, convert)


def read_ashby(payload: Any, company: str) -> Page | Malformed:
    """https://developers.ashbyhq.com/docs/public-job-posting-api with ``includeCompensation=true``."""

    def convert(row: dict[str, Any]) -> dict[str, Any] | Literal["unlisted"]:
        if row.get("isListed") is False:
            return "unlisted"
        places = [row.get("location"), *(dig(each, "location") for each in _list(row.get("secondaryLocations")))]
        workplace = _WORKPLACES.get(text(row.get("workplaceType")).lower())
        kind = text(row.get("employmentType"))
        return {
            "id": row.get("id") or text(row.get("jobUrl")).rstrip("/").rpartition("/")[2],
            "title": row.get("title"),
            "company": company,
            "location": joined(places, "; "),
            "country": dig(row, "address", "postalAddress", "addressCountry"),
            "remote": workplace if workplace is not None else row.get("isRemote"),
            "category": joined([row.get("department"), row.get("team")]),
            "employment_type": _ASHBY_KINDS.get(kind, kind),
            "date_posted": row.get("publishedAt"),
            "description": text_of(text(row.get("descriptionHtml"))) or plain_text(text(row.get("descriptionPlain"))),
            "url": web_address(row.get("jobUrl")),
            **_ashby_pay(row.get("compensation")),
        }

    return read_rows(dig(payload, "jobs"), convert)


def _lever_text(row: dict[str, Any]) -> str:
    body = plain_text(text(row.get("descriptionPlain"))) or text_of(text(row.get("description")))
    return "\n\n".join(part for part in (body, plain_text(text(row.get("additionalPlain")))) if part)


def _ashby_pay(compensation: Any) -> dict[str, Any]:
    """The salary among the parts, if it is one range: several tiers are several zones, and ours is not known."""
    parts = _list(dig(compensation, "summaryComponents"))
    tiers = _list(dig(compensation, "compensationTiers"))
    if not parts and len(tiers) == 1:
        parts = _list(dig(tiers[0], "components"))
    salaries = [part for part in parts if dig(part, "compensationType") == "Salary"]
    if len(salaries) != 1:
        return {}
    pay = salaries[0]
    return {
        "salary_min": dig(pay, "minValue"),
        "salary_max": dig(pay, "maxValue"),
        "salary_period": text(dig(pay, "interval")),
        "currency": dig(pay, "currencyCode"),
    }


def _of_cents(value: Any) -> float | None:
    return value / 100 if isinstance(value, int | float) and not isinstance(value, bool) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
