"""A loopback HTTP server that plays job boards: it speaks their documented formats, and breaks in every way asked."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from signalbox.retrieval.skills import SkillVocabulary
from signalbox.settings import load_settings
from signalbox.tools.boards.build import build_boards
from signalbox.tools.boards.fetch import board_client
from signalbox.tools.vocabulary import packaged_vocabulary


@dataclass(frozen=True)
class Reply:
    """``hang``: nothing is ever sent. ``length`` promises more bytes than come, which then end."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False
    length: int | None = None
    after_s: float = 0.0


def as_json(payload: Any, **changes: Any) -> Reply:
    return Reply(json.dumps(payload).encode(), **changes)


def zipped(body: bytes) -> Reply:
    return Reply(gzip.compress(body), headers={"Content-Encoding": "gzip"})


@dataclass
class BoardServer:
    """``replies`` by path; ``asked`` keeps path and query of every request, ``agents`` who asked."""

    replies: dict[str, Reply] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, list[str]]]] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    url: str = ""
    open: set[asyncio.StreamWriter] = field(default_factory=set)

    def times(self, path: str) -> int:
        return sum(asked == path for asked, _ in self.asked)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open.add(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                if not await self._answer(head, reader, writer):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.open.discard(writer)
            writer.close()

    async def _answer(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        target = urlsplit(head.split(" ")[1])
        self.asked.append((target.path, parse_qs(target.query)))
        self.agents += [line.partition(": ")[2] for line in head.split("\r\n") if line.lower().startswith("user-agent")]
        page = parse_qs(target.query).get("page", ["1"])[0]
        reply = self.replies.get(f"{target.path}#{page}") or self.replies.get(target.path) or Reply(status=404)
        if reply.hang:
            await reader.read(1)
            return False
        await asyncio.sleep(reply.after_s)
        headers = {
            "Content-Type": reply.content_type,
            "Content-Length": str(reply.length if reply.length is not None else len(reply.body)),
            **reply.headers,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {reply.status} X\r\n{lines}\r\n".encode() + reply.body)
        await writer.drain()
        return reply.length is None


@asynccontextmanager
async def board_server(replies: dict[str, Reply]) -> AsyncIterator[BoardServer]:
    playing = BoardServer(dict(replies))
    server = await asyncio.start_server(playing._serve, "127.0.0.1", 0)
    playing.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield playing
    finally:
        server.close()
        for writer in list(playing.open):
            writer.close()


@asynccontextmanager
async def boards_at(
    url: str, entries: str, embedder: Any, *, timeout_s: float = 5.0, vocabulary: SkillVocabulary | None = None
) -> AsyncIterator[tuple[Any, ...]]:
    """The tools of these boards, all asked at ``url``."""
    kinds = dict.fromkeys(entry.partition(":")[0] for entry in entries.split(","))
    settings = load_settings(
        job_boards=entries,
        board_urls=",".join(f"{kind}={url}" for kind in kinds),
        board_timeout_s=timeout_s,
        adzuna_app_id="id-1",
        adzuna_app_key="key-1",
    )
    http: httpx.AsyncClient
    async with board_client() as http:
        yield build_boards(settings, http, vocabulary or packaged_vocabulary(), embedder)


def remotive(*jobs: dict[str, Any]) -> dict[str, Any]:
    return {"0-legal-notice": "Link back, please.", "job-count": len(jobs), "jobs": list(jobs)}


def remotive_job(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": 1_900_000_000 + number,
        "url": f"https://remotive.com/remote-jobs/software-dev/job-{number}",
        "title": "Senior Python Engineer",
        "company_name": f"Windmill {number}",
        "category": "Software Development",
        "tags": ["python", "sql", "ninja"],
        "job_type": "full_time",
        "publication_date": "2026-02-27T08:15:09",
        "candidate_required_location": "Europe",
        "salary": "$120k - $150k",
        "description": "<p>We build <b>pipelines</b> with Python &amp; PostgreSQL.</p><ul><li>No travel</li></ul>",
        **changes,
    }


def arbeitnow(*jobs: dict[str, Any], more: bool = False) -> dict[str, Any]:
    following = "https://www.arbeitnow.com/api/job-board-api?page=2" if more else None
    return {"data": list(jobs), "links": {"first": "x", "last": None, "prev": None, "next": following}, "meta": {}}


def arbeitnow_job(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "slug": f"python-entwickler-berlin-{number}",
        "company_name": f"Seewind {number} GmbH",
        "title": "Python Developer (m/w/d)",
        "description": "<h2>Aufgaben</h2><p>Python, Docker</p>",
        "remote": False,
        "url": f"https://www.arbeitnow.com/jobs/python-{number}",
        "tags": ["Software Development"],
        "job_types": ["Full Time"],
        "location": "Berlin",
        "created_at": 1_772_150_400,
        **changes,
    }


GREENHOUSE_JOB = {
    "id": 4_012_345_678,
    "internal_job_id": 3_144_381,
    "title": "Principal Data Engineer",
    "company_name": "Brightwater",
    "updated_at": "2026-02-20T10:55:28-05:00",
    "first_published": "2026-01-14T10:55:28-05:00",
    "location": {"name": "London, United Kingdom"},
    "absolute_url": "https://boards.greenhouse.io/brightwater/jobs/4012345678",
    "metadata": None,
    "content": "&lt;p&gt;You know &lt;strong&gt;Apache Spark&lt;/strong&gt; &amp;amp; SQL.&amp;nbsp;&lt;/p&gt;",
    "departments": [{"id": 1, "name": "Data", "parent_id": None, "child_ids": []}],
    "pay_input_ranges": [{"min_cents": 9_000_000, "max_cents": 11_000_000, "currency_type": "GBP", "title": "UK"}],
}
LEVER_JOB = {
    "id": "5ac21346-8e0c-4494-8e7a-3eb92ff77902",
    "text": "Warehouse Night Manager",
    "categories": {
        "commitment": "Part-time",
        "department": "Operations",
        "location": "Leeds",
        "team": "Nights",
        "allLocations": ["Leeds", "York"],
    },
    "country": "GB",
    "createdAt": 1_772_150_400_000,
    "descriptionPlain": "You run the night shift.",
    "lists": [{"text": "Requirements", "content": "<li>Forklift licence</li>"}],
    "additionalPlain": "Equal opportunities.",
    "hostedUrl": "https://jobs.lever.co/acme/5ac21346",
    "applyUrl": "https://jobs.lever.co/acme/5ac21346/apply",
    "workplaceType": "on-site",
    "salaryRange": {"currency": "GBP", "interval": "per-hour-wage", "min": 15, "max": 18},
}
ASHBY_JOB = {
    "id": "d3c5",
    "title": "Product Designer",
    "location": "Houston, TX",
    "secondaryLocations": [{"location": "Austin"}],
    "department": "Design",
    "team": "Growth",
    "isListed": True,
    "isRemote": True,
    "workplaceType": "Remote",
    "descriptionHtml": "<p>Figma every day</p>",
    "descriptionPlain": "Figma every day",
    "publishedAt": "2026-01-30T16:21:55.393+00:00",
    "employmentType": "FullTime",
    "address": {"postalAddress": {"addressLocality": "Houston", "addressRegion": "Texas", "addressCountry": "USA"}},
    "jobUrl": "https://jobs.ashbyhq.com/linear/d3c5",
    "compensation": {
        "summaryComponents": [
            {"compensationType": "EquityPercentage", "interval": "NONE", "minValue": 0.5, "maxValue": 1.75},
            {"compensationType": "Salary", "interval": "1 YEAR", "currencyCode": "USD", "minValue": 81_000,
             "maxValue": 87_000},
        ]
    },
}  # fmt: skip
JOBICY_JOB = {
    "id": 118_443,
    "url": "https://jobicy.com/jobs/118443-customer-support-lead",
    "jobTitle": "Customer Support Lead &#8211; EMEA",
    "companyName": "Harbour &amp; Co",
    "jobIndustry": ["Customer Success"],
    "jobType": ["Full-Time"],
    "jobGeo": "UK",
    "jobLevel": "Senior",
    "jobExcerpt": "Lead a team.",
    "jobDescription": "<p>Lead a team of <em>eight</em>.</p>",
    "pubDate": "2026-02-11 09:30:21",
    "annualSalaryMin": "45000",
    "annualSalaryMax": "52000",
    "salaryCurrency": "GBP",
}
ADZUNA_JOB = {
    "id": "4501122334",
    "title": "Registered <strong>Nurse</strong>",
    "company": {"display_name": "Northern Care"},
    "location": {"display_name": "Leeds, West Yorkshire", "area": ["UK", "Yorkshire", "Leeds"]},
    "category": {"label": "Healthcare & Nursing Jobs", "tag": "healthcare-nursing-jobs"},
    "description": "Ward <strong>nurse</strong> for nights …",
    "created": "2026-02-25T06:11:40Z",
    "redirect_url": "https://www.adzuna.co.uk/jobs/land/ad/4501122334",
    "salary_min": 33_000,
    "salary_max": 38_000,
    "salary_is_predicted": "0",
    "contract_time": "full_time",
    "contract_type": "permanent",
}
