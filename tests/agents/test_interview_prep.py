import time

import pytest
from guide_passages import CV, QUESTIONS, Guides, found, passage, resume, turn, unread
from stage import Canned, fact, hit, perform, searched

from signalbox.agents.base import Holding
from signalbox.agents.interview_prep import InterviewPrepAgent
from signalbox.agents.interviews.bank import families_of, questions_in, rank_of
from signalbox.agents.interviews.made import from_posting, from_resume
from signalbox.agents.interviews.practice import open_practice
from signalbox.agents.interviews.practice_feedback import feedback_on
from signalbox.agents.interviews.practice_outline import points_of
from signalbox.agents.interviews.practice_words import command_of
from signalbox.agents.interviews.wish import interview_wish
from signalbox.agents.skills.target import target_of, targets_of
from signalbox.agents.words.knowledge_text import Passage
from signalbox.blocks import InterviewQuestion
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

AGENT = InterviewPrepAgent()
BEHAVIOURAL = InterviewQuestion(
    question="Can you describe a time you dealt with an upset relative?", why="", hint="", kind="behavioural"
)
TECHNICAL = InterviewQuestion(question="How do you deal with missing data in a table?", why="", hint="", kind="role")
TOLD = (
    "In my last job at Northgate Clinics there was a daughter who shouted at us about her father's care. I was "
    "responsible "
    "for the shift. I asked her into the office, I listened, and then I explained what the doctor had planned. I "
    "wrote down "
    "her three wishes and I called her the next morning. As a result she thanked the team, and complaints on the "
    "ward fell "
    "by 30% that year."
)


def guide(title, heading, text):
    return Passage(passage_id="p", title=title, heading=heading, text=text, source="guides")


@pytest.mark.parametrize(
    ("message", "want", "role", "company", "stage", "kind", "number"),
    [
        ("Which questions come up in a data analyst interview?", "questions", "data analyst", "", "", None, None),
        ("nurse interview questions", "questions", "nurse", "", "", None, None),
        ("5 behavioural questions for an electrician please", "questions", "electrician", "", "", "behavioural", 5),
        ((
            "prepare me for my backend engineer interview at "
            "Google"
        ), "questions", "backend engineer", "Google", "", None, None),
        ("Practise with me for a teacher interview, three questions", "practice", "teacher", "", "", None, 3),
        ("mock interview please", "practice", "", "", "", None, None),
        ("What should I ask the interviewer?", "ask_them", "", "", "", None, None),
        ("Which questions should I ask them at the end?", "ask_them", "", "", "", None, None),
        ("how do I answer questions about weaknesses?", "answer", "", "", "", None, None),
        ("what happens in a trial shift?", "expect", "", "", "trial shift", None, None),
        (
            "I have a panel interview at Siemens for project manager next week, what should I expect?",
            "expect", "project manager", "Siemens", "panel interview", None, None,
        ),
        ("how does the STAR method work?", "star", "", "", "", None, None),
        ("continue the interview", "resume", "", "", "", None, None),
        ("help me write a thank-you note", "thank_you", "", "", "", None, None),
    ],
)  # fmt: skip
def test_the_wish_is_read_from_the_message(  # noqa: PLR0917 - a row of the table
    message, want, role, company, stage, kind, number
):
    wish = interview_wish(message, (), ())
    assert (wish.want, wish.role, wish.company, wish.stage) == (want, role, company, stage)
    assert (wish.kind, wish.number) == (kind, number)


def test_the_role_comes_from_the_talk_before_and_then_from_the_profile():
    wished = [fact("title", "chef", "preference")]
    assert interview_wish("mock interview", wished, ()).role == "chef"


def test_questions_are_read_with_what_a_good_answer_shows():
    listed = guide("Interviews for nurses", "Questions you may be asked", "- **Why nursing?** A good answer is real.")
    bare = guide("Interviews for nurses", "Questions you may be asked", "- Why nursing? A good answer is real.")
    for each in (listed, bare):
        (question,) = questions_in(each)
        assert (question.question, question.hint) == ("Why nursing?", "A good answer is real.")
        assert question.citation_ids == ("p",)


def test_questions_of_handbooks_are_found_in_lists_and_as_titles_of_pages():
    page = guide("What are fragments?", "Answer", "Fragments allow a React component to return several elements.")
    items = guide("Questions", "Behavioral questions", "1. Why do you want to join us?\n2. How do I prepare?")
    assert [q.question for q in questions_in(page)] == ["What are fragments?"]
    assert rank_of(page, "React developer", ["React"]) is not None
    assert [q.question for q in questions_in(items)] == ["Why do you want to join us?"]
    assert questions_in(guide("Interviews for data", "What do data interviews test?", "Four things.")) == ()


def test_what_a_candidate_may_ask_back_is_no_interview_question():
    back = "- What does an ordinary week look like?\n- Why is the post open?"
    assert questions_in(guide("Questions to ask the interviewer", "Questions about the job", back)) == ()
    assert questions_in(guide("Software interviews", "Best questions to ask", back)) == ()


@pytest.mark.parametrize(
    ("role", "title"),
    [
        ("Junior Data Analyst", "data"),
        ("backend developer", "software"),
        ("charge nurse", "nurs"),
        ("electrician", "trades"),
        ("primary school teacher", "teaching"),
        ("landscape architect", "trades"),
    ],
)
def test_a_role_belongs_to_the_guide_on_its_work(role, title):
    assert families_of(role)[0][1] == title


def test_a_guide_on_other_work_does_not_belong():
    nursing = guide("Interviews for nurses and care workers", "", "")
    assert rank_of(nursing, "nurse") == 0
    assert rank_of(nursing, "data engineer") is None
    assert rank_of(nursing, "chef") is None
    assert rank_of(nursing, "") is None


async def test_questions_mix_guides_posting_and_cv_and_each_says_what_it_rests_on():
    posting = hit(2, title="Data Analyst", company="Contoso Labs", skills=("SQL", "Python"), requirements="")
    answer, recorder = await perform(
        AGENT, "Interview questions for the second one", [Guides(), resume(CV), Canned("find_job", Ok(posting))],
        history=searched("data jobs"),
    )  # fmt: skip
    shown = recorder.one("interview_questions")
    assert (shown.role, shown.company) == ("Data Analyst", "Contoso Labs")
    assert {question.basis for question in shown.questions} == {"guide", "posting", "cv"}
    assert all(question.why and question.hint for question in shown.questions)
    cited = {key for question in shown.questions for key in question.citation_ids}
    assert cited == {citation.id for citation in answer.citations}
    assert "The posting is a fictional sample." in answer.text
    assert "interview_questions" in recorder.types()
    assert recorder.types().index("interview_questions") < recorder.types().index("chunk")
    assert all(reply.intent for reply in recorder.one("suggestions").suggestions)


async def test_every_mark_in_the_text_has_its_citation():
    answer, _ = await perform(AGENT, "data analyst interview questions", [Guides(), resume()])
    numbers = {int(part.split("]")[0]) for part in answer.text.split("[")[1:]}
    assert numbers == set(range(1, len(answer.citations) + 1))


async def test_the_number_asked_for_is_kept_and_a_shortage_is_said():
    answer, recorder = await perform(AGENT, "2 data analyst interview questions", [Guides(), resume()])
    assert len(recorder.one("interview_questions").questions) == 2
    answer, recorder = await perform(AGENT, "12 data analyst interview questions", [Guides(), resume()])
    assert len(recorder.one("interview_questions").questions) == 5
    assert "You asked for 12; I have no more that fit." in answer.text


async def test_more_questions_are_other_ones():
    _, first = await perform(AGENT, "2 data analyst interview questions", [Guides(), resume()])
    before = first.one("interview_questions")
    history = turn("2 questions", "Two.", "interview_prep", before)
    _, second = await perform(AGENT, "2 more questions", [Guides(), resume()], history=history)
    again = second.one("interview_questions")
    assert again.role == "data analyst"
    assert not {q.question for q in before.questions} & {q.question for q in again.questions}


@pytest.mark.parametrize(
    ("tool", "says", "never"),
    [
        (unread(), "could not look into my guides", "hold no"),
        (Canned("search_knowledge", Empty("nothing")), "hold no interview questions for chef", "could not"),
    ],
)
async def test_no_questions_and_guides_that_could_not_be_read_are_not_confused(tool, says, never):
    answer, recorder = await perform(AGENT, "chef interview questions", [tool, resume()])
    assert says in answer.text
    assert never not in answer.text
    assert "interview_questions" not in recorder.types()


async def test_unread_guides_leave_the_posting_and_the_cv():
    answer, recorder = await perform(
        AGENT, "Interview questions for the second one", [unread(), resume(CV), Canned("find_job", Ok(hit(2)))],
        history=searched("data jobs"),
    )  # fmt: skip
    assert {q.basis for q in recorder.one("interview_questions").questions} == {"posting", "cv"}
    assert "could not look into my guides just now, so these rest on the posting and your CV" in answer.text


@pytest.mark.parametrize(
    ("result", "says"),
    [(Empty("gone"), "no longer in the catalogue"), (Err("timeout", "slow"), "could not read the posting")],
)
async def test_a_posting_that_is_gone_and_one_unread_are_told_apart(result, says):
    tools = [Guides(), resume(), Canned("find_job", result)]
    answer, _ = await perform(AGENT, "Interview questions for the second one", tools, history=searched("data jobs"))
    assert says in answer.text


async def test_a_temporary_chat_reads_no_cv():
    _, recorder = await perform(AGENT, "data analyst interview questions", [Guides(), resume(CV)], temporary=True)
    assert not [e for e in recorder.events if e.type == "tool_call" and e.tool == "read_resume"]


def test_questions_from_a_posting_rest_on_its_words():
    posting = hit(1, title=(
        "Data "
        "Analyst"
    ), requirements="- Three years of SQL in a busy team\n- A competitive salary for you all",
                  skills=("Data Analysis", "Communication", "SQL", "Kubernetes", "Portuguese"))  # fmt: skip
    made = from_posting(posting, ["SQL"], CV, packaged_vocabulary())
    text = " ".join(question.question for question in made)
    assert "“Three years of SQL in a busy team”" in text
    assert "salary" not in text
    assert "Communication" not in text
    assert "asks for Data Analysis" not in text
    assert "your CV shows it as Data Analyst at Northgate Clinics" in text
    assert "Kubernetes. How well do you know it" in text
    assert "Portuguese. How well do you speak it" in text


def test_questions_from_a_cv_quote_it_and_see_a_gap():
    text = " ".join(question.question for question in from_resume(CV))
    assert "“Built a SQL dashboard that cut missed appointments by 18%”" in text
    assert (
        "between Junior Analyst at Harbour Foods (until 2020-02) and Data Analyst at Northgate Clinics (from 2021-03)"
        in text
    )
    assert "Why do you want to leave Northgate Clinics?" in text


async def test_star_is_quoted_and_built_on_the_users_own_line():
    answer, _ = await perform(AGENT, "help me with the STAR method", [Guides(), resume(CV)])
    assert "The STAR method gives an answer four parts: [1]\n- Situation: where and when." in answer.text
    assert "“Built a SQL dashboard that cut missed appointments by 18%”" in answer.text
    assert answer.citations[0].id == "p_3"


async def test_advice_that_no_guide_gives_is_not_given():
    tool = Canned("search_knowledge", found(passage(1, "Following up", "When should I write?", "After five days.")))
    answer, _ = await perform(AGENT, "what should I wear to the interview?", [tool, resume()])
    assert "my guides say nothing" in answer.text
    assert answer.citations == ()


async def test_a_thank_you_note_is_handed_over():
    answer, _ = await perform(AGENT, "help me write a thank-you note", [])
    assert answer.hand_over.to == "followup"


class Talk:
    """A practice interview, its history kept as the store would keep it."""

    def __init__(self, *tools):
        self.tools = tools or (Guides(), resume(CV))
        self.history = ()

    async def say(self, message, agent=AGENT):
        answer, recorder = await perform(agent, message, self.tools, history=self.history)
        steps = [event for event in recorder.events if event.type == "interview_practice"]
        self.history += turn(message, answer.text, agent.name, *steps)
        return answer, steps[-1] if steps else None


async def test_practice_asks_one_at_a_time_gives_feedback_and_sums_up():
    talk = Talk()
    answer, step = await talk.say("Practise with me for a data analyst interview, 2 questions")
    assert (step.number, step.of, step.open) == (1, 2, True)
    assert step.question in answer.text
    assert AGENT.holds("anything", talk.history)
    answer, step = await talk.say(TOLD)
    assert (step.number, step.open) == (2, True)
    assert step.feedback
    assert step.notes[0].words == len(TOLD.split())
    answer, step = await talk.say("I am not sure.")
    assert (step.open, step.asked) == (False, None)
    assert answer.text.startswith("That is fine")
    assert "**Summary:** 1 question answered, 1 left out." in answer.text
    assert not AGENT.holds("anything", talk.history)


async def test_skip_repeat_help_and_another_are_understood():
    talk = Talk()
    _, first = await talk.say("Practise with me for a data analyst interview")
    _, same = await talk.say("repeat that please")
    assert same.question == first.question
    answer, same = await talk.say("how would you answer it?")
    assert same.question == first.question
    assert "A good answer" in answer.text
    _, other = await talk.say("another one")
    assert other.question != first.question
    assert other.number == 1
    answer, following = await talk.say("skip")
    assert answer.text.startswith("Skipped.")
    assert (following.number, following.notes[-1].words) == (2, 0)


async def test_harder_finds_a_harder_question_and_asks_no_story_of_a_question_on_knowledge():
    talk = Talk(Guides(), resume())
    _, first = await talk.say("Practise with me for a data analyst interview")
    assert first.asked.kind == "opening"
    _, harder = await talk.say("harder")
    assert harder.asked.kind != "opening"
    asked = {harder.question}
    for again in ("harder please", "too easy", "harder"):
        answer, step = await talk.say(again)
        assert step.open
        assert step.asked.kind != "role" or "What would you do differently today" not in answer.text
        asked.add(step.question)
    assert len(asked) > 1


async def test_harder_asks_on_after_a_story():
    talk = Talk(Canned("search_knowledge", Empty("nothing")), resume(CV))
    _, step = await talk.say("Practise with me for a data analyst interview")
    while step.asked.kind != "behavioural":
        _, step = await talk.say("another one")
    answer, pressed = await talk.say("harder")
    assert pressed.question.startswith(step.question)
    assert "What would you do differently today" in answer.text


@pytest.mark.parametrize(
    "aside",
    [
        "By the way, what is the salary for that?",
        "what is the salary for that",
        "find me data jobs in Berlin",
        "Can you write me a cover letter for the second job?",
        "is that a common question?",
        "Should I use STAR here?",
    ],
)
async def test_a_question_to_the_assistant_is_no_answer(aside):
    talk = Talk()
    _, first = await talk.say("Practise with me for a data analyst interview")
    assert not AGENT.holds(aside, talk.history)
    answer, step = await talk.say(aside)
    assert step is None or (step.question, step.open, step.notes) == (first.question, True, ())
    assert "Keep:" not in answer.text
    _, back = await talk.say("ok back to the interview")
    assert (back.question, back.number) == (first.question, 1)


@pytest.mark.parametrize(
    "answer",
    [
        "What I did was call the consultant.",
        "Find the root cause first, then fix it",
        "Who would not be upset? I listened to her.",
        "I would ask: what is missing?",
        "Do the simple thing first",
        "When I was at school I learned to plan",
    ],
)
async def test_an_answer_that_begins_like_a_question_or_an_order_is_an_answer(answer):
    talk = Talk()
    await talk.say("Practise with me for a data analyst interview")
    assert AGENT.holds(answer, talk.history)
    _, step = await talk.say(answer)
    assert step.notes[0].words == len(answer.split())


async def test_pay_asked_in_between_is_handed_over_with_the_role():
    talk = Talk()
    await talk.say("Practise with me for a data analyst interview")
    answer, _ = await talk.say("By the way, what is the salary for that?")
    assert answer.hand_over.to == "salary"
    assert answer.hand_over.message == "By the way, what is the salary for data analyst jobs?"


@pytest.mark.parametrize(
    "words", ["continue", "ok back to the interview", "skip", "stop, how did I do?", "let's get back to the interview"]
)
async def test_after_a_search_in_between_words_that_steer_return_to_the_practice(words):
    talk = Talk()
    await talk.say("Practise with me for a data analyst interview")
    talk.history += turn("find data jobs", "Two postings.", "job_search")
    assert AGENT.holds(words, talk.history)
    _, step = await talk.say(words)
    assert step is not None
    for other in ("yes", "next", "show me more", "the second one", "ok", TOLD):
        assert not AGENT.holds(other, talk.history[:-2])


async def test_after_the_summary_how_did_i_do_sums_up_again():
    talk = Talk()
    await talk.say("Practise with me for a data analyst interview, 1 question")
    answer, step = await talk.say(TOLD)
    assert step.asked is None
    summary = answer.text[answer.text.index("**Summary:**") :]
    assert AGENT.holds("how did I do overall?", talk.history)
    answer, _ = await talk.say("how did I do overall?")
    assert answer.text == summary


async def test_how_did_i_do_so_far_keeps_the_question_open():
    talk = Talk()
    _, first = await talk.say("Practise with me for a data analyst interview")
    answer, step = await talk.say("how am I doing so far?")
    assert (step.open, step.question) == (True, first.question)
    assert first.question in answer.text


@pytest.mark.parametrize(
    "words", ["idk", "no idea", "pass", "I don't know", "honestly I just cannot say, I don't know"]
)
async def test_not_knowing_leaves_the_question_with_a_hint_and_counts_as_no_answer(words):
    talk = Talk()
    _, first = await talk.say("Practise with me for a data analyst interview, 2 questions")
    answer, step = await talk.say(words)
    assert step.notes[0].words == 0
    assert f"For next time, “{first.question}”: {first.asked.hint}" in answer.text
    answer, _ = await talk.say("idk")
    assert "You answered no question this time" in answer.text


async def test_how_would_you_answer_it_is_an_outline_of_the_guide_and_of_the_users_own_cv():
    talk = Talk()
    _, first = await talk.say("Practise with me for a data analyst interview")
    assert first.question == "Can you tell me about yourself?"
    answer, _ = await talk.say("how would you answer it?")
    assert "**Now:** Data Analyst at Northgate Clinics, since 2021." in answer.text
    assert "“Built a SQL dashboard that cut missed appointments by 18%”" in answer.text
    assert "the post as data analyst" in answer.text


@pytest.mark.parametrize(
    ("hint", "points"),
    [
        ("A good answer is correct, uses everyday words, and says what it does not mean.", 3),
        ("A good answer sets the measure, unit, size and duration in advance, and names side effects.", 2),
        ("A good answer compares cost, competitors and value to the customer.", 1),
        ("Say plainly where your limit is.", 0),
    ],
)
def test_the_points_of_a_good_answer_are_its_deeds(hint, points):
    assert len(points_of(hint)) == points


async def test_a_knowledge_question_is_helped_with_what_the_guides_teach_on_it():
    taught = passage(7, "Statistics", "How do I explain missing data?", "Missing data may be missing for a reason.")
    tool = Canned("search_knowledge", found(passage(1, "Interviews for data analysts", "", QUESTIONS), taught))
    talk = Talk(tool, resume())
    _, step = await talk.say("technical practice interview for a data analyst")
    while "missing" not in step.question:
        _, step = await talk.say("another one")
    answer, _ = await talk.say("how would you answer it?")
    assert "**What my guides say on it:** Missing data may be missing for a reason. [2]" in answer.text
    assert [citation.id for citation in answer.citations] == ["p_1", "p_7"]


async def test_what_do_you_mean_explains_the_question():
    talk = Talk()
    _, first = await talk.say("Practise with me for a data analyst interview")
    assert AGENT.holds("what do you mean by that?", talk.history)
    answer, step = await talk.say("what do you mean by that?")
    assert step.question == first.question
    assert answer.text.startswith("It is an opener")


async def test_a_story_told_to_an_opener_is_noticed_gently():
    opener = InterviewQuestion(question="Can you tell me about yourself?", why="", hint="", kind="opening")
    story = (
        "Last night in A&E there was a man with chest pain. I had to act quickly. I called the consultant and I "
        "started oxygen. In the end he went to theatre within 20 minutes."
    )
    assert "off the question" in names(feedback_on(opener, story).change)
    told = "I am a nurse with six years in A&E. Last year I led a shift and cut waiting by 10%. Now I want to teach."
    assert "off the question" not in names(feedback_on(opener, told).change)


@pytest.mark.parametrize(
    ("message", "role"),
    [
        ("gimme interview qs", ""),
        ("hit me with interview questions", ""),
        ("any interview questions", ""),
        ("zookeeper interview questions", "zookeeper"),
        ("kitchen porter interview practice", "kitchen porter"),
        ("SQL interview questions", "SQL"),
    ],
)
def test_words_that_are_no_occupation_are_no_role(message, role):
    assert interview_wish(message, (), ()).role == role


async def test_stopping_keeps_the_place_and_continuing_returns_to_it():
    talk = Talk()
    _, first = await talk.say("Practise with me for a data analyst interview")
    _, step = await talk.say("stop")
    assert not step.open
    assert not AGENT.holds("anything", talk.history)
    talk.history += turn("what is the weather", "No.", "general")
    _, step = await talk.say("continue the interview")
    assert (step.open, step.question) == (True, first.question)


async def test_another_request_in_between_does_not_lose_the_interview():
    talk = Talk()
    _, first = await talk.say("Practise with me for a data analyst interview")
    talk.history += turn("find jobs", "Two postings.", "job_search")
    assert not AGENT.holds("hello", talk.history)
    _, step = await talk.say("let's continue the interview")
    assert step.question == first.question


async def test_a_new_request_about_interviews_leaves_the_open_question():
    talk = Talk()
    await talk.say("Practise with me for a data analyst interview")
    answer, step = await talk.say("Give me 3 data analyst interview questions instead")
    assert step is None
    assert "3 interview questions" in answer.text


async def test_commands_without_an_interview_say_that_none_is_open():
    answer, _ = await perform(AGENT, "skip", [])
    assert "No practice interview is open" in answer.text


def test_the_agent_is_one_that_holds():
    assert isinstance(AGENT, Holding)
    assert open_practice(()) is None


@pytest.mark.parametrize(
    ("message", "command"),
    [
        ("Skip", "skip"),
        ("next question please", "skip"),
        ("can you repeat the question?", "repeat"),
        ("stop here", "stop"),
        ("that's enough for today", "stop"),
        ("make it harder", "harder"),
        ("an easier one please", "easier"),
        ("How would you answer that?", "help"),
        ("I'm stuck", "help"),
        ("give me an example answer", "help"),
        ("ask me something else", "another"),
        ("I stopped the line and called the supervisor", None),
        ("I would skip it", None),
        ("Next I would check the log", None),
    ],
)
def test_short_messages_are_commands_and_answers_are_not(message, command):
    assert command_of(message) == command


def names(remarks):
    return {remark.name for remark in remarks}


def test_a_told_example_is_seen_in_its_four_parts_with_the_users_words():
    judged = feedback_on(BEHAVIOURAL, TOLD)
    assert judged.star == ("situation", "task", "action", "result")
    assert {"all four parts", "result with a number"} <= names(judged.keep)
    assert "30%" in " ".join(remark.text for remark in judged.keep)
    assert judged.words == len(TOLD.split())
    assert 25 <= judged.seconds <= 50


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (BEHAVIOURAL, "no idea really", "no answer"),
        (BEHAVIOURAL, "Yes, many times.", "too short"),
        (BEHAVIOURAL, (
            "I am a hard-working team player and I always stay calm with relatives and I never shout at them at "
            "all."
        ), "no own action"),
        (BEHAVIOURAL, (
            "When we had an upset relative on our ward we sat down and we talked and we wrote it down for our team "
            "lead together."
        ), "we rather than I"),
        (BEHAVIOURAL, (
            "When a relative complained last year I asked her in. My old boss was a complete idiot about it so I "
            "did it by myself."
        ), "negative talk"),
        (BEHAVIOURAL, (
            "Last year a relative came in. Um, basically I asked her to sit, you know, and I sort of listened to "
            "her for an hour."
        ), "fillers"),
        (BEHAVIOURAL, (
            "Last year a relative came in and she was upset. I had to calm her. I asked her to sit and I listened "
            "for a long time."
        ), "no result"),
        (TECHNICAL, (
            "You should always clean the table before you start, and everybody in the company must use the same "
            "names for it."
        ), "no example"),
        (TECHNICAL, (
            "I like gardening and long walks with the dog, which is why weekends in the hills are so pleasant for "
            "me and mine."
        ), "off the question"),
        (TECHNICAL, "missing data " * 200, "too long"),
    ],
)  # fmt: skip
def test_each_fault_is_named(question, answer, expected):
    assert expected in names(feedback_on(question, answer).change)


def test_a_good_answer_is_not_faulted_for_what_it_has():
    judged = feedback_on(BEHAVIOURAL, TOLD)
    assert not names(judged.change) & {
        "no result",
        "no own action",
        "we rather than I",
        "negative talk",
        "fillers",
        "off the question",
    }


@pytest.mark.parametrize("answer", ["", " ", "?", "😀" * 50, "a" * 20_000, "\x00", "(((((" * 300, "I " * 5_000])
def test_no_answer_whatever_it_holds_breaks_the_feedback(answer):
    assert feedback_on(BEHAVIOURAL, answer).words == len(answer.split())
    assert feedback_on(TECHNICAL, answer).lines is not None


@pytest.mark.parametrize(
    "text", ["a" * 8_000, "for " * 2_000, "give me " * 1_000, "my boss is so so " * 500, "I " * 4_000]
)
def test_long_messages_are_read_in_no_time(text):
    started = time.thread_time()
    interview_wish(text, (), ())
    command_of(text)
    targets_of(text)
    target_of(text, (), ())
    feedback_on(BEHAVIOURAL, text)
    assert time.thread_time() - started < 1
