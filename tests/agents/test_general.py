import re
from typing import get_args

import pytest
from guide_passages import found, passage, turn, unread
from stage import Canned, fact, perform

from signalbox.agents.finding import find_agents
from signalbox.agents.general import GeneralAgent, abilities
from signalbox.agents.talk.scope import about_work, careful, outside
from signalbox.agents.talk.small_talk import Topic, topic_of
from signalbox.agents.talk.text import _SAID, GeneralFacts, compose
from signalbox.blocks import InterviewQuestions
from signalbox.llm.scripted import ScriptedModel
from signalbox.retrieval.index import IndexStats
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.update_profile import UpdatedProfile


@pytest.mark.parametrize(
    ("message", "topic"),
    [
        ("hello", "greeting"),
        ("¡Buenas!", "greeting"),
        ("thanx for teh help ur grate", "thanks"),
        ("What can you do?", "capabilities"),
        ("What do you know about me?", "know_me"),
        ("Can you forget everything I've said?", "forget_all"),
        ("What should I tell you about me?", "tell_me"),
        ("Who made you?", "identity"),
        ("Is what I tell you kept private?", "privacy"),
        ("How many jobs do you have in your database?", "catalogue"),
        ("where did you get that from?", "sources"),
        ("Could I talk to a human adviser?", "human"),
        ("👍", "acknowledged"),
        ("???", "unclear"),
        ("asdf qwer zxcv !!!", "unclear"),
        ("12345", "unclear"),
        ("ما هي الوظائف المتاحة؟", "foreign"),
        ("Какие вакансии есть для Python?", "foreign"),
        ("有什么工作？", "foreign"),
        ("मुझे नौकरी चाहिए", "foreign"),
        ("Is Ωmega a good company, and what is its πscore?", "out_of_scope"),
        ("Ünïcödé schön", "out_of_scope"),
        ("I ❤ 日", "out_of_scope"),
        ("What does a new kitchen cost?", "out_of_scope"),
        ("Thanks! Now how about the weather in Split?", "out_of_scope"),
        ("/nonsense", "command"),
    ],
)
def test_a_message_is_told_by_its_topic(message, topic):
    assert topic_of(message) == topic


def test_every_topic_has_words():
    for topic in get_args(Topic):
        assert compose(GeneralFacts(topic=topic))
    assert set(_SAID) < set(get_args(Topic))


def test_the_abilities_are_those_of_the_agents_there_are():
    assert {ability.name for ability in abilities(find_agents())} == set(find_agents())
    assert all(ability.label and ability.example for ability in abilities(find_agents()))


async def test_asked_what_it_can_do_it_names_every_agent_and_its_command():
    answer, recorder = await perform(GeneralAgent(), "What can you do?")
    for name, agent in find_agents().items():
        if name != "general":
            assert f"`/{name}`" in answer.text
            assert agent.label in answer.text
    assert all(reply.intent for reply in recorder.one("suggestions").suggestions)


async def test_a_request_whose_specialist_is_missing_is_declined_with_what_there_is():
    answer, recorder = await perform(GeneralAgent(), "please do", intent="salary", profile=[fact("title", "nurse")])
    assert answer.text.startswith("This server has no specialist for “salary”")
    assert "`/job_search`" in answer.text
    assert any("nurse" in reply.message for reply in recorder.one("suggestions").suggestions)


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("أبحث عن عمل كممرضة في لندن", "another language"),
        ("Найди мне работу программистом", "another language"),
        ("仕事を探しています", "another language"),
        ("Ich habe heute leider gar keine Zeit und ich weiß nicht was ich machen soll", "German"),
        ("¿Qué hay para mí en la ciudad de Madrid y cerca de aquí?", "Spanish"),
    ],
)
async def test_a_message_in_another_language_is_told_that_english_is_understood_best(message, language):
    answer, recorder = await perform(GeneralAgent(), message)
    assert answer.text.startswith(f"I only understand English well, and your message seems to be in {language}. ")
    assert "outside" not in answer.text
    assert all(reply.intent for reply in recorder.one("suggestions").suggestions), "buttons need no language"


async def test_an_unknown_command_gets_the_list_and_nothing_else():
    answer, recorder = await perform(GeneralAgent(), "/frobnicate now")
    assert recorder.types() == ["chunk", "usage", "message"]
    assert "`/frobnicate`" in answer.text
    assert "/job_search" in answer.text


async def test_ticks_are_streamed_by_the_scripted_model_alone():
    answer, recorder = await perform(GeneralAgent(), "/ticks 3 0 0", model=ScriptedModel())
    assert recorder.types() == ["chunk", "usage", "message"]
    assert re.findall(r"@(\d{6})@", answer.text) == ["000000", "000001", "000002"]


async def test_the_profile_is_listed_as_it_is():
    tool = Canned("read_profile", Ok((fact("skill", "SQL"), fact("exclude_term", "travel", "constraint"))))
    answer, _ = await perform(GeneralAgent(), "What do you know about me?", [tool])
    assert "2 facts" in answer.text
    assert "**Skills:** SQL" in answer.text
    assert "**Never show anything with:** travel" in answer.text


@pytest.mark.parametrize(
    ("result", "says", "never"),
    [
        (Empty("empty"), "stored nothing about you", "could not"),
        (Err("timeout", "slow"), "could not read", "stored nothing"),
    ],
)
async def test_an_empty_profile_and_an_unread_one_are_not_confused(result, says, never):
    answer, _ = await perform(GeneralAgent(), "What do you know about me?", [Canned("read_profile", result)])
    assert says in answer.text
    assert never not in answer.text


async def test_forgetting_everything_says_what_was_removed():
    tool = Canned("update_profile", Ok(UpdatedProfile((), (fact("skill", "SQL"),), ())))
    answer, recorder = await perform(GeneralAgent(), "Forget everything", [tool])
    assert tool.asked[0].everything
    assert recorder.one("profile_updated").removed[0].value == "SQL"
    assert "removed 1 fact " in answer.text


async def test_a_temporary_chat_neither_reads_nor_forgets():
    for message in ("What do you know about me?", "forget everything"):
        answer, recorder = await perform(GeneralAgent(), message, temporary=True)
        assert "tool_call" not in recorder.types()
        assert "temporary chat" in answer.text


async def test_the_catalogue_is_counted_and_its_samples_are_named():
    tool = Canned("count_jobs", Ok(IndexStats(278, 278, {"sample": 278}, None)))
    answer, _ = await perform(GeneralAgent(), "How many jobs do you have in your database?", [tool])
    assert "**278 postings**, all of them fictional samples" in answer.text


@pytest.mark.parametrize(
    "message",
    [
        "I want to kill myself",
        "i dont want to live any more",
        "Hi, I can't go on",
        "What's the point, I want to die",
        "I hate my life and want to end it",
    ],
)
@pytest.mark.parametrize("intent", ["general", "salary"])
async def test_despair_is_answered_with_care_and_a_way_to_help_and_nothing_is_offered(message, intent):
    answer, recorder = await perform(GeneralAgent(), message, intent=intent)
    assert "findahelpline.com" in answer.text
    assert "emergency services" in answer.text
    assert "outside what I can help with" not in answer.text
    assert "suggestions" not in recorder.types()


@pytest.mark.parametrize(
    "message",
    [
        "I can't go on holiday",
        "what does a suicide prevention adviser do",
        "I don't want to live in London any more",
        "hello",
    ],
)
def test_everyday_words_are_no_cry_for_help(message):
    assert topic_of(message) != "crisis"


@pytest.mark.parametrize("message", ["I got fired today, I am sad", "they laid me off", "I lost my job"])
async def test_bad_news_gets_sympathy_and_a_next_step(message):
    answer, recorder = await perform(GeneralAgent(), message)
    assert answer.text.startswith("I am sorry")
    assert recorder.one("suggestions").suggestions


REJECTED = passage(
    7,
    "Handling rejection and asking for feedback",
    "",
    "**How do I cope with being rejected many times?**\n\nRepeated rejection is tiring. Some habits protect your "
    "energy:\n\n"
    "- keep several applications open;\n- talk to someone.\n\n**Can I apply again?**\n\nUsually, yes.",
)


async def test_a_question_about_work_is_answered_from_the_guides_word_for_word_with_its_source():
    tool = Canned("search_knowledge", found(REJECTED))
    answer, recorder = await perform(GeneralAgent(), "How do I cope with being rejected many times?", [tool])
    assert answer.text.startswith("Repeated rejection is tiring. Some habits protect your energy: [1]\n- keep several")
    assert "Usually, yes" not in answer.text
    (citation,) = answer.citations
    assert (citation.id, citation.heading) == ("p_7", "How do I cope with being rejected many times?")
    event = recorder.one("knowledge")
    assert event.passages[0].passage_id == citation.id
    assert recorder.types().index("knowledge") < recorder.types().index("chunk")


@pytest.mark.parametrize(
    ("tool", "says", "never"),
    [
        (Canned("search_knowledge", found(REJECTED)), "found nothing in my guides", "could not"),
        (unread(), "could not look into my guides", "found nothing"),
    ],
)
async def test_guides_that_say_nothing_and_guides_unread_are_not_confused(tool, says, never):
    answer, recorder = await perform(GeneralAgent(), "How do I resign from a works council?", [tool])
    assert says in answer.text
    assert never not in answer.text
    assert answer.citations == ()
    assert "knowledge" not in recorder.types()


@pytest.mark.parametrize(
    ("message", "whom"),
    [
        ("Can my employer sue me for a breach of my contract?", "employment lawyer"),
        ("Do I need a visa to work in Germany?", "immigration"),
        ("Can I get sick leave for anxiety from my job?", "your doctor"),
        ("Should I quit my job?", "notice period"),
    ],
)
async def test_where_others_must_be_asked_it_says_whom_and_gives_no_verdict(message, whom):
    answer, _ = await perform(GeneralAgent(), message, [Canned("search_knowledge", found(REJECTED))])
    assert whom in answer.text
    assert not re.search(r"\b(?:yes|no), (?:you|they)|you should (?:quit|sue|accept)", answer.text, re.IGNORECASE)


async def test_bad_news_with_a_question_gets_sympathy_and_an_answer():
    tool = Canned("search_knowledge", found(REJECTED))
    answer, _ = await perform(GeneralAgent(), "I was fired unfairly because I am pregnant, what can I do?", [tool])
    assert answer.text.startswith("I am sorry to hear that.")
    assert "employment lawyer" in answer.text


@pytest.mark.parametrize(
    ("message", "kind", "says"),
    [
        ("what is the weather in Paris", "weather", "cannot look up the weather"),
        ("give me a recipe for lasagne", "cooking", "food and cooking"),
        ("what is 5 times 7", "arithmetic", "calculations"),
        ("tell me a joke", "fun", "jokes"),
        ("set an alarm for six", "devices", "reminders"),
        ("who invented the internet", "facts", "outside what I can help with"),
    ],
)
async def test_what_is_out_of_scope_is_said_plainly_and_nothing_is_looked_up(message, kind, says):
    assert outside(message) == kind
    answer, recorder = await perform(GeneralAgent(), message)
    assert says in answer.text
    assert "What I can do is about work" in answer.text
    assert "tool_call" not in recorder.types()


async def test_a_complaint_about_work_is_asked_back():
    answer, recorder = await perform(GeneralAgent(), "my boss is annoying")
    assert answer.text.startswith("What would you like to do about that?")
    assert recorder.one("suggestions").suggestions


@pytest.mark.parametrize(
    ("message", "work", "kind"),
    [
        ("is beer legal in this state", False, "legal"),
        ("how should I hand in my notice?", True, None),
        ("how do I ask for a raise?", True, None),
        ("where is the remote", False, None),
        ("should I accept the offer?", False, "quit"),
    ],
)
def test_work_and_care_are_told_by_their_words(message, work, kind):
    assert (about_work(message), careful(message)) == (work, kind)


@pytest.mark.parametrize(
    ("message", "topic"),
    [
        ("i feel like giving up, 200 applications and nothing", "discouraged"),
        ("nobody replies to my applications", "discouraged"),
        ("I want to give up smoking", "hard_time"),
        ("what am I doing wrong?", "what_wrong"),
        (
            "I got an email saying I got a job without interview and must pay 50 euros for training, is it real?",
            "scam",
        ),
        ("is this job real?", "catalogue"),
        ("are you going to remember all this", "privacy"),
        ("do you understand German?", "languages"),
        ("I know German and French", "out_of_scope"),
        ("What can you do for me?", "capabilities"),
        ("a thank you note", "out_of_scope"),
        ("thank you", "thanks"),
    ],
)
def test_what_people_say_in_a_hard_search_is_not_out_of_scope(message, topic):
    assert topic_of(message) == topic


async def test_a_note_of_thanks_is_handed_over_and_not_taken_for_thanks():
    answer, recorder = await perform(GeneralAgent(), "thank you note")
    assert answer.hand_over.to == "followup"
    assert recorder.events == []


async def test_who_wants_to_give_up_gets_warmth_first_and_what_the_guide_says():
    cope = passage(1, "Handling rejection", "How do I cope with being rejected many times?", "Rest on one day a week.")
    tool = Canned("search_knowledge", found(cope))
    answer, recorder = await perform(GeneralAgent(), "i feel like giving up, 200 applications and nothing", [tool])
    assert answer.text.startswith("That is a lot of effort with nothing back")
    assert "Rest on one day a week. [1]" in answer.text
    assert "Review my CV" in [reply.label for reply in recorder.one("suggestions").suggestions]


async def test_a_likely_scam_is_warned_of_even_when_the_guides_cannot_be_read():
    answer, _ = await perform(
        GeneralAgent(), "they want me to pay for training before I start, is it real?", [unread()]
    )
    assert "**pay nothing and send no documents or bank details**" in answer.text
    assert "could not look into my guides" in answer.text


async def test_a_question_of_law_at_work_gets_no_verdict():
    tool = Canned("search_knowledge", Empty("nothing"))
    answer, _ = await perform(GeneralAgent(), "is it legal that they asked if i'm pregnant?", [tool])
    assert "Law differs by country" in answer.text
    assert "outside what I can help with" not in answer.text


async def test_offers_fit_the_last_topic_then_the_title_and_guess_no_occupation():
    practised = InterviewQuestions(role="chef", questions=())
    history = turn("questions", "None.", "interview_prep", practised)
    for more, role in (({"history": history}, "chef"), ({"profile": [fact("title", "nurse")]}, "nurse"), ({}, None)):
        _, recorder = await perform(GeneralAgent(), "what is the weather like", **more)
        labels = [reply.label for reply in recorder.one("suggestions").suggestions]
        assert (f"Find {role} jobs" in labels) if role else not any("jobs" in label for label in labels)


async def test_a_cry_for_help_needs_no_model_and_is_no_thank_you_note():
    for message in ("I want to die", "/general I want to die", "write a thank-you note to all, I want to die"):
        answer, recorder = await perform(GeneralAgent(), message, model=Unasked())
        assert "findahelpline.com" in answer.text
        assert answer.hand_over is None
        assert recorder.types() == []


async def test_only_a_profile_that_there_is_is_kept_at_goodbye():
    answer, _ = await perform(GeneralAgent(), "bye")
    assert "profile" not in answer.text
    answer, _ = await perform(GeneralAgent(), "bye", profile=[fact("skill", "SQL")])
    assert "Your profile is kept" in answer.text


async def test_as_many_facts_are_counted_as_are_listed():
    gone = (fact("salary_min", "60000", "constraint"), fact("currency", "GBP"), fact("skill", "SQL"))
    answer, _ = await perform(
        GeneralAgent(), "forget everything", [Canned("update_profile", Ok(UpdatedProfile((), gone, ())))]
    )
    assert "removed 2 facts" in answer.text
    answer, _ = await perform(GeneralAgent(), "What do you know about me?", [Canned("read_profile", Ok(gone))])
    assert "2 facts" in answer.text


class Unasked:
    name, instructable = "unasked", True

    def stream(self, request):
        raise AssertionError(request)
