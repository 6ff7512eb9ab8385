"""The JSON answers of a server, as its Python client gives them back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from signalbox.events import RunStatus, SnapshotMessage, SnapshotRun


class Reply(BaseModel):
    """A JSON answer of the server; fields that only a newer server has are left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class RunHandle(Reply):
    run_id: str
    conversation_id: str


class RunError(Reply):
    code: str
    content: str
    retry: bool


class RunInfo(RunHandle):
    status: RunStatus
    attempt: int
    intent: str | None = None
    agent: str | None = None
    usage: Mapping[str, Any] | None = None
    error: RunError | None = None
    created_at: datetime | None = None
    finished_at: datetime | None = None


class ApprovalInfo(Reply):
    """What a run asks its user. ``digest`` is that of ``arguments``; ``edited`` were approved in their place."""

    approval_id: str
    run_id: str
    tool: str
    arguments: dict[str, Any]
    digest: str
    risk: str
    expires_at: datetime
    decision: Literal["approved", "edited", "rejected", "expired"] | None = None
    edited: dict[str, Any] | None = None
    note: str = ""


class Approvals(Reply):
    approvals: tuple[ApprovalInfo, ...]


class ConversationInfo(Reply):
    """``match``: what a search found, in its surroundings."""

    conversation_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    match: str | None = None


class Conversations(Reply):
    conversations: tuple[ConversationInfo, ...]


class Transcript(Reply):
    """Stored messages and their runs; ``stream(conversation_id=..., cursor=...)`` goes on without a seam.

    Only the newest messages of a very long conversation are in it; ``omitted`` counts the older ones.
    """

    conversation_id: str
    messages: tuple[SnapshotMessage, ...]
    runs: tuple[SnapshotRun, ...]
    omitted: int = 0
    cursor: str
