"""What all events share: their frozen base, the envelope the event log fills in, and the intents."""

from datetime import UTC, datetime
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, StringConstraints

BuiltInIntent = Literal[
    "job_search",
    "job_match",
    "followup",
    "cold_email",
    "cover_letter",
    "resume_review",
    "skill_gap",
    "interview_prep",
    "salary",
    "company_research",
    "profile_update",
    "general",
]
# An agent of your own brings an intent of its own: its name.
Intent: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
INTENTS: Final[tuple[Intent, ...]] = get_args(BuiltInIntent)

ENVELOPE: Final = frozenset({"conversation_id", "run_id", "seq", "ts"})
_UNSET_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Part(BaseModel):
    """A value inside an event. What has a default is sent all the same, so the schema requires it."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)


class Event(Part):
    """Common to all events. Agents leave these four alone: the event log fills them in.

    ``seq`` is the offset in the conversation (1, 2, 3, ... without holes), ``ts`` is UTC.
    """

    conversation_id: str = ""
    run_id: str = ""
    seq: int = 0
    ts: datetime = _UNSET_TIME
