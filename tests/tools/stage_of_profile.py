"""A chat about one user's profile: every message meets the real tools and the real database."""

import secrets

from signalbox.agents.base import TurnContext
from signalbox.agents.profile_update import ProfileUpdateAgent
from signalbox.agents.turn import Turn
from signalbox.db import Database
from signalbox.envelope import Event
from signalbox.llm.offline import OfflineModel
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner, ProfileStore
from signalbox.memory.profile_history import ProfileHistory
from signalbox.memory.resume.store import ResumeStore
from signalbox.tools.erase_resume import EraseResume
from signalbox.tools.undo_profile import UndoProfile
from signalbox.tools.update_profile import UpdateProfile


class Chat:
    def __init__(self, database: Database, user_id: str) -> None:
        self.owner = Owner("default", user_id)
        self.profiles = ProfileStore(database)
        self.resumes = ResumeStore(database)
        self._history = ProfileHistory(database)
        self._past: list[PastMessage] = []
        self._events: list[Event] = []

    async def emit(self, event: Event) -> None:
        self._events.append(event)

    def undo_tool(self, message_id: str, *, temporary: bool = False) -> UndoProfile:
        return UndoProfile(self._history, self.profiles, self.owner, message_id, temporary=temporary)

    async def say(self, message: str) -> str:
        message_id = f"m_{secrets.token_hex(6)}"
        tools = [
            UpdateProfile(self.profiles, self.owner, message_id, temporary=False, resumes=self.resumes),
            EraseResume(self.resumes, self.profiles, self.owner, temporary=False),
            self.undo_tool(message_id),
        ]
        ctx = TurnContext(self.owner, message_id, OfflineModel(delay_s=0), {tool.name: tool for tool in tools}, self)
        profile = await self.profiles.facts(self.owner)
        turn = Turn(
            message=message, message_id="q", intent="profile_update", history=tuple(self._past), profile=profile
        )
        self._events.clear()
        answer = await ProfileUpdateAgent().respond(turn, ctx)
        blocks = tuple(event.model_dump(mode="json") for event in self._events if event.type == "profile_updated")
        self._past += [
            PastMessage(role="user", content=message, intent="profile_update"),
            PastMessage(role="assistant", content=answer.text, agent="profile_update", blocks=blocks),
        ]
        return answer.text

    def other_turns(self, number: int) -> None:
        """Turns of another subject."""
        for _ in range(number):
            self._past += [
                PastMessage(role="user", content="find nurse jobs", intent="job_search"),
                PastMessage(role="assistant", content="Here are some.", agent="job_search"),
            ]

    async def values(self) -> set[str]:
        return {fact.value for fact in await self.profiles.facts(self.owner)}
