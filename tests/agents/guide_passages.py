"""Passages as the knowledge base finds them, made by hand, and a history of one earlier turn."""

from typing import Any

from stage import Canned

from signalbox.envelope import ENVELOPE, Event
from signalbox.memory.conversation import PastMessage
from signalbox.memory.resume.model import Resume, WorkItem
from signalbox.retrieval.library import Passage, PassageHits
from signalbox.tools.result import Empty, Err, Ok, Result

QUESTIONS = """**Questions you may be asked**

Interviews for data roles often include these questions.

- How do you deal with missing data? A good answer asks first why it is missing.
- Can you describe a time your analysis was wrong? A good answer admits it.
- How would you find duplicate customers in a table? A good answer defines a duplicate first."""
COMMON = """These common interview questions appear in most occupations.

- Can you tell me about yourself? A good answer leads to this post.
- Why do you want to work here? A good answer names something specific."""
STAR = """**How does the STAR method work?**

The STAR method gives an answer four parts:

- Situation: where and when.
- Result: what happened, with a number."""

CV = Resume(
    work=(
        WorkItem(
            title="Data Analyst",
            company="Northgate Clinics",
            start="2021-03",
            current=True,
            highlights=(
                "Built a SQL dashboard that cut missed appointments by 18%",
                "Trained six colleagues in Power BI",
            ),
        ),
        WorkItem(title="Junior Analyst", company="Harbour Foods", start="2018-01", end="2020-02"),
    ),
    skills=("SQL", "Power BI", "Excel"),
)


def passage(number: int, title: str, heading: str, content: str) -> Passage:
    return Passage(
        passage_id=f"p_{number}",
        document_id=f"d_{number}",
        title=title,
        heading=heading,
        content=content,
        source="guides",
        url=None,
        path=f"{number}.md",
        version="1",
        published_on=None,
    )


def found(*passages: Passage) -> Ok[PassageHits]:
    return Ok(PassageHits(passages, ()))


class Guides:
    """A knowledge base of a few passages: each search finds those of the word in it."""

    name = "search_knowledge"
    effect = "read"
    timeout_s = 1.0

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def run(self, arguments: Any) -> Result[PassageHits]:
        self.asked.append(arguments.text)
        text = arguments.text.casefold()
        known = {
            "data": passage(1, "Interviews for data analysts and data scientists", "", QUESTIONS),
            "common": passage(2, "Common interview questions and how to answer them", "", COMMON),
            "star": passage(3, "Behavioural interviews and the STAR method", "", STAR),
        }
        hits = tuple(each for word, each in known.items() if word in text)
        return Ok(PassageHits(hits, ())) if hits else Empty("nothing in the library is about that")


def unread() -> Canned:
    return Canned("search_knowledge", Err("timeout", "slow"))


def resume(value: Resume | None = None) -> Canned:
    return Canned("read_resume", Ok(value) if value else Empty("no CV is stored"))


def turn(message: str, text: str, agent: str, *blocks: Event) -> tuple[PastMessage, PastMessage]:
    """A message and its answer, with the typed results it carried, as the history keeps them."""
    kept = tuple(block.model_dump(mode="json", exclude=set(ENVELOPE)) for block in blocks)
    return (
        PastMessage(role="user", content=message, intent=agent),
        PastMessage(role="assistant", content=text, agent=agent, intent=agent, blocks=kept),
    )
