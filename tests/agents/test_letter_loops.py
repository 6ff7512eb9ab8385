"""Whatever an answer about a mail tells its reader to say works when they say exactly that: nobody goes in circles."""

import re
from collections.abc import Iterator

import pytest
from stage import Canned
from test_sending import ADA, BEGUN, EXPIRED, LOST, REJECTED, Approved, Talk

from signalbox.tools.result import Empty, Err, Ok

NO_TRACKER = (Canned("read_applications", Empty("no application is recorded")), Canned("track_application", Ok(None)))
COLD = "Write a cold email to the hiring manager at Acme for a Python backend role"
AWAY = Err("unavailable", "the mail server cannot be reached")
# Other quotations are of the mail or of the user's own words.
_TELLS_TO_SAY = re.compile(r"\b(?:say|write|like) [“`]", re.IGNORECASE)
_QUOTED = re.compile(r"“([^“”…]+)”|`(\[?[^`…]+\]?: )…`")
# Why no more can be done, which ends it.
AN_END = "is the shortest I would send"
VALUES = {"name": "Ann Lee", "company": "Acme", "date": "3 May", "title": "planner"}

CONVERSATIONS = {
    "a mail without a profile": ("cold_email", (), None, [COLD, "send it", "leave out the rest", "send it"]),
    "a mail that nothing is known for": ("cold_email", (), None, ["Write a cold email", "leave out the rest"]),
    "a mail with a profile": ("cold_email", ADA, None, [COLD, "reason: your maps", "leave out the rest", "send it"]),
    "an address that is none": ("cold_email", ADA, None, [COLD, "leave out the rest", "send it to jane@acme"]),
    "a note": ("cold_email", (), None, ["A LinkedIn note to Acme", "leave out the blanks", "Ann Lee", "send it"]),
    "an offer declined": ("cold_email", (), None, ["Write an email to decline the offer from Globex", "name: Ann"]),
    "changes until there is no more": ("cold_email", ADA, None, [COLD, "shorter", "shorter", "shorter", "more formal"]),
    "a chaser": ("followup", (), None, ["Write a chaser to Acme", "firmer", "warmer", "leave out the rest"]),
    "thanks": ("followup", ADA, None, ["Write a thank-you note to Acme", "leave out the rest", "Make it shorter"]),
    "a withdrawal": ("followup", (), None, ["Write a withdrawal to Acme", "send it to a@acme.com, b@acme.com"]),
    **{
        f"a mail that was {what}": ("cold_email", ADA, result, [COLD, "leave out the rest", "send it to jane@acme.com"])
        for what, result in [("rejected", REJECTED), ("too late", EXPIRED), ("lost", LOST), ("begun", BEGUN),
                             ("refused", AWAY), ("sent", None)]
    },
    "a mail for later": ("cold_email", ADA, None, [COLD, "leave out the rest", "send it to jane@acme.com tomorrow"]),
    "a mail sent twice": (
        "cold_email", ADA, None, [COLD, "leave out the rest", "send it to jane@acme.com", "send it"],
    ),
}  # fmt: skip


def told_to_say(answer: str) -> Iterator[str]:
    """Every quotation of a sentence that tells what to say, and every line to fill in with a value in it."""
    for sentence in re.split(r"(?<=[.!?])\s+(?![^“]*”)", answer):
        if not _TELLS_TO_SAY.search(sentence):
            continue
        for quoted, label in _QUOTED.findall(sentence):
            name = label.strip("[]: ").removeprefix("your ").removeprefix("recipient's ")
            yield quoted or label + VALUES.get(name, f"something about {name}")


def instructions(talk: Talk, answer: str) -> list[str]:
    return list(dict.fromkeys([*(message for _, message in talk.offers), *told_to_say(answer)]))


def mail_of(talk: Talk):
    blocks = [block for past in talk.history for block in past.blocks if block.get("type") == "email_draft"]
    return (blocks[-1]["subject"], blocks[-1]["body"]) if blocks else None


def again(talk: Talk) -> Talk:
    """The same conversation, to go on with in another way."""
    copy = Talk(talk.agent, profile=talk.profile, tools=NO_TRACKER, sender=talk.sender)
    copy.history, copy.agent, copy.shown = list(talk.history), talk.agent, talk.shown
    return copy


async def got_on(talk: Talk, answer: str, message: str) -> tuple[Talk, str]:
    """Say ``message``; it has to change the draft, ask for an approval, or bring an answer that is a new one."""
    offered = message in {said for _, said in talk.offers}
    next_, asked = again(talk), len(talk.sender.asked)
    held = [name for name, agent in next_.agents.items() if agent.holds(message, next_.history)]
    assert offered or held, f"nobody would answer “{message}”, said by: {answer}"
    text = await next_.say(message)
    moved = mail_of(next_) != mail_of(talk) or len(next_.sender.asked) > asked
    new = text != answer and (AN_END in text or "stands as it was" not in text)
    assert moved or new, f"“{message}” brought: {text}"
    assert moved or message not in instructions(next_, text), f"“{message}” is answered with itself: {text}"
    return next_, text


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_what_an_answer_tells_to_say_gets_the_conversation_on(name):
    first, profile, result, messages = CONVERSATIONS[name]
    talk = Talk(first, profile=profile, tools=NO_TRACKER, sender=Approved(result))
    followed = 0
    for message in messages:
        answer = await talk.say(message)
        for said in instructions(talk, answer):
            further, text = await got_on(talk, answer, said)
            followed += 1
            for then in instructions(further, text):
                await got_on(further, text, then)
                followed += 1
    assert followed > len(messages)


async def test_doing_as_told_sends_the_mail_in_the_end():
    for first, profile, result, messages in CONVERSATIONS.values():
        if result is not None or first != "cold_email" or "LinkedIn" in messages[0]:
            continue
        talk = Talk(first, profile=profile, tools=NO_TRACKER, sender=Approved())
        answer = await talk.say(messages[0])
        for _ in range(12):
            if talk.sender.asked:
                break
            told = instructions(talk, answer)
            fills = [each for each in told if ": " in each or each.startswith(("Leave out", "leave out"))]
            sends = [each for each in told if each.casefold().startswith("send it to")]
            answer = await talk.say((sends or fills)[0])
        assert talk.sender.asked, answer


def test_instructions_are_found_where_an_answer_gives_them():
    answer = "I did not send it. You said: “no”. Write `your name: …`. Say “shorter” or “as an e-mail”."
    assert list(told_to_say(answer)) == ["your name: Ann Lee", "shorter", "as an e-mail"]
