"""The kinds of boards that can be configured, and how an entry of the setting becomes a board's feed. Pure."""

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from signalbox.errors import ConfigurationError
from signalbox.retrieval.query import JobQuery
from signalbox.tools.boards.board import Feed
from signalbox.tools.boards.company_boards import read_ashby, read_greenhouse, read_lever
from signalbox.tools.boards.feeds import (
    ADZUNA_CURRENCIES,
    arbeitnow_goes_on,
    read_adzuna,
    read_arbeitnow,
    read_jobicy,
    read_remotive,
)
from signalbox.tools.boards.fetch import Request
from signalbox.tools.boards.listing import Malformed, Page

TEN_MINUTES: Final = 600.0
HOUR: Final = 3_600.0
_ARBEITNOW_PAGES: Final = 3
_ADZUNA_ROWS: Final = 50
_COMPANY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,38}[A-Za-z0-9])?")

Secrets = tuple[tuple[str, str], ...]
Reader = Callable[[Any], Page | Malformed]


@dataclass(frozen=True, slots=True)
class Kind:
    """``argument`` names what follows the colon of an entry, "" if nothing does; ``example`` is a whole entry."""

    name: str
    example: str
    base_url: str
    feed: Callable[[str, str, Secrets], Feed]
    argument: str = ""


def _remotive(base: str, _argument: str, _secrets: Secrets) -> Feed:
    # Its terms ask for at most four looks a day; it publishes to the API with a day's delay anyway.
    request = Request(f"{base}/api/remote-jobs")
    return Feed("remotive", "Remotive", lambda _: request, read_remotive, 6 * HOUR)


def _arbeitnow(base: str, _argument: str, _secrets: Secrets) -> Feed:
    request = Request(f"{base}/api/job-board-api")
    return Feed(
        "arbeitnow",
        "Arbeitnow",
        lambda _: request,
        read_arbeitnow,
        TEN_MINUTES,
        turn=_numbered,
        pages=_ARBEITNOW_PAGES,
        goes_on=arbeitnow_goes_on,
    )


def _jobicy(base: str, _argument: str, _secrets: Secrets) -> Feed:
    # It asks for no more than a look an hour, and gives its newest hundred.
    request = Request(f"{base}/api/v2/remote-jobs", (("count", "100"),))
    return Feed("jobicy", "Jobicy", lambda _: request, read_jobicy, HOUR)


def _adzuna(base: str, country: str, secrets: Secrets) -> Feed:
    def request(query: JobQuery) -> Request:
        params = [("results_per_page", str(_ADZUNA_ROWS)), ("content-type", "application/json")]
        params.append(("what", query.text) if query.text.strip() else ("sort_by", "date"))
        return Request(f"{base}/v1/api/jobs/{country}/search/1", tuple(params), secrets)

    read = functools.partial(read_adzuna, country=country)
    return Feed(f"adzuna_{country}", f"Adzuna {country.upper()}", request, read, TEN_MINUTES)


def _greenhouse(base: str, company: str, _secrets: Secrets) -> Feed:
    request = Request(f"{base}/v1/boards/{quote(company)}/jobs", (("content", "true"),))
    read = functools.partial(read_greenhouse, company=_title(company))
    return _company_feed("greenhouse", "Greenhouse", company, request, read)


def _lever(base: str, company: str, _secrets: Secrets) -> Feed:
    request = Request(f"{base}/v0/postings/{quote(company)}", (("mode", "json"),))
    return _company_feed("lever", "Lever", company, request, functools.partial(read_lever, company=_title(company)))


def _ashby(base: str, company: str, _secrets: Secrets) -> Feed:
    request = Request(f"{base}/posting-api/job-board/{quote(company)}", (("includeCompensation", "true"),))
    return _company_feed("ashby", "Ashby", company, request, functools.partial(read_ashby, company=_title(company)))


def _company_feed(kind: str, system: str, company: str, request: Request, read: Reader) -> Feed:
    name = f"{kind}_{re.sub('[^a-z0-9]', '_', company.lower())}"
    return Feed(name, f"{_title(company)} ({system})", lambda _: request, read, TEN_MINUTES)


KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("remotive", "remotive", "https://remotive.com", _remotive),
        Kind("arbeitnow", "arbeitnow", "https://www.arbeitnow.com", _arbeitnow),
        Kind("jobicy", "jobicy", "https://jobicy.com", _jobicy),
        Kind("adzuna", "adzuna:gb", "https://api.adzuna.com", _adzuna, "country"),
        Kind("greenhouse", "greenhouse:stripe", "https://boards-api.greenhouse.io", _greenhouse, "company"),
        Kind("lever", "lever:acme", "https://api.lever.co", _lever, "company"),
        Kind("ashby", "ashby:linear", "https://api.ashbyhq.com", _ashby, "company"),
    )
}


def feed_of(entry: str, bases: Mapping[str, str], secrets: Mapping[str, Secrets]) -> Feed:
    """The feed of one entry (``remotive``, ``greenhouse:stripe``). Raises ``ConfigurationError`` that names it."""
    name, colon, argument = (part.strip() for part in entry.partition(":"))
    kind = KINDS.get(name.lower())
    if kind is None:
        allowed = ", ".join(each.example for each in KINDS.values())
        raise ConfigurationError(
            f"SIGNALBOX_JOB_BOARDS: '{entry}' is no board we know. Write them like {allowed}, separated by commas."
        )
    if bool(colon) != bool(kind.argument) or (kind.argument == "company" and not _COMPANY.fullmatch(argument)):
        raise ConfigurationError(f"SIGNALBOX_JOB_BOARDS: '{entry}' is not complete. Write it like {kind.example}.")
    if kind.name == "adzuna":
        argument = _adzuna_country(entry, argument, secrets)
    return kind.feed(bases.get(kind.name, kind.base_url), argument, secrets.get(kind.name, ()))


def _adzuna_country(entry: str, argument: str, secrets: Mapping[str, Secrets]) -> str:
    country = argument.lower()
    if country not in ADZUNA_CURRENCIES:
        raise ConfigurationError(
            f"SIGNALBOX_JOB_BOARDS: '{entry}' names no country of Adzuna's: {', '.join(sorted(ADZUNA_CURRENCIES))}."
        )
    if "adzuna" not in secrets:
        raise ConfigurationError(
            f"SIGNALBOX_JOB_BOARDS: '{entry}' needs SIGNALBOX_ADZUNA_APP_ID and SIGNALBOX_ADZUNA_APP_KEY, free at "
            "https://developer.adzuna.com."
        )
    return country


def _numbered(request: Request, page: int) -> Request:
    return Request(request.url, (*request.params, ("page", str(page))), request.secret)


def _title(company: str) -> str:
    """A name to show for a board's token, until a row states a better one."""
    return " ".join(word[:1].upper() + word[1:] for word in re.split(r"[._-]+", company) if word)
