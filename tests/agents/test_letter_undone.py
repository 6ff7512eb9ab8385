"""What is asked of a letter's form, its postscript, and what is taken back of letters, e-mails and the tracker."""

import pytest
from letter_stage import after, ask, letters, talk, tools
from stage import fact, perform, searched
from test_sending import ADA, Approved, Talk

from signalbox.agents.cover_letter import CoverLetterAgent
from signalbox.agents.followup import FollowupAgent
from signalbox.agents.letters.changes import changes_form
from signalbox.agents.letters.undoing import changed_last, standing, takes_back, wants_back
from signalbox.agents.letters.wish import read
from signalbox.blocks import Application, ApplicationStatus, ProfileUpdated
from signalbox.envelope import ENVELOPE
from signalbox.memory.conversation import PastMessage

WRITE = "Write a cover letter for the first one"
TABLE = searched("data jobs")


@pytest.mark.parametrize(
    "message",
    [
        "use British spelling", "use UK English", "use American spelling", "use bullet points", "use a bigger font",
        "add a joke", "add the date", "add my address", "add today's date and the company address",
        "use action verbs", "add a subject line", "include contact details", "include more details",
        "add some humour", "use another greeting", "add my title", "add my job title",
    ],
)  # fmt: skip
def test_what_is_of_the_form_is_not_told_of_the_writer(message):
    wish = read(message)
    assert wish.form
    assert wish.mention == ()
    assert changes_form(message)


@pytest.mark.parametrize(
    ("message", "mention"),
    [
        ("mention my English", ("English",)), ("mention my attention to detail", ("attention to detail",)),
        ("highlight my passion for teaching", ("passion for teaching",)),
        ("mention renewable energy", ("renewable energy",)),
        ("add a paragraph about my volunteering", ("volunteering",)),
        ("mention my leadership style", ("leadership style",)),
        ("include a list of my projects", ("list of my projects",)),
        ("mention British English teaching", ("British English teaching",)), ("add my German", ("German",)),
        ("mention the EPS team", ("EPS team",)), ("mention quotations", ("quotations",)),
        ("mention my work with Adobe PS", ("work with Adobe PS",)), ("highlight layout", ("layout",)),
    ],
)  # fmt: skip
def test_what_is_told_of_the_writer_is_still_mentioned(message, mention):
    wish = read(message)
    assert (wish.mention, wish.form, wish.postscript) == (mention, (), None)
    assert not changes_form(message)


@pytest.mark.parametrize(
    ("message", "max_words", "holds"),
    [
        ("add two sentences", None, True), ("add three lines please", None, True),
        ("add a couple of sentences to it", None, True), ("add 50 words", None, True),
        ("add another paragraph and make it formal", None, False),
        ("under 300 words, add a short sentence", 300, False),
    ],
)  # fmt: skip
def test_some_lines_more_are_a_longer_letter_and_no_limit(message, max_words, holds):
    wish = read(message)
    assert (wish.steps, wish.max_words, wish.form, wish.mention) == (1, max_words, (), ())
    assert changes_form(message) == holds


async def test_sentences_asked_for_come_into_the_letter():
    first, more = letters(await talk(WRITE, "make it shorter", "add two sentences", before=TABLE))[1:]
    assert more.words > first.words


@pytest.mark.parametrize(
    ("message", "tone"),
    [
        ("make it more enthusiastic", "friendly"), ("sound more excited", "friendly"), ("add more energy", "friendly"),
        ("a bit more upbeat please", "friendly"), ("less enthusiastic", "plain"), ("too enthusiastic", "plain"),
        ("I'm passionate about teaching, write a letter for Hill School", None), ("mention my enthusiasm", None),
    ],
)  # fmt: skip
def test_how_keen_it_sounds_is_its_tone(message, tone):
    assert read(message).tone == tone


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("use British spelling", "in British spelling already"), ("use American spelling", "British spelling only"),
        ("use bullet points", "do not set “bullet points”"), ("add a joke", "do not set “joke”"),
    ],
)  # fmt: skip
async def test_a_wish_for_its_form_changes_no_letter_and_no_later_one(message, said):
    outcomes = await talk(WRITE, message, "mention my German", before=TABLE)
    first, none, later = letters(outcomes)
    assert none is None
    assert said in outcomes[1][0].text
    assert later is None or "One sentence on your" not in later.body
    assert first.body.split()[:20] == (later or first).body.split()[:20]


@pytest.mark.parametrize(
    ("message", "postscript"),
    [
        ("add a PS", "PS: [one sentence that should stay in mind]"),
        ("Add a P.S. saying I can start in January", "PS: I can start in January."),
        ("add a PS: I have a driving licence", "PS: I have a driving licence."),
        ("please put a PS at the end about my notice period", "PS: [one sentence on your notice period]"),
    ],
)
async def test_a_postscript_stands_below_the_letter_and_changes_nothing_above_it(message, postscript):
    outcomes = await talk(WRITE, message, "make it shorter", "remove the PS", before=TABLE)
    first, with_it, shorter, without = letters(outcomes)
    assert with_it.body == f"{first.body}\n\n{postscript}"
    assert "A postscript stands at the end" in outcomes[1][0].text
    assert shorter.body.endswith(f"\n\n{postscript}")
    assert shorter.words < with_it.words
    assert without.body == shorter.body.removesuffix(f"\n\n{postscript}")


@pytest.mark.parametrize(
    "message",
    ["undo that", "undo", "go back to the previous version", "I liked the previous one better",
     "the last version was better", "change it back", "take that back", "previous version please",
     "make it like before", "use the old version, it was better", "Put it back to how it was, please"],
)  # fmt: skip
async def test_the_version_before_stands_again_and_what_was_undone_is_not_done_later(message):
    outcomes = await talk(WRITE, "make it shorter", message, "sign it as Ada Roe", before=TABLE)
    first, shorter, back, signed = letters(outcomes)
    assert shorter.words < first.words
    assert back.body == first.body
    assert outcomes[2][0].text.startswith("Taken back")
    assert abs(signed.words - first.words) <= 3
    assert "Ada Roe" in signed.body


async def test_versions_are_taken_back_one_after_the_other_down_to_the_first():
    outcomes = await talk(WRITE, "make it shorter", "more formal", "undo that", "undo that", "undo that", before=TABLE)
    first, shorter, formal, one, two, none = letters(outcomes)
    assert formal.body not in {shorter.body, first.body}
    assert (one.body, two.body, none) == (shorter.body, first.body, None)
    assert "first version" in outcomes[-1][0].text


async def test_the_original_is_the_first_of_all():
    outcomes = await talk(WRITE, "make it shorter", "more formal", "back to the original version", before=TABLE)
    assert letters(outcomes)[-1].body == letters(outcomes)[0].body


async def test_undo_is_the_letters_only_while_nothing_else_was_changed_since():
    agent = CoverLetterAgent()
    history = after(WRITE, await ask(WRITE, TABLE), list(TABLE))
    assert agent.holds("undo that", history)
    assert agent.holds("the previous version was better", history)
    noted = ProfileUpdated(added=(fact("skill", "Go"),), profile=(fact("skill", "Go"),))
    block = noted.model_dump(mode="json", exclude=set(ENVELOPE))
    told = PastMessage(role="assistant", content="Noted.", agent="profile_update", blocks=(block,))
    assert changed_last([*history, told]) == ("profile_updated", "profile_update")
    assert not agent.holds("undo that", [*history, told])
    since = [*history, *searched("nurse jobs")]
    assert agent.holds("undo that", since), "a search changes nothing"
    assert not agent.holds("the previous version was better", since), "it may be of anything by then"


@pytest.mark.parametrize(
    "message",
    ["use the last paragraph", "I prefer the first job", "keep the first one", "same as before but for Bosch",
     "do not undo it", "the last one", "what was the first version of Python?",
     "use my old email address", "use my old email jane@old.com", "use my old e-mail", "keep the last letter formal",
     "give me the first draft of a letter for Acme", "Write a cover letter for the second job, like before",
     "Write me a cover letter like before", "keep it short like before", "change it back to formal",
     "I don't like the previous version", "don’t use the old version", "do not undo the change",
     "mention my job at Acme as it was a great time", "do you think the previous version was better?",
     "The first letter was fine but this one is too long"],
)  # fmt: skip
def test_near_misses_take_nothing_back(message):
    assert not wants_back(message)


@pytest.mark.parametrize(
    "message",
    ["the previous version was better", "I liked the original version better",
     "can you bring back the old draft please",
     "I preferred the first version of the letter", "leave it as it was", "make it how it was before", "as before",
     "Is it possible to go back to the previous version?", "undo the last change", "I’d like it back to how it was",
     "use your earlier draft – that one was good"],
)  # fmt: skip
def test_what_stood_before_is_asked_for_in_many_words(message):
    assert wants_back(message)


def test_what_only_sounds_like_an_undo_and_got_a_letter_leaves_it_standing():
    def letter(body):
        return PastMessage(role="assistant", content="Here.", blocks=({"type": "cover_letter", "body": body},))

    asked = PastMessage(role="user", content="the previous version please", intent="cover_letter")
    alone = (asked, letter("one"))
    assert standing(alone, "cover_letter") == alone
    follows = (*alone, asked, letter("two"))
    assert standing(follows, "cover_letter") == follows, "it shows no earlier one again"
    assert standing((*follows, asked, letter("one")), "cover_letter") == alone


PASTED = """Make my letter shorter:

Dear hiring team,

I am a data analyst with eight years of SQL. I cut the run time of our reports by 40 percent last year. I like teams.

I would be glad to meet you and to hear more of your plans. I wait your answer.

Kind regards,
Ada Lovelace

PS: I can start in May."""


@pytest.mark.parametrize(
    ("messages", "postscripts"),
    [
        ((), ["PS: I can start in May."]),
        (("mention my German", "mention my SQL", "longer"), ["PS: I can start in May."]),
        (("add a PS: I drive", "mention my German"), ["PS: I can start in May.", "PS: I drive."]),
        (("add a PS: I drive", "add a PS: I fly", "mention my German"), ["PS: I can start in May.", "PS: I fly."]),
        (("mention my German", "remove the PS"), []),
        (("remove the PS and mention my German",), []),
    ],
)
async def test_the_postscript_of_a_pasted_letter_is_its_writers(messages, postscripts):
    last = [letter for letter in letters(await talk(PASTED, *messages)) if letter][-1]
    assert [part for part in last.body.split("\n\n") if part.startswith("PS:")] == postscripts
    assert last.body.count("Kind regards,\nAda Lovelace") == last.body.count("Ada Lovelace") == 1


async def test_an_e_mail_that_was_changed_is_taken_back():
    talk_ = Talk()
    await talk_.say("Write to Jane Doe at Acme about the data engineer role")
    first = talk_.draft
    await talk_.say("shorter")
    shorter = talk_.draft
    assert shorter.body != first.body
    await talk_.say("undo that")
    assert talk_.draft.body == first.body
    await talk_.say("more formal")
    assert len(talk_.draft.body.split()) > len(shorter.body.split()), "what was undone is not done again"
    await talk_.say("undo that")
    assert talk_.draft.body == first.body
    assert talk_.agent == "cold_email"
    text = await talk_.say("undo that")
    assert "first version" in text


async def test_a_chaser_that_was_changed_is_taken_back():
    talk_ = Talk(first="followup")
    await talk_.say("write a chaser to Acme", temporary=True)
    first = talk_.draft
    await talk_.say("firmer", temporary=True)
    assert talk_.draft.body != first.body
    await talk_.say("undo that", temporary=True)
    assert talk_.agent == "followup"
    assert talk_.draft.body == first.body


async def test_an_e_mail_that_is_out_cannot_be_taken_back():
    talk_ = Talk(sender=Approved())
    await talk_.say("Write to Jane Doe at Acme about the data engineer role")
    await talk_.say("my name is Ada, leave out the rest of the blanks")
    assert "Sent to" in await talk_.say("send it to jane@acme.com")
    assert "has gone out" in await talk_.say("undo that")


async def test_of_the_tracker_it_is_told_how_a_change_is_mended():
    rows = (Application(application_id="a1", company="Acme", title="", status="rejected", next_step=""),)
    block = ApplicationStatus(applications=rows, changed="a1").model_dump(mode="json", exclude=set(ENVELOPE))
    history = [
        PastMessage(role="user", content="Acme rejected me", intent="followup"),
        PastMessage(role="assistant", content="I have changed Acme.", agent="followup", blocks=(block,)),
    ]
    assert FollowupAgent().holds("undo that", history)
    answer, recorder = await perform(FollowupAgent(), "undo that", tools(), history=history, profile=ADA)
    assert "“remove Acme from my tracker”" in answer.text
    assert "application_status" not in recorder.types()
    assert not takes_back("undo that", history, "cover_letter", "cover_letter")


async def test_what_is_told_behind_the_request_is_used():
    (first,) = letters(
        await talk(
            "Write a cover letter for a teacher at Brightwater School, I have 5 years of experience and love maths",
            profile=(),
            using=tools(None, None, None),
        )
    )
    assert "I have 5 years of experience and love maths." in first.body
    assert "[number]" not in first.body
    assert first.company == "Brightwater School"
