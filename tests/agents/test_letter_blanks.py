"""Blanks of a draft as people fill them in: names in many wordings, what cannot be left out, what is told anew."""

import pytest
from stage import Canned
from test_sending import ASK, REJECTED, Talk

from signalbox.agents.letters.blanks import filled, filling_in, needed_in, open_in
from signalbox.agents.letters.named import only_a_name, own_name
from signalbox.blocks import EmailDraft
from signalbox.tools.result import Empty, Ok

WITHOUT_PROFILE = "Write a cold email to the hiring manager at Acme for a Python backend role"
NO_TRACKER = [Canned("read_applications", Empty("no application is recorded")), Canned("track_application", Ok(None))]
ONLY_THE_NAME = "nly your name is missing, and that cannot be left out. Write `your name: …`."


def following_up():
    return Talk("followup", profile=(), tools=NO_TRACKER)


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("my name is Ann Lee", "Ann Lee"), ("My name's ann lee", "Ann Lee"), ("I'm Ann", "Ann"), ("I am Ann.", "Ann"),
        ("sign it Ann", "Ann"), ("Sign it as Ann Lee, please", "Ann Lee"), ("please sign off with ann", "Ann"),
        ("call me Ann", "Ann"), ("It's Ann Lee", "Ann Lee"), ("this is Ann de la Cruz", "Ann de la Cruz"),
        ("use Ann Lee as my name", "Ann Lee"), ("ok, sign it “Ann Lee”", "Ann Lee"), ("I'm Ann Baker", "Ann Baker"),
        ("reason: the maps, and sign it Ann J. Lee", "Ann J. Lee"), ("Hi, I'm Zoë O'Neil and thanks", "Zoë O'Neil"),
    ],
)  # fmt: skip
def test_a_name_is_read_in_many_wordings(message, name):
    assert own_name(message)[0] == name


@pytest.mark.parametrize(
    "message",
    [
        "I'm a nurse", "I'm Senior Engineer", "I am happy with it", "it's good", "It's Too Long", "this is great",
        "I'm from Berlin", "I'm German", "sign it with my full name", "my name is missing", "call me tomorrow",
        "I'm Berlin based", "my name is not in it", "sign it", "I'm not sure",
    ],
)  # fmt: skip
def test_what_is_no_name_is_not_taken_for_one(message):
    assert own_name(message) is None


def test_a_bare_name_is_one_by_its_looks():
    assert [only_a_name(each) for each in ("Ann Lee", "Ann.", "Ms Roe", "Ann, please")] == [
        "Ann Lee", "Ann", "Ms Roe", "Ann",
    ]  # fmt: skip
    for other in (
        "Shorter",
        "Thanks",
        "Thank You",
        "Make It Warmer",
        "ann",
        "Berlin",
        "Data Engineer",
        "Send It",
        "Yes",
    ):
        assert only_a_name(other) == "", other


@pytest.mark.parametrize(
    "message",
    ["my name is Ann Lee", "Ann Lee", "name: Ann Lee", "I'm Ann Lee", "sign it Ann Lee", "your name: Ann Lee",
     "my name: Ann Lee", "[your name]: Ann Lee", "Ann Lee, please", "put Ann Lee as my name"],
)  # fmt: skip
@pytest.mark.parametrize("talk", [lambda: Talk(profile=()), following_up])
async def test_the_only_blank_that_cannot_be_left_out_is_said_and_any_wording_fills_it(talk, message):
    talk = talk()
    await talk.say(WITHOUT_PROFILE if talk.first == "cold_email" else "Write a chaser to Acme")
    assert ONLY_THE_NAME in await talk.say("leave out the rest")
    assert not any("Leave out" in label for label, _ in talk.offers)
    text = await talk.say("send it to jane@acme.example")
    assert f"**not sent** it: o{ONLY_THE_NAME}" in text
    assert "leave out the rest" not in text
    assert not any("Leave out" in label for label, _ in talk.offers)
    assert await talk.say(message) == "I have filled in `[your name]`. No blank is open any more."
    assert talk.draft.body.endswith("\nAnn Lee")
    assert "Sent to jane@acme.example" in await talk.say(talk.offers[0][1])


async def test_a_second_attempt_to_leave_out_what_cannot_be_says_so_and_how_to_go_on():
    talk = Talk(profile=())
    await talk.say(WITHOUT_PROFILE)
    await talk.say("leave out the rest")
    assert await talk.say("leave out the rest") == f"The draft stands as it was. O{ONLY_THE_NAME}"
    text = await talk.say("leave out my name")
    assert f"O{ONLY_THE_NAME}" in text


async def test_what_a_mail_is_about_is_not_left_out():
    talk = Talk(profile=())
    await talk.say("Write a cold email")
    text = await talk.say("leave out the rest")
    assert talk.draft.placeholders == ("[company]", "[the kind of work you want]", "[your name]")
    assert "I am writing to ask whether [company] is looking for someone" in talk.draft.body
    assert "These are missing, and cannot be left out.\n- `[company]`" in text
    await talk.say("the company is Acme")
    await talk.say("the kind of work I want is backend development")
    await talk.say("I'm Ann")
    assert talk.draft.placeholders == ()
    assert (talk.draft.subject, "for backend development, now" in talk.draft.body) == ("Openings at Acme?", True)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ("Write a chaser to Acme", "I applied for the position at Acme and remain very interested."),
        ("Write a withdrawal to Acme", "for the position at Acme. I would like to withdraw it."),
        ("Write a thank-you note to Acme", "Thank you for talking to me about the position at Acme."),
        ("Write to Acme asking for feedback", "your decision about the position at Acme."),
    ],
)
async def test_a_letter_with_its_blanks_left_out_still_says_what_it_is_for(ask, says):
    talk = following_up()
    await talk.say(ask)
    await talk.say("leave out the rest")
    assert says in talk.draft.body
    assert talk.draft.placeholders == ("[your name]",)


async def test_a_note_loses_a_sentence_and_can_be_signed_again():
    talk = Talk(profile=())
    await talk.say("Write a LinkedIn note to Anna Schmidt at Acme")
    await talk.say("leave out the blanks")
    await talk.say("Ann Lee")
    assert talk.draft.body == "Hi Anna, I'm interested in working at Acme. Would you be open to connecting? Ann Lee"
    await talk.say("sign it Bob")
    assert talk.draft.body.endswith("connecting? Bob")
    assert talk.offers == [("As an e-mail", "As an e-mail instead, please")]


async def test_what_was_filled_in_or_left_out_can_be_told_anew():
    talk = Talk()
    await talk.say(ASK)
    await talk.say("leave out the rest")
    assert "is now “your open maps”" in await talk.say("reason: your open maps")
    assert "What draws me to Acme is your open maps." in talk.draft.body
    await talk.say("reason: your good docs.")
    assert "What draws me to Acme is your good docs." in talk.draft.body
    assert "open maps" not in talk.draft.body
    assert await talk.say("sign it Bob Roe") == "Your name is now “Bob Roe”. No blank is open any more." + SEND
    await talk.say("Make it more formal")
    assert "What draws me to Acme is your good docs." in talk.draft.body
    assert talk.draft.body.endswith("Kind regards,\nBob Roe")
    await talk.say("reason: your people")
    assert "What draws me to Acme is your people." in talk.draft.body
    assert "The draft stands as it was" in await talk.say("reason: your people")


SEND = "\n\nSay “send it to name@example.com, replies to you@example.com”, and I send it once you approve."


async def test_a_new_request_with_a_name_in_it_is_no_answer_to_the_last_draft():
    talk = Talk(profile=())
    await talk.say(WITHOUT_PROFILE)
    message = "Write to Jo Roe at Globex about the nurse role, my name is Ann Lee"
    assert not talk.agents["cold_email"].holds(message, talk.history)
    await talk.say(message)
    assert "Globex" in talk.draft.body
    assert talk.draft.body.endswith("Ann Lee")


async def test_a_name_that_was_filled_in_is_not_asked_for_again_in_the_conversation():
    talk = Talk(profile=(), tools=NO_TRACKER)
    await talk.say(WITHOUT_PROFILE)
    await talk.say("my name is Ann Lee")
    await talk.say("Write to the recruiter at Globex about the nurse role")
    assert talk.draft.body.endswith("\nAnn Lee")
    await talk.say("Write a follow-up e-mail to Initech about my application")
    assert (talk.agent, talk.draft.body.endswith("\nAnn Lee")) == ("followup", True)


async def test_names_said_elsewhere_in_the_conversation_are_no_answer_to_a_draft():
    talk = Talk(profile=())
    await talk.say(WITHOUT_PROFILE)
    last = talk.history[-1]
    talk.history += [
        talk.history[-2].model_copy(update={"content": "jobs in Leeds", "intent": "job_search"}),
        last.model_copy(update={"agent": "job_search", "blocks": (), "content": "Two postings."}),
    ]
    for message in ("my name is Ann Lee", "Ann Lee", "I'm Ann"):
        assert not talk.agents["cold_email"].holds(message, talk.history)


def test_a_judgement_is_no_value():
    blanks = ("[one true, specific reason]", "[company]", "[your name]")
    for message in ("the reason is too long", "the company is wrong", "is the company Acme?", "my name is missing"):
        assert not filling_in(message, blanks, answers=True), message
    assert filling_in("the company is Acme", blanks, answers=True).values == {"[company]": "Acme"}
    assert not filling_in("the company is Acme", blanks)
    assert not filling_in("[company]: …", blanks)


@pytest.mark.parametrize("message", ["leave them out", "leave it all out", "just without the rest", "omit the blanks"])
async def test_leaving_out_is_understood_in_many_wordings(message):
    talk = Talk(profile=())
    await talk.say(WITHOUT_PROFILE)
    assert ONLY_THE_NAME in await talk.say(message)


def test_ones_own_name_is_nobody_elses():
    blanks = ("[recipient's name]", "[name]")
    for message in ("leave out my name", "my name: Ann", "your name: Ann"):
        assert not filling_in(message, blanks), message
    assert filling_in("my name: Ann", blanks, answers=True).values == {}
    assert filling_in("his name: Jo", blanks).values == {"[recipient's name]": "Jo"}
    known = ("[your name]",)
    assert filling_in("my name: Ann", blanks, known=known, answers=True).values == {"[your name]": "Ann"}


def test_needed_blanks_are_those_that_stay_when_all_are_left_out():
    body = (
        "Dear [name],\n\nI applied on [date] for the [title] position at [company].\n\n[reason].\n\nBest,\n[your name]"
    )
    draft = EmailDraft(subject="The [title] position", body=body)
    assert needed_in(draft) == ("[company]", "[your name]")
    done = filled(draft, filling_in("leave out the rest", open_in(draft.body, draft.subject)))
    assert done.body == "Hello,\n\nI applied for the position at [company].\n\nBest,\n[your name]"
    assert done.subject == "The position"


async def test_a_follow_up_of_an_application_is_handed_to_those_and_one_of_a_draft_here_is_not():
    talk = Talk(profile=(), tools=NO_TRACKER)
    await talk.say("write a follow-up e-mail to Globex")
    assert (talk.agent, talk.draft.kind) == ("followup", "chaser")
    talk = Talk(profile=(), tools=NO_TRACKER)
    await talk.say("write a follow-up to my message to the recruiter at Globex")
    assert talk.agent == "cold_email"
    await talk.say("now a follow-up e-mail to Globex please")
    assert talk.agent == "cold_email"
    await talk.say("now a follow-up e-mail to Initech please")
    assert talk.agent == "followup"


async def test_what_was_filled_in_while_sending_is_kept_in_later_drafts_without_the_sending():
    talk = Talk(profile=(), result=REJECTED)
    await talk.say(WITHOUT_PROFILE)
    await talk.say("leave out the rest")
    await talk.say("name: Ann Lee and send it to jane@acme.example")
    assert talk.sender.asked[0].body.endswith("\nAnn Lee")
    await talk.say("Make it more formal")
    assert talk.draft.body.endswith("\nAnn Lee")
