"""Drafts that are sent: what stands in the way, the approval, and what is said of each way it can end."""

from datetime import UTC, date, datetime, timedelta

import pytest
from stage import Canned, fact, perform, searched

from mail_server import mailbox
from signalbox.agents.cold_email import ColdEmailAgent
from signalbox.agents.followup import FollowupAgent
from signalbox.agents.letters.blanks import filled, filling_in
from signalbox.agents.letters.sending import addresses_in, and_sent, holds_back, wants_sent
from signalbox.blocks import EmailDraft
from signalbox.envelope import ENVELOPE
from signalbox.events import BLOCK_TYPES
from signalbox.memory.applications import ApplicationStore, NewApplication
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.tools.journal import Unrecorded
from signalbox.tools.mailing import UNKNOWN, Mailer, Sent
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.send_email import SendEmail
from signalbox.tools.track_applications import ReadApplications, TrackApplication

AT = datetime(2026, 5, 4, 14, 5, tzinfo=UTC)
ADA = (fact("name", "Ada Lovelace"), fact("title", "Data Engineer"), fact("years", "8"), fact("skill", "SQL"))
ASK = "Write to Jane Doe at Acme about the data engineer role"
REJECTED, EXPIRED = Err("rejected", "the user did not approve it"), Err("expired", "nobody answered")
BEGUN = Err(
    "rejected", "the user did not approve it; it was begun before and may have happened already", done="unknown"
)
LOST = Err("timeout", f"{UNKNOWN}: the mail server did not confirm it in time", retryable=False, done="unknown")


class Approved:
    """Stands for the approval and the mail server; ``edited``: what the user made of the arguments."""

    name = "send_email"
    effect = "irreversible"
    timeout_s = 1.0

    def __init__(self, result=None, **edited):
        self.asked = []
        self._result, self._edited = result, edited

    async def run(self, mail):
        self.asked.append(mail)
        if self._result is not None:
            return self._result
        values = {"to": mail.to, "subject": mail.subject, "sender": "bot@sb.example", "reply_to": mail.reply_to}
        return Ok(Sent(message_id="<1@sb.example>", sent_at=AT, **(values | self._edited)))


class Talk:
    """A conversation in which whoever holds a message, or is handed it, answers it."""

    def __init__(self, first="cold_email", result=None, tools=(), profile=ADA, sender=None, **edited):
        self.agents = {"cold_email": ColdEmailAgent(), "followup": FollowupAgent()}
        self.first, self.profile = first, profile
        self.sender = sender or Approved(result, **edited)
        self.tools = lambda _: [self.sender, *tools]
        self.history = []
        self.shown = None
        self.agent = ""
        self.journal = None

    async def say(self, message, *, temporary=False):
        held = [name for name, agent in self.agents.items() if agent.holds(message, self.history)]
        name = held[0] if held else self.first
        answer, shown = await self._answered(name, message, temporary=temporary)
        if answer.hand_over is not None:
            name = answer.hand_over.to
            answer, shown = await self._answered(name, message, temporary=temporary)
        self.shown, self.agent = shown, name
        blocks = tuple(e.model_dump(mode="json", exclude=set(ENVELOPE)) for e in shown.events if e.type in BLOCK_TYPES)
        self.history += [
            PastMessage(role="user", content=message, intent=name),
            PastMessage(role="assistant", content=answer.text, agent=name, blocks=blocks),
        ]
        return answer.text

    async def _answered(self, name, message, *, temporary):
        tools = self.tools(len(self.history))
        return await perform(
            self.agents[name],
            message,
            tools,
            history=self.history,
            profile=self.profile,
            temporary=temporary,
            journal=self.journal,
        )

    @property
    def draft(self):
        return self.shown.one("email_draft")

    @property
    def offers(self):
        found = [event for event in self.shown.events if event.type == "suggestions"]
        return [(each.label, each.message) for event in found for each in event.suggestions]


@pytest.mark.parametrize(
    ("message", "to"),
    [
        ("send it", ()), ("Yes, send it.", ()), ("send", ()), ("looks good, send it!", ()),
        ("go ahead and send it", ()),
        ("send it to jane@acme.com", ("jane@acme.com",)), ("please e-mail this to jane@acme.com", ("jane@acme.com",)),
        ("can you send it to jane@acme.com?", ("jane@acme.com",)), ("send to jane@acme.com.", ("jane@acme.com",)),
        ("Perfect - mail it to jane@acme.com please", ("jane@acme.com",)), ("send the shorter version", ()),
        ("Send it to j.o'neil@acme.co.uk and bob@acme.com", ("j.o'neil@acme.co.uk", "bob@acme.com")),
        ("send this draft to Jane", ()), ("ok send the email now", ()), ("send that to her please", ()),
    ],
)  # fmt: skip
def test_a_request_to_send_is_understood(message, to):
    wish = wants_sent(message)
    assert wish is not None
    assert (wish.to, wish.later, wish.again, wish.malformed) == (to, False, False, ())


@pytest.mark.parametrize(
    "message",
    [
        "don't send it", "should I send it?", "when do I send it", "I'll send it myself", "send me the draft",
        "send it to jane@acme.com but make it shorter", "send a chaser to Tesco", "make it shorter and send it",
        "email jane@acme.com about the data engineer role", "send it as a linkedin note", "I sent it yesterday",
        "mail them that I want more money", "email them asking for feedback", "what happens when you send it",
        "send Globex an email requesting feedback", "send her a thank-you note",
    ],
)  # fmt: skip
def test_what_is_no_request_to_send_is_not_taken_for_one(message):
    assert wants_sent(message) is None


def test_details_of_the_wish_are_read():
    wish = wants_sent("send it to jane@acme.com, replies to ada@home.org")
    assert (wish.to, wish.reply_to) == (("jane@acme.com",), "ada@home.org")
    assert wants_sent("send it tomorrow").later
    assert wants_sent("send it to jane@acme.com on Monday at 9").later
    assert wants_sent("send it to jane@acme.com, bcc bob@acme.com").blind
    assert wants_sent("send it again").again
    assert wants_sent("send it to me").to_me
    assert wants_sent("I want you to send it to Jane Doe").whom == "Jane Doe"
    assert "jane@acme" in wants_sent("send it to jane@acme").malformed[0]
    assert and_sent("write a cold email to jane@acme.com and send it")[0] == "write a cold email to jane@acme.com"
    assert and_sent("write them an email and send me the draft") is None
    assert holds_back("No, don't send it yet")
    assert not holds_back("don't send it to Bob, send it to Jane")


BLANKS = ("[recipient's name]", "[one result, with a number]", "[one true, specific reason]", "[your name]")


@pytest.mark.parametrize(
    ("message", "values", "dropped"),
    [
        ("[your name]: Ada", {"[your name]": "Ada"}, ()),
        ("my name: Ada", {"[your name]": "Ada"}, ()),
        ("[recipient's name] is Jane\n[your name] is Ada", {"[recipient's name]": "Jane", "[your name]": "Ada"}, ()),
        ("result: cut costs by 40%, in a year; reason = the maps", {"[one result, with a number]":
         "cut costs by 40%, in a year", "[one true, specific reason]": "the maps"}, ()),
        ("- `[one true, specific reason]`: your open maps", {"[one true, specific reason]": "your open maps"}, ()),
        ("your name: Ada; leave out the rest", {"[your name]": "Ada"}, BLANKS[:3]),
        ("leave out the result and the reason", {}, BLANKS[1:3]),
        ("make it shorter", {}, ()), ("Note: I am away", {}, ()), ("name: [your name]", {}, ()),
        ("delete my account and the other one", {}, ()),
    ],
)  # fmt: skip
def test_what_a_message_fills_in_is_read_by_the_words_of_the_blank(message, values, dropped):
    filling = filling_in(message, BLANKS)
    assert filling.values == values
    assert set(filling.dropped) == set(dropped)


def test_a_blank_goes_with_its_sentence_and_a_name_to_sign_with_stays():
    body = "Hi [recipient's name],\n\nI am Ada. A result: [one result, with a number]. Bye.\n\nBest,\n[your name]"
    draft = EmailDraft(subject="[role] at Acme", subjects=("[role] at Acme", "A question"), body=body)
    done = filled(draft, filling_in("leave out all the blanks", BLANKS))
    assert done.body == "Hello,\n\nI am Ada. Bye.\n\nBest,\n[your name]"
    assert (done.subject, done.placeholders) == ("A question", ("[your name]",))


async def test_nothing_is_sent_with_a_blank_in_it_and_the_answer_says_how_to_fill_it_in():
    talk = Talk()
    await talk.say(ASK)
    text = await talk.say("send it to jane@acme.com")
    assert "**not sent**" in text
    assert "`[one true, specific reason]`" in text
    assert "leave out the rest" in text
    assert talk.sender.asked == []
    assert "tool_call" not in talk.shown.types()
    text = await talk.say("result: I cut costs by 40%\nreason: your open maps")
    assert "No blank is open any more" in text
    assert "[" not in talk.draft.body
    assert "I cut costs by 40%." in talk.draft.body
    assert talk.draft.to == "Jane Doe <jane@acme.com>"
    assert talk.offers[0] == ("Send it", "Send it to jane@acme.com")


async def ready(*more, **kinds):
    """A conversation with a draft that has no blank left."""
    talk = Talk(*more, **kinds)
    await talk.say(ASK)
    await talk.say("leave out the rest")
    return talk


async def test_the_newest_draft_is_sent_once_it_is_approved_and_told_only_then():
    talk = await ready()
    body, subject = talk.draft.body, talk.draft.subject
    said = [past.content for past in talk.history if past.role == "assistant"]
    text = await talk.say("yes, send it to jane@acme.com")
    (mail,) = talk.sender.asked
    assert (mail.to, mail.subject, mail.body) == (("jane@acme.com",), subject, body)
    assert text.startswith("Sent to jane@acme.com at 14:05 UTC on 4 May 2026")
    assert subject in text
    assert "Replies go to bot@sb.example" in text
    assert talk.shown.types() == ["tool_call", "tool_result", "chunk", "message"]
    assert not any("Sent to" in each for each in said)


async def test_a_request_to_write_and_send_shows_the_draft_before_it_asks():
    talk = Talk()
    sender = talk.sender
    text = await talk.say("Write an email to decline the offer from Globex and send it to hr@globex.com")
    assert sender.asked == []
    assert "**not sent**" in text
    await talk.say("[recipient's name]: Jo Roe, leave out the rest, and send it")
    kinds = talk.shown.types()
    assert kinds.index("email_draft") < kinds.index("tool_call")
    assert sender.asked[0].body == talk.draft.body
    assert sender.asked[0].to == ("hr@globex.com",)
    await talk.say("make it shorter and send it")
    assert sender.asked[1].body == talk.draft.body != sender.asked[0].body
    assert "Jo" in talk.draft.body


async def test_what_was_really_sent_is_told_when_the_user_has_edited_it():
    talk = await ready(to=("eve@acme.com",), subject="Another subject", refused=("bob@acme.com (550 no)",))
    text = await talk.say("send it to jane@acme.com, bob@acme.com")
    assert "Sent to eve@acme.com at" in text
    assert "“Another subject”" in text
    assert "did **not** go to bob@acme.com (550 no)" in text
    assert "jane@acme.com" not in text


@pytest.mark.parametrize(
    ("result", "says", "offer"),
    [
        (REJECTED, "I did not send it.", "Shorter"),
        (EXPIRED, "ran out before it was answered, so I did not send it. Say “send it”", "Ask me again"),
        (
            Err("rejected", "the user did not approve it: too long"),
            "I did not send it. You said: “too long”.",
            "Shorter",
        ),
        (BEGUN, f"{UNKNOWN}: you did not approve it; it was begun before and may have happened", "Send it again"),
        (LOST, f"{UNKNOWN}: the mail server did not confirm it in time. It may have arrived", "Send it again"),
        (
            Err("unavailable", "the mail server cannot be reached", done="no"),
            "It was **not sent**: the mail server cannot be",
            "Try",
        ),
        (
            Err("auth", "wrong password", retryable=False, done="no"),
            "It was **not sent**: wrong password. The text above",
            "Shorter",
        ),
    ],
)
async def test_each_way_not_to_be_sent_is_told_as_it_is(result, says, offer):
    talk = await ready(result=result)
    text = await talk.say("send it to jane@acme.com")
    assert says in text
    assert "Sent to" not in text
    assert talk.offers[0][0].startswith(offer)
    assert len(talk.sender.asked) == 1
    assert talk.agents["cold_email"].holds(talk.offers[0][1], talk.history) or "Make it" in talk.offers[0][1]


@pytest.mark.parametrize("result", [None, LOST, BEGUN])
async def test_what_went_out_or_may_have_goes_a_second_time_only_when_that_is_said(result):
    talk = await ready(result=result)
    await talk.say("send it to jane@acme.com")
    assert "went out to jane@acme.com before, or may have" in await talk.say("send it")
    assert len(talk.sender.asked) == 1
    await talk.say(talk.offers[0][1])
    assert len(talk.sender.asked) == 2
    await talk.say("send it to bob@acme.com")
    assert talk.sender.asked[2].to == ("bob@acme.com",)


@pytest.mark.parametrize("result", [REJECTED, EXPIRED])
async def test_what_was_not_sent_can_be_asked_for_again(result):
    talk = await ready(result=result)
    await talk.say("send it to jane@acme.com")
    await talk.say("send it")
    assert [mail.to for mail in talk.sender.asked] == [("jane@acme.com",)] * 2


async def test_without_a_mail_server_nobody_is_asked_to_approve_anything():
    for sender in (SendEmail(None), Canned("another", Ok(None))):
        talk = await ready(sender=sender)
        assert not any(label == "Send it" for label, _ in talk.offers)
        text = await talk.say("send it to jane@acme.com")
        assert "This server cannot send mail" in text
        assert "copy the text above" in text
        assert "tool_call" not in talk.shown.types()


async def test_a_missing_address_is_asked_for_and_the_answer_sends():
    talk = await ready()
    assert "Which e-mail address shall it go to?" in await talk.say("send it")
    text = await talk.say("jane@acme")
    assert "no address I can write to" in text
    assert "Which e-mail address shall it go to?" in text
    assert talk.sender.asked == []
    await talk.say("jane@acme.com")
    assert talk.sender.asked[0].to == ("jane@acme.com",)


async def test_somebody_else_without_an_address_is_asked_for_again():
    talk = await ready()
    await talk.say("send it to jane@acme.com")
    assert "I know no address of Bob." in await talk.say("send it to Bob")
    assert len(talk.sender.asked) == 1


async def test_an_address_of_ones_own_is_for_replies():
    talk = Talk()
    await talk.say(f"{ASK}, my email is ada@home.org")
    await talk.say("leave out the rest")
    assert talk.draft.to == "Jane Doe"
    text = await talk.say("send it to jane@acme.com")
    assert talk.sender.asked[0].reply_to == "ada@home.org"
    assert "Replies go to ada@home.org" in text


def test_whom_a_pasted_text_asks_to_reply_to_is_no_address_of_ones_own():
    advert = f"Write to them about this: {'We look for a planner. ' * 20} Reply to jobs@acme.com by Friday."
    assert addresses_in(advert) == (("jobs@acme.com",), (), None)
    assert addresses_in(f"{advert} My email is ada@home.org") == (("jobs@acme.com",), (), "ada@home.org")
    assert addresses_in("<mailto:jane@acme.com>, or jane@acme") == (
        ("jane@acme.com",),
        ("“jane@acme”: “acme” is no domain like example.com",),
        None,
    )


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("send it tomorrow", "only send it at once"),
        ("send it to jane@acme.com, bcc bob@acme.com", "blind copies"),
        ("send it to " + ", ".join(f"a{n}@x.io" for n in range(6)), "at most 5 addresses"),
        ("don't send it", "I have sent nothing"),
    ],
)
async def test_what_cannot_be_done_is_said_and_nothing_is_sent(message, says):
    talk = await ready()
    assert says in await talk.say(message)
    assert talk.sender.asked == []


async def test_what_is_no_mail_is_not_sent_as_one():
    talk = Talk()
    assert "no e-mail here to send yet" in await talk.say("send it to jane@acme.com")
    await talk.say(f"A LinkedIn note: {ASK}")
    assert "LinkedIn note, which I cannot send" in await talk.say("send it to jane@acme.com")
    letter = {"type": "cover_letter", "title": "x", "body": "x"}
    talk.history.append(PastMessage(role="assistant", content="Here.", agent="cover_letter", blocks=(letter,)))
    assert not talk.agents["cold_email"].holds("send it", talk.history)
    assert "without attachments" in await talk.say("send it")
    assert talk.sender.asked == []


async def test_a_draft_for_another_company_does_not_go_to_the_address_of_the_first():
    talk = await ready()
    await talk.say("send it to jane@acme.com")
    await talk.say("more formal")
    assert talk.draft.to == "Jane Doe <jane@acme.com>"
    assert "[one true" not in talk.draft.body
    await talk.say("Write to the recruiter at Globex about the nurse role")
    assert talk.draft.to is None
    await talk.say("leave out the rest")
    assert "Which e-mail address" in await talk.say("send it")
    assert len(talk.sender.asked) == 1


async def test_sending_reaches_the_writer_of_the_newest_draft_after_other_things():
    talk = await ready()
    talk.history += searched("jobs in Berlin")
    for message in ("send it", "send it to jane@acme.com", "yes, send it", "don't send it"):
        assert talk.agents["cold_email"].holds(message, talk.history)
        assert not talk.agents["followup"].holds(message, talk.history)
    answer, shown = await perform(FollowupAgent(), "send it to jane@acme.com", [talk.sender], history=talk.history)
    assert (answer.text, shown.types()) == ("", [])
    assert answer.hand_over.to == "cold_email"
    for message in ("find jobs in Leeds", "I would send it to nobody", "jane@acme.com"):
        assert not talk.agents["cold_email"].holds(message, talk.history)


async def test_an_approved_mail_arrives():
    with mailbox() as box:
        sender = SendEmail(Mailer(box.url(), sender="bot@sb.example", timeout_s=30))
        talk = await ready(sender=sender)
        body = talk.draft.body
        text = await talk.say("send it to jane@acme.com, replies to ada@home.org")
    (kept,) = box.kept
    assert kept.text == body
    assert kept.message["Reply-To"] == "ada@home.org"
    assert "Sent to jane@acme.com at" in text


@pytest.fixture
async def tracker(database):
    owner = Owner("public", f"sending-{datetime.now(UTC).timestamp()}")
    store = ApplicationStore(database)
    today = datetime.now(UTC).date()
    ago = today - timedelta(days=14)
    for company, status, on in (("Acme", "applied", ago), ("Bolt", "interview", today + timedelta(days=3))):
        new = NewApplication(company, "planner", None, status, ago, on)
        await store.record(owner, new, message_id=f"{owner.user_id}-{company}")

    class Tracker:
        def tools(self, sender):
            return lambda number: [
                sender,
                ReadApplications(store, owner, temporary=False),
                TrackApplication(store, owner, f"{owner.user_id}-{number}", temporary=False),
            ]

        async def contact(self, company) -> date:
            return next(one for one in await store.all(owner) if one.company == company).last_contact_on

        async def status(self, company):
            return next(one for one in await store.all(owner) if one.company == company).status

    return Tracker()


def following_up(tracker, result=None):
    talk = Talk("followup", result)
    talk.tools = tracker.tools(talk.sender)
    return talk


async def test_a_chaser_that_was_sent_is_noted_as_a_contact(tracker):
    talk = following_up(tracker)
    await talk.say("Write a chaser to Acme")
    assert "**not sent**" in await talk.say("send it to hr@acme.com")
    await talk.say("[name]: Ms Roe")
    assert talk.draft.kind == "chaser"
    assert talk.offers[0] == ("Send it", "Send it to hr@acme.com")
    await talk.say("make it warmer")
    assert "Ms Roe" in talk.draft.body
    assert "warm regards" in talk.draft.body
    text = await talk.say("send it")
    assert talk.sender.asked[0].to == ("hr@acme.com",)
    assert "Sent to hr@acme.com at" in text
    assert "noted on your tracker that you wrote to Acme today" in text
    assert await tracker.contact("Acme") == datetime.now(UTC).date()
    assert await tracker.status("Acme") == "applied"
    assert talk.shown.one("application_status").changed


async def test_a_letter_written_and_sent_at_once_leaves_the_day_of_the_interview_alone(tracker):
    talk = following_up(tracker)
    when = await tracker.contact("Bolt")
    text = await talk.say("Write a withdrawal to Bolt and send it to hr@bolt.com")
    assert "**not sent**" in text
    await talk.say("name: Jo, leave out the rest and send it")
    assert "noted on your tracker that you wrote to Bolt today" in talk.history[-1].content
    assert await tracker.contact("Bolt") == when
    assert await tracker.status("Bolt") == "interview"


@pytest.mark.parametrize("result", [REJECTED, LOST])
async def test_nothing_is_noted_of_a_mail_that_was_not_surely_sent(tracker, result):
    talk = following_up(tracker, result)
    before = await tracker.contact("Acme")
    await talk.say("Write a chaser to Acme")
    await talk.say("name: Jo, and send it to hr@acme.com")
    assert len(talk.sender.asked) == 1
    assert await tracker.contact("Acme") == before
    assert "application_status" not in talk.shown.types()


async def test_a_mail_about_an_application_that_is_not_on_the_tracker_is_sent_all_the_same(tracker):
    talk = following_up(tracker)
    await talk.say("Write a chaser to Initech")
    await talk.say("title: planner; date: 3 May; name: Jo; send it to hr@initech.com")
    assert talk.sender.asked[0].to == ("hr@initech.com",)
    assert "Sent to" in talk.history[-1].content
    assert "tracker" not in talk.history[-1].content


async def test_a_tracker_that_cannot_be_reached_does_not_hide_that_the_mail_is_out():
    down = [
        Canned("read_applications", Err("unavailable", "down")),
        Canned("track_application", Err("unavailable", "")),
    ]
    talk = Talk("followup", tools=down)
    await talk.say("Write a chaser to Acme")
    await talk.say("name: Jo; title: planner; date: 3 May")
    text = await talk.say("send it to hr@acme.com")
    assert "Sent to hr@acme.com at" in text
    assert "**not note**" in text


async def test_a_temporary_chat_sends_and_notes_nothing():
    tools = [Canned("read_applications", Empty("no application is recorded")), Canned("track_application", Ok(None))]
    talk = Talk("followup", tools=tools)
    await talk.say("Write a chaser to Acme", temporary=True)
    await talk.say("name: Jo; title: planner; date: 3 May", temporary=True)
    assert "Sent to" in await talk.say("send it to hr@acme.com", temporary=True)
    assert tools[0].asked == tools[1].asked == []


async def test_a_request_for_a_letter_is_still_one_where_there_is_no_draft_yet(tracker):
    talk = following_up(tracker)
    await talk.say("send the chaser to Acme")
    assert talk.draft.kind == "chaser"
    assert talk.sender.asked == []


class Edits(Unrecorded):
    """A user who changes what they approve."""

    def __init__(self, **changes):
        super().__init__()
        self.changes, self.asked = changes, []

    async def effect(self, call, do, codec):
        if call.effect != "irreversible":
            return await super().effect(call, do, codec)
        self.asked.append(call.arguments)
        return await do({**call.arguments, **self.changes}, call.position)

    def edited(self, position):
        return {**self.asked[-1], **self.changes} if position.split("/")[1] == "send_email" else None


REFUSED = Err("unavailable", "the mail server takes nothing just now", done="no")


@pytest.mark.parametrize("result", [None, REFUSED])
async def test_what_the_user_made_of_a_mail_is_the_draft_from_then_on(result):
    talk = Talk(result=result)
    await talk.say(ASK)
    await talk.say("my name is Ada, leave out the rest of the blanks")
    first = talk.history[-1].blocks[-1] if talk.history[-1].blocks else {}
    talk.journal = Edits(subject="Good morning", body="Dear Jane,\n\nhello.", to=["jane.doe@acme.com"])
    await talk.say("send it to jane@acme.com")
    assert first.get("subject") != "Good morning"
    assert (talk.draft.subject, talk.draft.body, talk.draft.placeholders) == (
        "Good morning", "Dear Jane,\n\nhello.", (),
    )  # fmt: skip
    assert talk.draft.subjects[0] == "Good morning"
    again = Edits()
    talk.journal = again
    await talk.say("send it again")
    (asked,) = again.asked
    assert (asked["to"], asked["subject"], asked["body"]) == (
        ["jane.doe@acme.com"], "Good morning", "Dear Jane,\n\nhello.",
    )  # fmt: skip
    assert not [event for event in talk.shown.events if event.type == "email_draft"], "it stands as it was"


async def test_an_address_told_after_an_edit_counts():
    talk = Talk()
    await talk.say(ASK)
    await talk.say("my name is Ada, leave out the rest of the blanks")
    talk.journal = Edits(subject="Good morning")
    await talk.say("send it to jane@acme.com")
    talk.journal = again = Edits()
    await talk.say("send it to bob@acme.com")
    assert (again.asked[0]["to"], again.asked[0]["subject"]) == (["bob@acme.com"], "Good morning")
