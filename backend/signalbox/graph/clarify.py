"""What to ask when a message is not clear: three concrete quick replies fitted to the user. Pure.

An open question loses most users; a button that already says what they may want does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.agents.base import Agent
from signalbox.agents.letters.outreach_text import with_article
from signalbox.agents.words.shown import shown_jobs
from signalbox.blocks import ProfileFact, Suggestion
from signalbox.envelope import Intent
from signalbox.events import IntentScore
from signalbox.memory.conversation import PastMessage, recent_intents


@dataclass(frozen=True, slots=True)
class Reply:
    """``label`` stands on the button, ``message`` is what it says; ``{what}`` is the user's field of work, ``{a}``
    the article before it. ``bare`` is what the message is where no field is known and leaving it out reads badly.
    """

    label: str
    message: str
    bare: str = ""

    def says(self, what: str) -> str:
        """The message for ``what``, which is empty or ends in a space."""
        if not what and self.bare:
            return self.bare
        return self.message.format(what=what, a=with_article(what or self._next_word()).split(maxsplit=1)[0])

    def _next_word(self) -> str:
        return self.message.partition("{what}")[2]


REPLIES: Final[dict[Intent, Reply]] = {
    "job_search": Reply("Find {what}jobs", "Find me {what}jobs"),
    "job_match": Reply("Compare the jobs I saw", "Which of the jobs you showed me fits me best?"),
    "followup": Reply("Follow up an application", "I applied and have heard nothing. When should I follow up?"),
    "cold_email": Reply(
        "Write to a recruiter",
        "Write a short e-mail to a recruiter about {what}roles",
        "Write a short e-mail to a recruiter",
    ),
    "cover_letter": Reply("Draft a cover letter", "Draft a cover letter for {a} {what}role", "Draft a cover letter"),
    "resume_review": Reply("Review my CV", "Review my CV for {what}roles", "Review my CV"),
    "skill_gap": Reply("See which skills I lack", "Which skills do I lack for {what}jobs?", "Which skills do I lack?"),
    "interview_prep": Reply("Practise an interview", "Help me prepare for {a} {what}interview"),
    "salary": Reply("Check what it pays", "What do {what}jobs pay?", "What do jobs pay in my field?"),
    "company_research": Reply("Look into a company", "What should I find out about a company before I apply?"),
    "profile_update": Reply("Remember this about me", "Here is something to remember about me"),
    "general": Reply("Hear what you can do", "What can you do for me?"),
}
# What a reply says instead while the thing it speaks of is not there.
WITHOUT_JOBS: Final = Reply("Judge a job for me", "How do I tell whether a job suits me?")
WITHOUT_CV: Final = Reply("Get a CV reviewed", "How do I give you my CV for a review?")

# A second thought below this is hardly one.
LIKELY: Final = 0.05

# Offered when the classifier has no second thoughts worth a button.
COMMON: Final[tuple[Intent, ...]] = ("job_search", "skill_gap", "cold_email", "general")
# What often follows a turn with an agent: offered before the common ones.
NEXT: Final[dict[Intent, tuple[Intent, ...]]] = {
    "job_search": ("job_match", "cover_letter"),
    "job_match": ("cover_letter", "skill_gap"),
    "resume_review": ("cover_letter", "job_search"),
    "cover_letter": ("cold_email", "followup"),
    "cold_email": ("followup", "interview_prep"),
    "followup": ("interview_prep", "job_search"),
    "interview_prep": ("company_research", "salary"),
    "company_research": ("cold_email", "interview_prep"),
    "salary": ("job_search", "job_match"),
    "skill_gap": ("job_search", "resume_review"),
}


def field_of_work(profile: Sequence[ProfileFact]) -> str:
    """The user's title, else their first skill, else nothing; with a trailing space to sit in a sentence."""
    known = {fact.key: fact.value for fact in reversed(profile)}
    what = known.get("title") or known.get("skill") or ""
    return f"{what[:40]} " if what else ""


def quick_replies(
    message_id: str,
    message: str,
    candidates: Sequence[IntentScore],
    profile: Sequence[ProfileFact],
    history: Sequence[PastMessage] = (),
    agents: Mapping[str, Agent] | None = None,
) -> tuple[Suggestion, ...]:
    """Three different ways on, the likeliest first.

    Where the message may well have meant the intent, choosing it answers that very message; the others say
    something of their own: what often follows the last turn, then what most people want. None speaks of a CV that
    was never given or of jobs that were never shown.
    """
    known = REPLIES.keys() | (agents or {}).keys()
    likely = [score.intent for score in candidates if score.confidence >= LIKELY and score.intent in known]
    recent = recent_intents(tuple(history))
    order = list(dict.fromkeys((*likely, *(NEXT.get(recent[-1], ()) if recent else ()), *COMMON)))[:3]
    what = field_of_work(profile)
    missing = _missing(profile, history)
    suggestions = []
    for number, intent in enumerate(order):
        reply = missing.get(intent) or REPLIES.get(intent) or _of_agent((agents or {})[intent])
        suggestions.append(
            Suggestion(
                id=f"s_{message_id}_{number}",
                label=reply.label.format(what="" if intent in likely else what),
                message=message if intent in likely else reply.says(what),
                intent=intent,
            )
        )
    return tuple(suggestions)


def _of_agent(agent: Agent) -> Reply:
    """An agent that came later speaks for itself; braces in its words are no blanks."""
    label, example = (text.replace("{", "(").replace("}", ")") for text in (agent.label, agent.examples[0]))
    return Reply(label, example)


def _missing(profile: Sequence[ProfileFact], history: Sequence[PastMessage]) -> dict[Intent, Reply]:
    replies: dict[Intent, Reply] = {}
    if not shown_jobs(history):
        replies["job_match"] = WITHOUT_JOBS
    if not any(fact.key == "resume" for fact in profile):
        replies["resume_review"] = WITHOUT_CV
    return replies
