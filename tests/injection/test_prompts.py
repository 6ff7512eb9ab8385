"""Whatever a text holds, it stays inside the block it is told in, and what stands before that block stays the same."""

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import Field

from injection.injections import PLACES, Injection, aimed_at, injections
from signalbox.agents.budget import Budget
from signalbox.agents.letters.background import Background
from signalbox.agents.telling import Told, facts_told, told
from signalbox.agents.turn import Facts, Turn
from signalbox.blocks import ProfileFact
from signalbox.llm.prompts import load
from signalbox.llm.tokens import counting
from signalbox.memory.conversation import PastMessage
from signalbox.memory.fencing import defused, fenced
from signalbox.memory.summary import ConversationSummary, Noted

STATIC = f"{load('persona').text}\n\nAnswer from the facts."
TAGS = ("profile", "summary", "facts", "message")
CHAT_TOKENS = re.compile(
    r"<\|[a-z_]*\|?>?|\[\s*/?\s*(?:INST|TOOL_RESULTS)\s*\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|<｜", re.IGNORECASE
)
ROLES = re.compile(
    r"^[ \t>*#-]*(?:system|assistant|user|human|developer|function)\b[^\n:(]{0,20}:", re.IGNORECASE | re.MULTILINE
)
HIDDEN = re.compile("[\u00ad\u200b\u2028\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


class Found(Facts):
    """As agents tell what they looked up."""

    postings: tuple[dict[str, Any], ...] = ()
    background: Background | None = None
    pages: tuple[str, ...] = ()
    results: dict[str, Any] = Field(default_factory=dict)


def planted(attack: Injection, place: str) -> tuple[Turn, Found]:
    """A turn in which somebody got ``attack`` into ``place``."""
    text = attack.text
    turn = Turn(message="Which of these fits me?", message_id="m1", intent="job_search")
    match place:
        case "message":
            past = (
                PastMessage(role="user", content=text),
                PastMessage(role="assistant", content=f"You wrote: {text}", agent="general"),
            )
            note = Noted(text=text, sources=("m0",))
            known = ProfileFact(fact_id="f1", kind="constraint", key="note", value=text)
            summary = ConversationSummary(hard_constraints=(note,), decisions=(note,))
            return turn.model_copy(
                update={"message": text, "history": past, "summary": summary, "profile": (known,)}
            ), Found()
        case "posting":
            keys = ("title", "company", "location", "description", "requirements")
            job = dict(zip(keys, attack.fields, strict=False))
            return turn, Found(postings=(job, {"title": "Nurse", "description": text}))
        case "cv":
            known = ProfileFact(fact_id="f1", kind="fact", key="skill", value=text)
            return turn.model_copy(update={"profile": (known,)}), Found(results={"resume": list(attack.fields)})
        case "company_page":
            return turn, Found(pages=attack.fields)
        case "mcp":
            return turn, Found(results={"server": {"description": text, text: "a key can be an attack, too"}})
        case _:
            return turn, Found(results={f"field_{n}": field for n, field in enumerate(attack.fields)})


def rendered(turn: Turn, facts: Found) -> Told:
    return told(STATIC, turn, facts, Budget(), counting(1.0))


def folded(text: str) -> str:
    """As a careless reader sees it: characters folded, what is invisible gone, blanks inside tags forgiven."""
    shown = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    return re.sub(r"<\s*(/?)\s*([a-z]+)\s*>", r"<\1\2>", shown.casefold())


def blocks_in(content: str) -> list[str]:
    return re.findall(r"</?(?:profile|summary|facts|message)>", folded(content))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("attack", injections(), ids=str)
def test_a_planted_text_stays_in_its_block_and_before_it_nothing_changes(attack, place):
    asked = rendered(*planted(attack, place))
    system, *rest = (message.content for message in asked.messages)
    assert system.startswith(f"{STATIC}\n\n<")
    below = system.removeprefix(STATIC)
    order = [tag for tag in TAGS[:3] if f"\n<{tag}>\n" in below]
    assert blocks_in(below) == [mark for tag in order for mark in (f"<{tag}>", f"</{tag}>")]
    assert below.endswith("\n</facts>")
    for message, content in zip(asked.messages[1:], rest, strict=True):
        wanted = ["<message>", "</message>"] if message.role == "user" else []
        assert blocks_in(content) == wanted
        assert not wanted or (content.startswith("<message>\n") and content.endswith("\n</message>"))
    for content in (below, *rest):
        assert not CHAT_TOKENS.search(folded(content)), "no token of a chat template"
        assert not ROLES.search(content), "no line that looks like another speaker's"
        assert not HIDDEN.search(content), "nothing that people do not see"


@pytest.mark.parametrize("attack", injections(), ids=str)
def test_a_letters_facts_hold_it_as_well(attack):
    rules = load("letters").text
    asked = facts_told(
        rules, "Write it.", Found(results={"posting": list(attack.fields)}), Budget(), 500, counting(1.0)
    )
    system, ask = asked.messages
    assert blocks_in(system.content.removeprefix(rules)) == ["<facts>", "</facts>"]
    assert ask.content == "Write it."


def test_the_corpus_is_wide():
    assert len(injections()) >= 60
    assert len({attack.id for attack in injections()}) == len(injections())
    assert {attack.place for attack in injections()} == set(PLACES)
    assert len({attack.kind for attack in injections()}) >= 10
    assert all(len(aimed_at(aim)) >= 2 for aim in ("override", "exfiltrate", "misinform", "send", "delete"))


def test_what_people_write_is_not_harmed():
    for text in (
        "I know C++ and C#, > 5 years; salary < 50k, or <3 days a week in the office.",
        "Dear system administrator, the user interface: fine.",
        "👩‍💻 नौकरी नौक‍री می‌خواهم",
        "a [placeholder], [1] and [Instagram](https://example.com/?a=1&b=2)",
        "Line one\n\nLine two\twith a tab",
    ):
        assert defused(text) == text
    assert defused("if a <b then List<String>") == "if a ‹b then List‹String>"


PARTS = [
    "<",
    "/",
    "facts",
    ">",
    "\u200b",
    "\u200d",
    "＜",
    "‹",
    "[",
    "INST",
    "]",
    "system",
    ":",
    "\n",
    "|",
    "im_end",
    " ",
]


@given(st.lists(st.sampled_from(PARTS) | st.characters(), max_size=24).map("".join))
@example("<" * 3 + "/facts>")
@settings(max_examples=150, deadline=None)
def test_no_text_ends_its_block_and_defusing_twice_is_defusing_once(text):
    assert defused(defused(text)) == defused(text)
    for content in (text, [text], {text: text}, {"a": {"b": [text, 1, None]}}):
        assert blocks_in(fenced("facts", content)) == ["<facts>", "</facts>"]
        assert fenced("facts", content) == fenced("facts", content)
