"""What the terminal shows: typed results readable, outside text harmless, streaming text the same however it is cut."""

import io
import itertools
import random
from collections.abc import Sequence
from datetime import UTC, date, datetime

import pytest
from rich.console import Console

from signalbox.blocks import (
    Application,
    ApplicationStatus,
    ApprovalRequired,
    ApprovalResolved,
    CompanyFact,
    CompanyProfile,
    CoverLetter,
    EmailDraft,
    InterviewPractice,
    InterviewQuestion,
    InterviewQuestions,
    Job,
    JobMatch,
    JobsData,
    JobVerdict,
    Knowledge,
    KnowledgePassage,
    ProfileFact,
    ProfileUpdated,
    ResumeFeedback,
    ResumeFinding,
    Salary,
    SalaryRange,
    SkillDemand,
    SkillGap,
    SourceStatus,
    Suggestion,
    SuggestionChosen,
    Suggestions,
)
from signalbox.console.prose import Prose
from signalbox.console.rendering import block, pay, printable
from signalbox.console.screen import Screen
from signalbox.events import (
    BLOCK_TYPES,
    AnyEvent,
    Chunk,
    Complete,
    Error,
    Message,
    Retracted,
    Rewind,
    ToolResult,
    Usage,
)
from signalbox.view import ConversationView, reduce

EVIL = "[bold red]x[/] \x1b[31mred\x1b[0m \x1b]8;;http://e\x07link\x1b]8;;\x07 \x9b2J \x07\u202etxt [/nothing]"
HARMLESS = "[bold red]x[/] red link"


def shown(events: Sequence[AnyEvent], width: int = 120, *, terminal: bool = False) -> str:
    """What a screen prints while a run's events come in."""
    out = Console(file=io.StringIO(), record=True, width=width, highlight=False, force_terminal=terminal)
    screen, view = Screen(out, out), ConversationView()
    for event in events:
        placed = event.model_copy(update={"run_id": "r"})
        view = reduce(view, placed)
        screen.event(view, placed, "r")
    screen.end_line()
    return out.export_text()


JOB = Job(
    job_id="j", title=EVIL, company="ACME", location="Berlin", remote=True, match_score=87.4, sample=True,
    url="https://e.example/1", salary=Salary(min=60_000, max=80_000, currency="EUR", period="year"),
    matched_skills=("Python",), missing_skills=("Go",),
)  # fmt: skip
OK = (SourceStatus(name="catalogue", status="ok"),)
DOWN = (SourceStatus(name="catalogue", status="error", note="timed out"),)
BLOCKS: list[AnyEvent] = [
    JobsData(jobs=(JOB,), total=12, truncated=True, sources=OK),
    EmailDraft(subject=EVIL, body=f"Dear {EVIL}\n\nBye", subjects=("Other",), placeholders=("name",)),
    CoverLetter(title=EVIL, body=EVIL),
    ResumeFeedback(findings=(ResumeFinding(section="Top", finding=EVIL, suggestion="Do"),), missing_keywords=("SQL",)),
    SkillGap(
        target=EVIL, postings=10, sample_postings=10, learn_next=("Go",),
        skills=(
            SkillDemand(skill="Python", status="have", postings=9, share=0.9),
            SkillDemand(skill=EVIL, status="missing", postings=15, share=1.0),
            SkillDemand(skill="SQL", status="partial", postings=0, share=0.0),
        ),
    ),
    JobMatch(
        criterion=EVIL, best="j",
        verdicts=(JobVerdict(place=2, job=JOB, verdict="good", strengths=(EVIL,), concerns=("far",)),),
    ),
    InterviewPractice(role="Dev", number=1, of=5, question=EVIL, open=True, feedback=(EVIL,)),
    Knowledge(
        question=EVIL,
        passages=(KnowledgePassage(passage_id="p", title="T", heading=EVIL, text="x", source="guides"),),
    ),
    InterviewQuestions(role="Dev", questions=(InterviewQuestion(question=EVIL, why="because"),)),
    SalaryRange(role=EVIL, location=None, n=3, currency="EUR", period="year", p10=1, p25=None, p50=3, p75=4, p90=5),
    CompanyProfile(company="ACME", facts=(CompanyFact(fact=EVIL, source="s", as_of=date(2025, 1, 2)),)),
    ApplicationStatus(
        applications=(Application(application_id="a", company=EVIL, title="T", status="new", days_since=1),)
    ),
    ProfileUpdated(added=(ProfileFact(fact_id="f", kind="fact", key="skill", value=EVIL),)),
    Suggestions(text="?", suggestions=(Suggestion(id="s", label=EVIL, message="m"),)),
    SuggestionChosen(suggestion_id="s"),
    ApprovalRequired(
        approval_id="a", tool=EVIL, arguments={"to": EVIL}, risk="sends", expires_at=datetime(2025, 1, 1, tzinfo=UTC)
    ),
    ApprovalResolved(approval_id="a", decision="approved"),
]  # fmt: skip


def test_every_typed_result_has_a_shape():
    assert {event.type for event in BLOCKS} == BLOCK_TYPES
    assert [event.type for event in BLOCKS if block(event, width=80) is None] == ["suggestion_chosen"]


@pytest.mark.parametrize("event", BLOCKS, ids=lambda event: event.type)
@pytest.mark.parametrize("width", [20, 80, 160])
def test_outside_text_is_shown_as_it_is_and_cannot_act(event: AnyEvent, width: int):
    text = shown([event], width)
    assert not set(text) & set("\x1b\x07\x9b\u202e")
    if width == 160 and "red" in text:
        assert HARMLESS in text


def test_printable_takes_whole_escape_sequences_away():
    assert printable(EVIL).startswith(HARMLESS)
    assert printable("a\tb\r\nc\rd\x00e") == "a\tb\ncde"
    assert printable("\x1b]0;" + "x" * 9_000) == "0;" + "x" * 9_000  # unended: harmless text, found in bounded time


def test_a_job_table_has_what_a_decision_needs():
    text = shown([BLOCKS[0]], 160)
    for part in ("ACME", "Berlin, remote", "60,000-80,000 EUR / year", "87%", "✓ Python", "✗ Go", "SAMPLE", "1 of 12"):
        assert part in text
    narrow = shown([BLOCKS[0]], 80)
    assert "ACME" in narrow
    assert "Berlin, remote" in narrow


@pytest.mark.parametrize(
    ("salary", "text"),
    [
        (None, "-"),
        (Salary(), "-"),
        (Salary(min=50), "from 50"),
        (Salary(max=50, currency="USD"), "up to 50 USD"),
        (Salary(min=50, max=50, period="hour"), "50 / hour"),
    ],
)
def test_pay_says_what_is_known(salary: Salary | None, text: str):
    assert pay(salary) == text


def test_nothing_found_and_could_not_look_are_told_apart():
    empty = shown(
        [
            ToolResult(call_id="c", tool="search_jobs", status="empty"),
            JobsData(jobs=(), total=0, truncated=False, sources=OK),
        ]
    )
    failed = shown(
        [
            ToolResult(call_id="c", tool="search_jobs", status="error", kind="timeout"),
            JobsData(jobs=(), total=0, truncated=False, sources=DOWN),
        ]
    )
    assert "looked, found nothing" in empty
    assert "No jobs found" in empty
    assert "could not look (timeout)" in failed
    assert "could not be searched: timed out" in failed
    assert "No jobs found" not in failed


@pytest.mark.parametrize(
    ("kind", "note", "text"),
    [
        ("rejected", "not now", "not done (not approved)"),
        ("expired", "nobody approved it in time", "not done (not approved in time)"),
        ("rejected", "it was begun before and may have happened already", "not done again (not approved)"),
    ],
)
def test_what_was_not_approved_is_no_look_up_that_failed(kind: str, note: str, text: str):
    said = shown([ToolResult(call_id="c", tool="send_email", status="error", kind=kind, note=note)])
    assert said == f"✗ send_email: {text} · {note}\n"


def test_a_tool_that_asked_for_an_approval_does_something_and_looks_nothing_up():
    failed = ToolResult(call_id="c", tool="send_email", status="error", kind="unavailable")
    ask = ApprovalRequired(
        approval_id="a", tool="send_email", arguments={}, risk="sends", expires_at=datetime(2030, 1, 1, tzinfo=UTC)
    )
    assert shown([ask, failed]).endswith("✗ send_email: could not do it (unavailable)\n")


def chunk(text: str) -> Chunk:
    return Chunk(message_id="m", agent="a", content=text)


def test_text_is_printed_once_though_its_message_repeats_it():
    whole = Message(message_id="m", agent="a", content="Hello you")
    assert shown([chunk("Hello "), chunk("you"), whole, Complete(status="succeeded")]) == "Hello you\n"


def test_a_message_that_is_more_than_its_chunks_goes_on_where_they_stopped():
    assert shown([chunk("Hello"), Message(message_id="m", agent="a", content="Hello you")]) == "Hello you\n"


def test_a_message_that_differs_is_printed_anew():
    text = shown([chunk("tail only"), Message(message_id="m", agent="a", content="head and tail only")])
    assert text.splitlines() == ["tail only", "(the answer again, whole)", "head and tail only"]


def test_a_rewind_is_said():
    text = shown([chunk("wrong"), Rewind(message_id="m", reason="x"), chunk("right")])
    assert text.splitlines() == ["wrong", "(this part of the answer starts anew)", "right"]


def test_errors_cancellation_and_usage_are_told():
    usage = Usage(model="m", input_tokens=1000, cached_tokens=0, output_tokens=5, cost_usd=0.01, estimated=True)
    text = shown([chunk("x"), usage, Error(code="c", content="It broke.", retry=True), Complete(status="cancelled")])
    assert "✗ It broke. Sending it again may help." in text
    assert "(stopped)" in text
    assert "m · 1,000 tokens in, 5 out · $0.0100 · estimated" in text


def test_a_waiting_run_is_no_end_and_what_was_taken_back_is_said():
    usage = Usage(model="m", input_tokens=1, cached_tokens=0, output_tokens=1)
    ask = ApprovalRequired(
        approval_id="a", tool="send_email", arguments={"to": ["a", "b"], "body": "Dear A,\n\nbye", "when": {"x": 1}},
        risk="It goes out.", expires_at=datetime(2030, 1, 2, 3, 4, tzinfo=UTC),
    )  # fmt: skip
    waits = [chunk("Ready."), usage, ask, Complete(status="waiting")]
    text = shown(waits)
    for part in ("to: a, b", "Dear A,", "bye", 'when: {"x": 1}', "It goes out.", "until 2030-01-02 03:04 UTC"):
        assert part in text
    assert "tokens in" not in text
    over = shown([*waits, ApprovalResolved(approval_id="a", decision="expired"), Complete(status="succeeded")])
    assert over.count("tokens in") == 1
    assert "ran out: it is not done" in over
    assert "taken back" in shown([chunk("x"), Retracted(user_message_id="m"), Complete(status="cancelled")])


def test_piped_text_keeps_its_marks_and_its_long_lines():
    line = "**bold** `code` # no heading " + "word " * 60
    assert shown([chunk(line)], width=40) == line + "\n"


MARKDOWN = (
    "# Head **x**\n\n- one `co*de` two\n* **bold** 2*3\n```py\nif a ** b: `x`\n- kept\n```\nstray ** mark\nnext *\n#no"
)


def styled(pieces: Sequence[str]) -> list[tuple[str, str]]:
    """By character, so that how the text was cut does not matter."""
    prose = Prose()
    pairs = [pair for piece in pieces for pair in prose.feed(piece)] + list(prose.end())
    return [(char, style) for text, style in pairs for char in text]


def test_markdown_reads_well_in_a_terminal():
    pairs = styled([MARKDOWN])
    assert "".join(char for char, _ in pairs) == (
        "Head x\n\n• one co*de two\n• bold 2*3\nif a ** b: `x`\n- kept\nstray  mark\nnext *\n#no"
    )
    assert {char for char, style in pairs if style == "bold"} >= set("Headxbol")
    assert "".join(char for char, style in pairs if style == "cyan") == "co*deif a ** b: `x`- kept"
    assert pairs[-1] == ("o", "")


@pytest.mark.parametrize("seed", range(40))
def test_markdown_is_the_same_however_it_is_cut(seed: int):
    rng = random.Random(seed)
    cuts = [0, *sorted(rng.sample(range(1, len(MARKDOWN)), 30)), len(MARKDOWN)]
    assert styled([MARKDOWN[a:b] for a, b in itertools.pairwise(cuts)]) == styled([MARKDOWN])
    assert styled(list(MARKDOWN)) == styled([MARKDOWN])
