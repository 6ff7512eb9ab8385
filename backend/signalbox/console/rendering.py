"""Events as rich renderables for a terminal. Pure: it prints nothing and knows no client.

All text comes from postings, models and users: it is shown as it is, never as markup, without control characters.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from signalbox.blocks import (
    ApplicationStatus,
    ApprovalRequired,
    ApprovalResolved,
    CompanyProfile,
    CoverLetter,
    EmailDraft,
    InterviewPractice,
    InterviewQuestions,
    Job,
    JobMatch,
    JobsData,
    Knowledge,
    ProfileFact,
    ProfileUpdated,
    ResumeFeedback,
    Salary,
    SalaryRange,
    SkillDemand,
    SkillGap,
    Suggestions,
)
from signalbox.events import AnyEvent, ToolResult, Usage

WIDE: Final = 100
BAR: Final = 20

# Whole escape sequences go, so that no "[31m" is left of them; then every other control character, and the
# bidirectional overrides that make a line read as something else than it is.
_ESCAPES: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]P^_X][^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """``text`` without anything that acts on a terminal; line feeds and tabs stay."""
    return _CONTROLS.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n")))


def plain(text: str, style: str = "") -> Text:
    """Outside text on one line."""
    return Text(" ".join(printable(text).split()), style=style)


def block(event: AnyEvent, *, width: int) -> RenderableType | None:
    """A typed result, or None for an event that is shown in another way. ``width`` in columns."""
    if isinstance(event, JobsData):
        return _jobs(event, width)
    render = _BLOCKS.get(type(event))
    return None if render is None else render(event)


# -- jobs


def _jobs(event: JobsData, width: int) -> RenderableType:
    failed = [s for s in event.sources if s.status == "error"]
    notes: list[RenderableType] = [plain(f"✗ {s.name} could not be searched: {s.note}", "red") for s in failed]
    notes += [plain(f"◐ {s.name} was searched in part: {s.note}", "yellow") for s in event.sources if s.partial]
    if not event.jobs:
        if failed and len(failed) == len(event.sources):
            found = "Nothing could be looked up."
        else:
            found = "No jobs found where it could be looked." if notes else "No jobs found."
        return Group(*notes, Text(found, "yellow"))
    table = _job_table(event.jobs, wide=width >= WIDE)
    shown = f"{len(event.jobs)} of {event.total} jobs" if event.truncated else _count(event.total, "job")
    if any(job.sample for job in event.jobs):
        shown += " · SAMPLE marks fictional postings of the built-in catalogue"
    return Group(table, Text(shown, "dim"), *notes)


def _job_table(jobs: Sequence[Job], *, wide: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", expand=False, padding=(0, 2, 0, 0))
    table.add_column("#", justify="right")
    table.add_column("job", ratio=3, min_width=16, overflow="fold")
    if wide:
        table.add_column("company", ratio=2, overflow="fold")
        table.add_column("place", ratio=2, overflow="fold")
    table.add_column("pay", ratio=2, overflow="fold")
    table.add_column("match", justify="right", min_width=5)
    table.add_column("skills", ratio=3, overflow="fold")
    for number, job in enumerate(jobs, 1):
        title = plain(job.title, "bold")
        if job.sample:
            title.append(" SAMPLE", "black on yellow")
        place = _place(job)
        head = [title] if wide else [Text("\n").join([title, plain(job.company), plain(place, "dim")])]
        if job.url:
            head[0].append_text(Text("\n").append_text(plain(job.url, "blue")))
        middle = [plain(job.company), plain(place)] if wide else []
        score = "" if job.match_score is None else f"{job.match_score:.0f}%"
        table.add_row(str(number), *head, *middle, plain(pay(job.salary)), Text(score, "green"), _skills(job))
    return table


def _place(job: Job) -> str:
    return ", ".join(part for part in (job.location, "remote" if job.remote else None) if part) or "-"


def _skills(job: Job) -> Text:
    have = [plain(f"✓ {skill}", "green") for skill in job.matched_skills]
    lack = [plain(f"✗ {skill}", "dim") for skill in job.missing_skills]
    return Text("  ").join(have + lack)


def pay(salary: Salary | None) -> str:
    if salary is None or (salary.min is None and salary.max is None):
        return "-"
    low, high = (None if n is None else f"{n:,.0f}" for n in (salary.min, salary.max))
    amount = f"{low}-{high}" if low and high and low != high else low if low and low == high else ""
    amount = amount or (f"from {low}" if low else f"up to {high}")
    return " ".join(part for part in (amount, salary.currency, f"/ {salary.period}" if salary.period else None) if part)


# -- the other typed results


def _skill_gap(event: SkillGap) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("skill", "you", "asked for"):
        table.add_column(name)
    marks = {"have": ("✓ have", "green"), "partial": ("~ partly", "yellow"), "missing": ("✗ missing", "red")}
    for demand in event.skills:
        word, style = marks[demand.status]
        table.add_row(plain(demand.skill), Text(word, style), _bar(demand, style))
    sample = f", {event.sample_postings} of them samples" if event.sample_postings else ""
    parts: list[RenderableType] = [
        Text.assemble(("Skills for ", ""), plain(event.target, "bold")),
        table,
        Text(f"from {_count(event.postings, 'posting')}{sample}", "dim"),
    ]
    if event.learn_next:
        parts.append(Text.assemble(("Learn next: ", "bold"), plain(", ".join(event.learn_next))))
    return Group(*parts)


def _bar(demand: SkillDemand, style: str) -> Text:
    share = min(1.0, max(0.0, demand.share))
    filled = round(share * BAR)
    return Text.assemble(("█" * filled, style), ("░" * (BAR - filled), "dim"), f" {share:>4.0%} ({demand.postings})")


def _letter(event: EmailDraft | CoverLetter) -> RenderableType:
    body = Text(printable(event.body))
    if isinstance(event, CoverLetter):
        return Panel(body, title=plain(event.title), title_align="left")
    head = Text.assemble(
        ("To: ", "dim"), plain(event.to or "(fill in)"), "\n", ("Subject: ", "dim"), plain(event.subject)
    )
    more = [plain(f"Other subject: {subject}", "dim") for subject in event.subjects if subject != event.subject]
    if event.placeholders:
        more.append(plain("Fill in: " + ", ".join(event.placeholders), "yellow"))
    return Panel(Group(head, Rule(style="dim"), body, *more), title="E-mail draft", title_align="left")


def _profile(event: ProfileUpdated) -> RenderableType:
    def line(mark: str, fact: ProfileFact, style: str) -> Text:
        return plain(f"{mark} {fact.key}: {fact.value}", style)

    lines = [line("+", fact, "green") for fact in event.added] + [line("-", fact, "red") for fact in event.removed]
    changed = {fact.fact_id for fact in event.added}
    lines += [line(" ", fact, "dim") for fact in event.profile if fact.fact_id not in changed]
    return Panel(Group(*(lines or [Text("Nothing is remembered.", "dim")])), title="Your profile", title_align="left")


def _resume(event: ResumeFeedback) -> RenderableType:
    lines: list[RenderableType] = [plain(f"+ {strength}", "green") for strength in event.strengths]
    for f in event.findings:
        lines.append(Text.assemble(plain(f"{f.section}: ", "bold"), plain(f.finding)))
        lines.append(Text.assemble(("  → ", "green"), plain(f.suggestion)))
        if f.before and f.after:
            lines += [plain(f"  - {f.before}", "red"), plain(f"  + {f.after}", "green")]
    if event.missing_keywords:
        lines.append(plain("Missing keywords: " + ", ".join(event.missing_keywords), "yellow"))
    if event.unsaid_keywords:
        lines.append(plain("You have these, the CV does not say so: " + ", ".join(event.unsaid_keywords), "yellow"))
    return Group(*lines)


def _questions(event: InterviewQuestions) -> RenderableType:
    lines = [plain(f"Interview: {event.role}", "bold")]
    for number, q in enumerate(event.questions, 1):
        lines.append(Text.assemble(f"{number}. ", plain(q.question)))
        lines += [plain(f"   {word}: {text}", "dim") for word, text in (("why", q.why), ("hint", q.hint)) if text]
    return Group(*lines)


def _practice(event: InterviewPractice) -> RenderableType:
    lines: list[RenderableType] = [plain(f"• {line}", "green") for line in event.feedback]
    if event.open:
        head = plain(f"Question {event.number} of {event.of} ", "dim")
        lines.append(head.append_text(plain(event.question, "bold")))
    return Group(*lines)


def _match(event: JobMatch) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("#", "job", "pay", "match", "for", "against"):
        table.add_column(name, overflow="fold")
    for verdict in event.verdicts:
        job = verdict.job
        title = plain(job.title, "bold")
        if job.job_id == event.best:
            title.append(" BEST", "black on green")
        if job.sample:
            title.append(" SAMPLE", "black on yellow")
        score = "" if job.match_score is None else f"{job.match_score:.0f}%"
        table.add_row(
            str(verdict.place),
            Text("\n").join([title, plain(job.company)]),
            plain(pay(job.salary)),
            Text.assemble((score, "green"), "\n", (verdict.verdict.replace("_", " "), "dim")),
            plain("; ".join(verdict.strengths), "green"),
            plain("; ".join(verdict.concerns), "yellow"),
        )
    return Group(table, plain(f"by {event.criterion}", "dim")) if event.criterion else table


def _knowledge(event: Knowledge) -> RenderableType:
    lines = []
    for number, passage in enumerate(event.passages, 1):
        dated = f", {passage.as_of}" if passage.as_of else ""
        where = plain(f"[{number}] {passage.heading or passage.title} ", "bold")
        lines.append(where.append_text(plain(f"({passage.source}{dated})", "dim")))
    return Group(*lines)


def _salary_range(event: SalaryRange) -> RenderableType:
    where = f" in {event.location}" if event.location else ""
    head = plain(f"Pay for {event.occupation or event.role}{where}", "bold")
    if event.sample:
        head.append(" SAMPLE", "black on yellow")
    of = _count(event.n, "posting") if event.basis == "postings" else f"{event.n:,} people employed"
    until = f", {event.date_to}" if event.date_to else ""
    basis = plain(f"{event.currency} per {event.period}, from {of} ({event.source or 'postings'}{until})", "dim")
    points = (event.p10, event.p25, event.p50, event.p75, event.p90)
    if all(point is None for point in points):
        single = [plain(f"• {f.min:,.0f}-{f.max:,.0f}  {f.title}, {f.company}") for f in event.figures]
        return Group(head, *single, basis)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("lowest 10%", "25%", "middle", "75%", "top 10%"):
        table.add_column(name, justify="right")
    table.add_row(*("-" if p is None else f"{p:,.0f}" for p in points))
    return Group(head, table, basis)


def _company(event: CompanyProfile) -> RenderableType:
    facts = [
        Text.assemble("• ", plain(f.fact), plain(f" ({f.source}{f', {f.as_of}' if f.as_of else ''})", "dim"))
        for f in event.facts
    ]
    return Group(plain(event.company, "bold"), *facts)


def _applications(event: ApplicationStatus) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("company", "job", "status", "applied"):
        table.add_column(name, overflow="fold")
    for a in event.applications:
        ago = f" ({_count(a.days_since, 'day')} ago)" if a.days_since is not None else ""
        table.add_row(plain(a.company), plain(a.title), plain(a.status), f"{a.applied_on or '-'}{ago}")
    return table


def approval(tool: str, arguments: Mapping[str, Any], risk: str, expires_at: datetime) -> RenderableType:
    """What is to be approved, whole: nobody can approve what they have not seen."""
    until = f"You can decide until {expires_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC."
    body = Group(arguments_shown(arguments), Rule(style="dim"), plain(risk, "yellow"), Text(until, "dim"))
    return Panel(body, title=plain(f"May {tool} do this?"), title_align="left", border_style="yellow")


def arguments_shown(arguments: Mapping[str, Any]) -> RenderableType:
    lines: list[RenderableType] = []
    for name, value in arguments.items():
        text = printable(_told(value))
        if "\n" in text:
            lines += [plain(f"{name}:", "dim"), Text(text)]
        else:
            lines.append(Text.assemble(plain(f"{name}: ", "dim"), " ", Text(text)))
    return Group(*lines)


def _told(value: Any) -> str:
    match value:
        case str():
            return value
        case None:
            return "-"
        case list() if all(isinstance(each, str) for each in value):
            return ", ".join(value)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _approval_required(event: ApprovalRequired) -> RenderableType:
    return approval(event.tool, event.arguments, event.risk, event.expires_at)


def _approval_resolved(event: ApprovalResolved) -> RenderableType:
    match event.decision:
        case "approved":
            return Text("✓ Approved", "green")
        case "edited":
            return Text("✓ Approved with your changes", "green")
        case "rejected":
            return Text("✗ Not approved: it is not done", "yellow")
        case "expired":
            return Text("✗ The time to decide ran out: it is not done", "yellow")


def _replies(event: Suggestions) -> RenderableType:
    lines = [
        Text.assemble((f"  {number}) ", "bold cyan"), plain(reply.label, "cyan"))
        for number, reply in enumerate(event.suggestions, 1)
    ]
    return Group(*lines, Text("  Type a number to choose, or write something else.", "dim"))


_BLOCKS: Final[Mapping[type, Callable[[Any], RenderableType]]] = {
    SkillGap: _skill_gap,
    EmailDraft: _letter,
    CoverLetter: _letter,
    ProfileUpdated: _profile,
    ResumeFeedback: _resume,
    InterviewQuestions: _questions,
    SalaryRange: _salary_range,
    CompanyProfile: _company,
    InterviewPractice: _practice,
    JobMatch: _match,
    Knowledge: _knowledge,
    ApplicationStatus: _applications,
    ApprovalRequired: _approval_required,
    ApprovalResolved: _approval_resolved,
    Suggestions: _replies,
}


# -- single lines

_UNAPPROVED: Final = {"rejected": "not approved", "expired": "not approved in time"}
# So says the note of a refusal to do once more what a stopped server had begun.
_MAYBE_DONE: Final = "may have happened already"


def tool_line(event: ToolResult, *, acts: bool = False) -> Text:
    """Found, nothing there, and could not look: three different things. ``acts``: the tool does something."""
    note = f" · {event.note}" if event.note else ""
    match event.status:
        case "ok" if event.missed:
            return plain(f"◐ {event.tool}: found in part{note}", "yellow")
        case "ok":
            return plain(f"✓ {event.tool}{note}{' (cut short)' if event.truncated else ''}", "dim")
        case "empty":
            return plain(f"○ {event.tool}: looked, found nothing{note}", "yellow")
        case "error" if event.kind in _UNAPPROVED:
            again = " again" if _MAYBE_DONE in event.note else ""
            return plain(f"✗ {event.tool}: not done{again} ({_UNAPPROVED[event.kind]}){note}", "yellow")
        case "error":
            kind = f" ({event.kind})" if event.kind else ""
            return plain(f"✗ {event.tool}: could not {'do it' if acts else 'look'}{kind}{note}", "red")


def usage_line(calls: Sequence[Usage]) -> Text:
    costs = [call.cost_usd for call in calls if call.cost_usd is not None]
    parts = [
        calls[-1].model,
        f"{sum(c.input_tokens for c in calls):,} tokens in, {sum(c.output_tokens for c in calls):,} out",
        f"${sum(costs):.4f}" if costs else "",
        "estimated" if any(c.estimated for c in calls) else "",
    ]
    return plain(" · ".join(part for part in parts if part), "dim")


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
