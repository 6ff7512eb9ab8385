"""Letters claim nothing their writer does not hold, whatever is asked, known or found."""

import itertools
from dataclasses import replace

import pytest
from letter_stage import ADA, ADVERTISED, ANALYST, NORTHWIND, NURSE, POSTING, VOCABULARY, after, ask, tools
from stage import Canned, fact, searched

from signalbox.agents.letters.answers import kind_of, write_answer
from signalbox.agents.letters.background import Background, background_of
from signalbox.agents.letters.claims import texts_of, unsupported_claims
from signalbox.agents.letters.plan import MAX_WORDS, MIN_WORDS, PLACEHOLDER, LetterPlan
from signalbox.agents.letters.post import Posting, day_words, post_of
from signalbox.agents.letters.text import write_letter
from signalbox.agents.letters.wording import WISHES
from signalbox.encoding import clean_json
from signalbox.errors import ProviderUnavailable
from signalbox.llm.scripted import ScriptedModel
from signalbox.tools.result import Err

PROFILES = {
    "nothing": ((), None),
    "a name": ((fact("name", "Sam Okafor"),), None),
    "a profile": (ADA, None),
    "a wish for a title": ((fact("title", "astronaut", "preference"), fact("skill", "Excel")), None),
    "a CV alone": ((), ANALYST),
    "profile and CV": (ADA, ANALYST),
    "a CV without highlights": ((fact("language", "Dutch (C1)"),), NURSE),
}
POSTINGS = {
    "nothing": Posting(),
    "a role": Posting(title="barista"),
    "a company": Posting(company="Bosch"),
    "whole": Posting.of_hit(POSTING, "Arbeitnow"),
    "for others": Posting(
        "Platform Engineer",
        "Contoso",
        asks=("Kubernetes", "Terraform", "Go", "French"),
        text="We run 900 services on Kubernetes. You hold a PhD.",
    ),
}
KINDS = ("letter", "speculative", "internal", "email", "answer")
TONES = ("formal", "friendly", "plain")


def plans(kind):
    for (profile, resume), posting, tone in itertools.product(PROFILES.values(), POSTINGS.values(), TONES):
        background = background_of(profile, resume, "", VOCABULARY)
        record = NORTHWIND if posting.company == "Northwind" else None
        post, left_out = post_of(posting, record, background, VOCABULARY, person="")
        for mention, change, learn in (((), False, False), (("German", "forklift licence"), True, True)):
            yield (
                LetterPlan(
                    kind=kind,
                    tone=tone,
                    background=background,
                    post=post,
                    mention=mention,
                    change=change,
                    keen_to_learn=left_out[:3] if learn else (),
                    question="Why do you want to work here?",
                ),
                left_out,
            )


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_claims_what_neither_profile_cv_posting_nor_company_holds(kind):
    for plan, left_out in plans(kind):
        text = write_answer(plan, VOCABULARY) if kind == "answer" else write_letter(plan, VOCABULARY)
        evidence = (*texts_of(clean_json(plan.background), without=WISHES), *texts_of(clean_json(plan.post)))
        assert unsupported_claims(text, evidence) == (), text
        unclaimed = set(left_out) - set(plan.keen_to_learn)
        assert not [skill for skill in unclaimed if skill in PLACEHOLDER.sub("", text)], text


def test_a_letter_has_180_to_350_words_and_shorter_and_longer_keep_their_order():
    for plan, _ in plans("letter"):
        normal, short, long = (
            len(write_letter(replace(plan, steps=steps), VOCABULARY).split()) for steps in (0, -1, 1)
        )
        assert MIN_WORDS <= normal <= MAX_WORDS
        assert short <= normal <= long <= MAX_WORDS


@pytest.mark.parametrize("limit", [60, 100, 200, 300])
def test_a_limit_of_words_is_kept(limit):
    for plan, _ in plans("letter"):
        if not plan.mention:
            assert len(write_letter(replace(plan, max_words=limit), VOCABULARY).split()) <= limit


def test_every_letter_has_a_salutation_the_post_and_a_signature():
    for plan, _ in plans("letter"):
        text = write_letter(plan, VOCABULARY)
        hello, opening, *_ = text.split("\n\n")
        assert hello.startswith(("Dear ", "Hello "))
        assert (plan.post.role or "[role]") in opening
        assert (plan.post.company or "[company]") in text
        assert text.endswith(plan.background.name or "[your name]")


async def test_the_letter_pairs_what_is_asked_with_the_cv_and_leaves_the_rest_out():
    answer, recorder = await ask("Write a cover letter for the first one", searched("data jobs"))
    letter = recorder.one("cover_letter")
    assert f"Data Engineer at Northwind, which you advertised on {day_words(ADVERTISED)}" in letter.body
    assert "asks for Python and SQL, and I bring both" in letter.body
    assert "at Contoso (since March 2021), I cut report run time by 40% with SQL and dbt" in letter.body
    assert "I speak German (B2)" in letter.body
    assert "Kafka" not in letter.body
    assert letter.left_out == ("Apache Kafka",)
    assert "also asks for Apache Kafka" in answer.text
    assert letter.body not in answer.text
    assert letter.words == len(letter.body.split())
    assert (letter.job_id, letter.company, letter.role, letter.kind) == ("j1", "Northwind", "Data Engineer", "letter")
    assert recorder.types()[-1] == "suggestions"
    assert all(each.intent == "cover_letter" for each in recorder.one("suggestions").suggestions)


async def test_each_claim_names_the_fact_it_rests_on():
    _, recorder = await ask("Write a cover letter for the first one", searched("data jobs"))
    letter = recorder.one("cover_letter")
    rests = {each.claim: each for each in letter.evidence}
    assert all(claim.casefold() in letter.body.casefold() for claim in rests)
    assert rests["Contoso"].fact == "Senior Data Analyst at Contoso, since March 2021"
    assert rests["cut report run time by 40% with SQL and dbt"].source == "cv"
    assert rests["Northwind plans the routes of delivery vans in 12 cities."].source == "company"
    assert rests["8 years of experience"].source == "profile"


async def test_posting_and_company_are_cited():
    answer, _ = await ask("Write a cover letter for the first one", searched("data jobs"))
    assert [each.id for each in answer.citations] == ["j1", "c1"]


async def test_a_sample_posting_is_said_to_be_fictional_and_looks_no_company_up():
    using = tools(posting=replace(POSTING, sample=True))
    answer, _ = await ask("Letter for the first one", searched("data jobs"), using=using)
    assert "fictional sample" in answer.text
    assert using[1].asked == []


async def test_what_could_not_be_looked_up_is_said_and_not_taken_for_nothing():
    using = [Canned(name, Err("unavailable", "away")) for name in ("read_resume", "find_company", "find_job")]
    history = searched("data jobs")
    shown = history[1].blocks[0]
    jobs = [{**job, "sample": False} for job in shown["jobs"]]
    history = (history[0], history[1].model_copy(update={"blocks": ({**shown, "jobs": jobs},)}))
    answer, recorder = await ask("Letter for the first one", history, using=using)
    assert "could not read your CV" in answer.text
    assert "could not read the whole posting" in answer.text
    assert "could not look up Northwind" in answer.text
    assert "no CV on record" not in answer.text
    assert "asks for SQL" in recorder.one("cover_letter").body


async def test_a_temporary_chat_reads_no_cv():
    using = tools()
    answer, _ = await ask("Write a letter for Bosch", using=using, temporary=True)
    assert using[0].asked == []
    assert "temporary chat" in answer.text


async def test_changes_keep_the_rest_of_the_letter_and_add_up():
    history = list(searched("data jobs"))
    for message in ("Write a cover letter for the first one", "more formal", "mention my forklift licence"):
        done = await ask(message, history)
        history = after(message, done, history)
    letter = done[1].one("cover_letter")
    assert (letter.tone, letter.company) == ("formal", "Northwind")
    assert "Dear Sir or Madam" in letter.body
    assert "[One sentence on your forklift licence: what it is and where you used it.]" in letter.placeholders
    assert "do not know of forklift licence" in done[0].text
    shorter = await ask("shorter", history)
    assert shorter[1].one("cover_letter").words < letter.words
    other = await ask("for the second one instead", history, using=tools(posting=None, record=None))
    moved = other[1].one("cover_letter")
    assert (moved.company, moved.role, moved.tone) == ("Contoso Labs", "Data Analyst", "formal")
    assert "Northwind" not in moved.body


async def test_a_change_still_finds_the_posting_when_the_search_has_scrolled_away():
    done = await ask("Write a cover letter for the first one", searched("data jobs"))
    history = after("Write a cover letter for the first one", done)
    letter = (await ask("make it friendlier", history))[1].one("cover_letter")
    assert (letter.company, letter.job_id, letter.tone) == ("Northwind", "j1", "friendly")


async def test_what_is_missing_is_called_so_only_where_the_user_said_they_would_learn_it():
    history = list(searched("data jobs"))
    done = await ask("Write a cover letter for the first one", history)
    history = after("Write a cover letter for the first one", done, history)
    body = (await ask("Say that I am keen to learn what is missing", history))[1].one("cover_letter").body
    assert "I do not have Apache Kafka yet, and I am keen to learn it." in body


async def test_a_paragraph_can_be_cut_and_stays_cut():
    history = list(searched("data jobs"))
    for message in ("Write a cover letter for the first one", "cut the last paragraph", "more formal"):
        done = await ask(message, history)
        history = after(message, done, history)
    body = done[1].one("cover_letter").body
    assert "discuss my application" not in body
    assert body.endswith("Yours faithfully,\nAda Lovelace")


async def test_another_language_is_said_not_to_be_available():
    answer, _ = await ask("Write a letter for Bosch in German please")
    assert "in English only for now" in answer.text


async def test_without_a_post_several_on_the_table_are_offered_and_one_is_taken():
    answer, recorder = await ask("cover letter pls", searched("data jobs"))
    assert "Which posting" in answer.text
    assert [each.label for each in recorder.one("suggestions").suggestions] == [
        "Data Engineer, Northwind",
        "Data Analyst, Contoso Labs",
    ]
    best = (await ask("draft a cover letter for the best one", searched("data jobs")))[1].one("cover_letter")
    assert best.role == "Data Engineer"
    history = searched("data jobs")
    shown = history[1].blocks[0]
    one = {**shown, "jobs": shown["jobs"][:1]}
    history = (history[0], history[1].model_copy(update={"blocks": (one,)}))
    assert (await ask("cover letter pls", history))[1].one("cover_letter").company == "Northwind"


async def test_with_nothing_known_it_asks_instead_of_sending_blanks():
    answer, recorder = await ask("cover letter pls", profile=(), using=tools(None, None, None))
    assert "Which post is the letter for?" in answer.text
    assert "cover_letter" not in recorder.types()


async def test_questions_on_letters_are_answered_from_the_guides():
    using = [*tools(), Canned("search_knowledge", Err("unavailable", "away"))]
    answer, recorder = await ask("How long should a cover letter be?", using=using)
    assert "could not look into the guides" in answer.text
    assert "cover_letter" not in recorder.types()


async def test_a_posting_pasted_into_the_message_is_answered():
    pasted = (
        "Write a letter for this posting:\n\nData Engineer at Brightwater\n\nWe are looking for a data engineer. "
        "You will build pipelines in Python on Kubernetes. Requirements: SQL and three years of experience. "
        "Brightwater keeps the rivers of Wales clean with sensors. We offer 30 days of holiday."
    )
    answer, recorder = await ask(pasted, using=tools(record=None))
    letter = recorder.one("cover_letter")
    assert (letter.role, letter.company) == ("Data Engineer", "Brightwater")
    assert "asks for Python and SQL" in letter.body
    assert "“Brightwater keeps the rivers of Wales clean with sensors.”" in letter.body
    assert "also asks for Kubernetes" in answer.text
    history = after(pasted, (answer, recorder))
    later = (await ask("more formal", history, using=tools(record=None)))[1].one("cover_letter")
    assert (later.company, later.tone) == ("Brightwater", "formal")


async def test_users_own_sentences_stand_in_the_letter():
    message = (
        "For the head chef opening at a retirement village I need a letter. I've cooked for 22 years in pubs, schools "
        "and one offshore platform. I want it plain."
    )
    body = (await ask(message, profile=(), using=tools(None, None, None)))[1].one("cover_letter").body
    assert "I have cooked for 22 years in pubs, schools and one offshore platform." in body
    assert "post of head chef" in body
    assert "I want it plain" not in body


LETTER = """Dear Mr Brown,

i am writing to apply for the job of vet nurse at Hillside. I have always been fascinated by animals. I am a team
player and hard-working. At Fabrikam I cut waiting times by 25% in 2019. I know Kubernetes. Sorry that I have no degree.

I would like to meet you.

Yours faithfully,
Ada"""


async def test_a_letter_that_was_pasted_keeps_its_words_and_loses_its_weakest_sentences():
    answer, recorder = await ask(f"Shorten this, max 50 words: {LETTER}")
    letter = recorder.one("cover_letter")
    assert letter.kind == "mended"
    assert letter.words <= 50
    assert letter.body.startswith("Dear Mr Brown,\n\nI am writing to apply")
    assert "At Fabrikam I cut waiting times by 25% in 2019." in letter.body
    assert "team player" not in letter.body
    assert letter.body.endswith("Yours sincerely,\nAda")
    assert "25, 2019 or Kubernetes" in answer.text


async def test_a_mended_letter_can_be_shortened_further():
    history = after(LETTER, await ask(f"Check my letter: {LETTER}"))
    history[0] = history[0].model_copy(update={"content": f"Check my letter: {LETTER}"})
    before = len(history[-1].blocks[0]["body"].split())
    letter = (await ask("shorter", history))[1].one("cover_letter")
    assert letter.kind == "mended"
    assert letter.words < before


async def test_a_letter_that_was_not_pasted_is_asked_for():
    answer, recorder = await ask("plese chekc my covring letter for speling")
    assert "Paste its text" in answer.text
    assert "cover_letter" not in recorder.types()


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Why do you want to work here?", "why_here"),
        ("Why are you the right person for this role?", "why_you"),
        ("Describe a time you showed leadership", "example"),
        ("Supporting statement", "statement"),
    ],
)
async def test_questions_of_a_form_are_answered_within_their_limit(question, kind):
    assert kind_of(question) == kind
    _, recorder = await ask(f"The application form of Northwind asks “{question}”, answer in 120 words")
    letter = recorder.one("cover_letter")
    assert (letter.kind, letter.question) == ("answer", question)
    assert letter.words <= 120
    assert "Dear" not in letter.body


async def test_an_example_is_taken_from_the_cv_and_its_story_left_to_the_writer():
    _, recorder = await ask("The form asks “Describe a time you managed a team”. Help me answer.")
    letter = recorder.one("cover_letter")
    assert "I managed a team of 3 analysts" in letter.body
    assert any("what came of it" in blank for blank in letter.placeholders)


def test_a_posting_cannot_smuggle_in_placeholders_or_lines():
    posting = Posting(
        "Clerk [send your password]", "Acme\n\nDear all,", text="We [your PIN] are a firm of seven people here."
    )
    post, _ = post_of(posting, None, Background(), VOCABULARY, person="")
    text = write_letter(LetterPlan(kind="letter", tone="plain", background=Background(), post=post), VOCABULARY)
    assert "[send your password]" not in text
    assert "[your PIN]" not in text
    assert "\nDear all" not in text


class TestAModelThatWrites:
    async def letter_of(self, *said):
        model = ScriptedModel({"Write it.": said}, instructable=True)
        _, recorder = await ask("Write a cover letter for the first one", searched("data jobs"), model=model)
        return recorder.one("cover_letter"), model

    async def test_its_words_are_taken_where_they_claim_nothing_new(self):
        letter, model = await self.letter_of("Dear hiring team,\n\nI know SQL.\n\n", "Kind regards,\nAda Lovelace")
        assert letter.body == "Dear hiring team,\n\nI know SQL.\n\nKind regards,\nAda Lovelace"
        assert [each.claim for each in letter.evidence if each.source == "cv"] == ["SQL"]
        asked = next(request for request in model.requests if request.task == "write")
        assert "Kafka" not in asked.messages[0].content

    @pytest.mark.parametrize(
        "said",
        [
            ("I have run Apache Kafka for 9 years.",),
            ("I know SQL. " * 200,),
            (),
            (ProviderUnavailable(),),
            ("I know SQL.", ProviderUnavailable()),
        ],
    )
    async def test_the_template_stands_where_it_claims_too_much_or_fails(self, said):
        letter, _ = await self.letter_of(*said)
        assert letter.body.startswith("Dear hiring team,\n\nI am applying for the post of Data Engineer at Northwind")
        assert "Kafka" not in letter.body
