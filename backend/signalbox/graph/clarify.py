"""What to ask when a message is not clear: three concrete quick replies fitted to the user. Pure.

An open question loses most users; a button that already says what they may want does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.agents.outreach_text import with_article
from signalbox.blocks import ProfileFact, Suggestion
from signalbox.envelope import Intent
from signalbox.events import IntentScore


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
    "followup": Reply("Check on an application", "I applied and have heard nothing. When should I follow up?"),
    "cold_email": Reply(
        "Write to a recruiter",
        "Write a short e-mail to a recruiter about {what}roles",
        "Write a short e-mail to a recruiter",
    ),
    "cover_letter": Reply("Draft a cover letter", "Draft a cover letter for {a} {what}role", "Draft a cover letter"),
    "resume_review": Reply("Improve my CV", "Review my CV for {what}roles", "Review my CV"),
    "skill_gap": Reply("See which skills I lack", "Which skills do I lack for {what}jobs?", "Which skills do I lack?"),
    "interview_prep": Reply("Practise an interview", "Help me prepare for {a} {what}interview"),
    "salary": Reply("Check what it pays", "What do {what}jobs pay?", "What do jobs pay in my field?"),
    "company_research": Reply("Look into a company", "What should I find out about a company before I apply?"),
    "profile_update": Reply("Tell you about me", "Here is something to remember about me"),
    "general": Reply("Hear what you can do", "What can you do for me?"),
}

# A second thought below this is hardly one.
LIKELY: Final = 0.05

# Offered when the classifier has no second thoughts worth a button.
COMMON: Final[tuple[Intent, ...]] = ("job_search", "skill_gap", "cold_email", "general")


def field_of_work(profile: Sequence[ProfileFact]) -> str:
    """The user's title, else their first skill, else nothing; with a trailing space to sit in a sentence."""
    known = {fact.key: fact.value for fact in reversed(profile)}
    what = known.get("title") or known.get("skill") or ""
    return f"{what[:40]} " if what else ""


def quick_replies(
    message_id: str, message: str, candidates: Sequence[IntentScore], profile: Sequence[ProfileFact]
) -> tuple[Suggestion, ...]:
    """Three different ways on, the likeliest first.

    Where the message may well have meant the intent, choosing it answers that very message; the others say
    something of their own.
    """
    likely = [score.intent for score in candidates if score.confidence >= LIKELY]
    order = list(dict.fromkeys((*likely, *COMMON)))[:3]
    what = field_of_work(profile)
    return tuple(
        Suggestion(
            id=f"s_{message_id}_{number}",
            label=REPLIES[intent].label.format(what="" if intent in likely else what),
            message=message if intent in likely else REPLIES[intent].says(what),
            intent=intent,
        )
        for number, intent in enumerate(order)
    )
