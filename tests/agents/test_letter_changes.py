"""A letter in a conversation: each change changes it noticeably, and what changed nothing is never called done."""

import itertools
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from letter_stage import ADA, ADVERTISED, POSTING, VOCABULARY, after, ask, letters, talk, tools
from stage import fact, searched

from signalbox.agents.letters.asking import asks_for_verdict, place_asked
from signalbox.agents.letters.background import Background, background_of, own_sentences
from signalbox.agents.letters.evidence import evidence_in
from signalbox.agents.letters.plan import says
from signalbox.agents.letters.post import Post, Posting, post_of
from signalbox.agents.letters.wish import read
from signalbox.llm.scripted import ScriptedModel
from signalbox.memory.conversation import PastMessage
from signalbox.memory.resume.model import Resume, WorkItem

WRITE = "Write a cover letter for the first one"
TABLE = searched("data jobs")
UNKNOWN = {"profile": (), "using": tools(None, None, None)}
AD = "Here is a job ad: Senior Accountant, Brightwater Ltd, Manchester. ACCA required, IFRS, Excel. £48,000"


def replies(reply):
    return [each.label for each in reply[1].one("suggestions").suggestions]


class TestLength:
    @pytest.mark.parametrize("more", [{}, UNKNOWN], ids=["known", "unknown"])
    async def test_each_shorter_cuts_noticeably_until_it_is_said_to_be_the_shortest(self, more):
        outcomes = await talk(WRITE, "shorter", "Make it shorter", "shorter", "even shorter", before=TABLE, **more)
        written = [letter for letter in letters(outcomes) if letter]
        for one, next_one in itertools.pairwise(written):
            assert next_one.words <= one.words * 0.92 or next_one.words <= 98
            assert next_one.words < one.words
        assert 80 <= written[-1].words <= 98
        answer, recorder = outcomes[-1]
        assert "cover_letter" not in recorder.types()
        assert "stands as it was" in answer.text
        assert "shortest" in answer.text
        assert "Here is the letter" not in answer.text
        assert "Shorter" not in replies(outcomes[-1])

    async def test_the_reply_names_both_lengths(self):
        first, second = letters(outcomes := await talk(WRITE, "shorter", before=TABLE))
        assert f"({second.words} words now, {first.words} before" in outcomes[1][0].text

    @pytest.mark.parametrize("said", ["too long, cut it to half a page", "half a page please", "max 120 words"])
    async def test_half_a_page_is_about_120_words(self, said):
        _, short = letters(await talk(WRITE, said, before=TABLE))
        assert 90 <= short.words <= 120

    async def test_half_as_long_is_half_as_long(self):
        first, half = letters(await talk(WRITE, "make it half as long", before=TABLE))
        assert half.words <= first.words * 0.55

    async def test_longer_adds_until_there_is_nothing_more_to_say(self):
        outcomes = await talk(WRITE, "longer", "longer", "longer", "longer", before=TABLE)
        words = [letter.words for letter in letters(outcomes) if letter]
        assert words == sorted(set(words))
        assert words[1] >= words[0] * 1.15
        assert "nothing more to put in" in outcomes[-1][0].text
        assert "cover_letter" not in outcomes[-1][1].types()

    async def test_other_changes_leave_a_shortened_letter_short(self):
        _, short, formal, mentioned = letters(
            await talk(WRITE, "shorter", "more formal", "mention my German", before=TABLE)
        )
        assert formal.tone == "formal"
        assert abs(formal.words - short.words) <= 12
        assert mentioned is None or mentioned.words - short.words <= 30

    async def test_an_email_and_an_answer_can_be_made_shorter_as_well(self):
        for first in (
            "Now the e-mail to go with my application at Northwind",
            "The form asks “Why do you want this job?”",
        ):
            one, two = letters(await talk(first, "shorter", before=TABLE))
            assert two.kind == one.kind
            assert two.words < one.words

    async def test_a_model_is_held_to_the_shorter_length(self):
        first = await talk(WRITE, before=TABLE)
        model = ScriptedModel({"Write it.": ("I know SQL. " * 60,)}, instructable=True)
        _, recorder = await ask("shorter", after(WRITE, first[0], TABLE), model=model)
        assert recorder.one("cover_letter").words <= letters(first)[0].words * 0.67


class TestWhatChangesNothing:
    @pytest.mark.parametrize(
        ("said", "why"),
        [
            ("more formal", "formal already"),
            ("in German please", "English only for now"),
            ("hmm okay then", "do not see in your message what to change"),
            ("max 300 words", "within what you ask for"),
        ],
    )
    async def test_is_said_with_its_reason_and_shows_no_letter_again(self, said, why):
        outcomes = await talk(WRITE, "more formal", said, before=TABLE)
        answer, recorder = outcomes[-1]
        assert "cover_letter" not in recorder.types()
        assert why in answer.text

    async def test_another_place_goes_to_the_search_and_leaves_the_letter_alone(self):
        answer, recorder = (await talk(WRITE, "and in Boston?", before=TABLE))[1]
        assert answer.hand_over is not None
        assert (answer.hand_over.to, answer.hand_over.message) == ("job_search", None)
        assert recorder.types() == []
        answer, _ = (await talk("Write a letter for the data engineer role at Bosch", "what about Leeds?"))[1]
        assert answer.hand_over is None
        answer, _ = (await talk("Write a letter for the data engineer role at Bosch", "what about in Leeds?"))[1]
        assert answer.hand_over.message == "Find data engineer jobs in Leeds"

    @pytest.mark.parametrize(
        "said", ["and in my own words?", "in plain English", "in two paragraphs", "in German please"]
    )
    def test_what_is_no_place_starts_no_search(self, said):
        assert place_asked(said) is None


class TestSaidOnce:
    async def test_what_is_not_known_is_said_with_the_first_letter_and_not_again(self):
        first, second, third = await talk(
            WRITE, "more formal", "write a letter for the second one", before=TABLE, **UNKNOWN
        )
        assert "I know nothing of your work yet" in first[0].text
        assert first[0].text.count("- `[") >= 6
        for answer, _ in (second, third):
            assert "I know nothing of your work yet" not in answer.text
            assert "no CV on record" not in answer.text
        assert "- `[" not in second[0].text
        assert "from before are still open" in second[0].text
        assert "also asks for" not in second[0].text

    async def test_a_new_blank_is_named_alone(self):
        _, (answer, _) = await talk(WRITE, "mention my forklift licence", before=TABLE, **UNKNOWN)
        assert answer.text.count("- `[") == 1
        assert "forklift licence" in answer.text


class TestOwnWords:
    @pytest.mark.parametrize(
        ("said", "sentence"),
        [
            ("I also managed a budget of 2m euros, add that", "I also managed a budget of 2m euros."),
            ("add that I managed a budget of 2m euros", "I managed a budget of 2m euros."),
            ("oh, and I led a team of six at KPMG. Please add it", "I led a team of six at KPMG."),
            ("I've trained 14 apprentices, can you include that?", "I have trained 14 apprentices."),
        ],
    )
    async def test_what_users_tell_of_themselves_is_added_in_their_words(self, said, sentence):
        outcomes = await talk(WRITE, said, "shorter", "shorter", before=TABLE)
        added, *shorter = [letter for letter in letters(outcomes)[1:] if letter]
        assert (added.company, added.role) == ("Northwind", "Data Engineer")
        assert all(sentence in letter.body for letter in (added, *shorter))
        assert f"Added in your own words: “{sentence}”" in outcomes[1][0].text
        assert any(each.source == "message" and each.claim == sentence for each in added.evidence)
        assert "add that" not in added.body

    async def test_a_language_or_skill_told_of_is_mentioned(self):
        _, letter = letters(await talk(WRITE, "I also speak Italian, add that", before=TABLE))
        assert "I speak German (B2) and Italian." in letter.body
        _, letter = letters(await talk(WRITE, "I know Terraform, add that", before=TABLE))
        assert "Terraform" in letter.body

    async def test_what_the_profile_holds_is_mentioned_and_what_it_does_not_is_a_blank(self):
        profile = (*ADA, fact("language", "French (C1)"))
        _, french, sap = letters(
            await talk(WRITE, "mention my French", "mention my SAP experience at KPMG", before=TABLE, profile=profile)
        )
        assert "French (C1)" in french.body
        assert "[One sentence on your SAP experience at KPMG: what it is and where you used it.]" in sap.placeholders

    @pytest.mark.parametrize(
        "said",
        [
            "mention my SAP experience at KPMG",
            "add that I worked as an auditor at KPMG for years",
            "leave out my time at KPMG",
            "talk about my year with KPMG",
            "sign it with Maya",
        ],
    )
    async def test_a_name_in_a_change_is_not_the_addressee(self, said):
        for letter in letters(await talk(WRITE, said, "shorter", before=TABLE)):
            assert letter is None or (letter.company, letter.role) == ("Northwind", "Data Engineer")

    def test_the_addressee_of_a_request_still_is(self):
        assert read("mention my degree in the letter to Bosch").company == "Bosch"
        assert read("Use my time at Fabrikam to apply to Bosch").company == "Bosch"
        assert read("I work at Siemens and need a letter for the nurse job at Bosch").company == "Bosch"

    @pytest.mark.parametrize(
        ("said", "name"),
        [("sign it with Maya", "Maya"), ("sign it as maya lopez please", "Maya Lopez"), ("sign off with Maya", "Maya")],
    )
    async def test_a_letter_is_signed_as_asked_and_stays_so(self, said, name):
        outcomes = await talk(WRITE, said, "shorter", before=TABLE)
        assert all(letter.body.endswith(f"Kind regards,\n{name}") for letter in letters(outcomes)[1:])
        assert f"signed {name}" in outcomes[1][0].text
        assert read("sign it with kind regards").signature is None

    async def test_a_pasted_letter_takes_in_what_is_told_and_its_signature(self):
        pasted = (
            "Check my letter: Dear Ms Brown,\n\nI have run a bakery for a decade. I bake bread and cakes each morning. "
            "I would like to meet you and show you my work.\n\nKind regards,\nAda"
        )
        _, told, signed = letters(await talk(pasted, "I also trained 14 apprentices, add that", "sign it with Maya"))
        assert told.body.count("I also trained 14 apprentices.") == 1
        assert signed.body.count("I also trained 14 apprentices.") == 1
        assert signed.body.endswith("Maya")

    @pytest.mark.parametrize(
        "asked", ["I want it plain.", "I have a question on it, add that?", "I have no idea", "I need it by Monday, ok"]
    )
    def test_what_is_asked_of_us_is_no_statement(self, asked):
        assert own_sentences(asked) == ()


class TestAPastedAdvert:
    async def test_an_advert_of_an_earlier_message_is_it(self):
        before = [
            PastMessage(role="user", content=AD, intent="job_match"),
            PastMessage(role="assistant", content="A fair fit.", agent="job_match"),
        ]
        for said in ("write a letter for it", "write a cover letter for this job", "cover letter please"):
            outcomes = await talk(said, "shorter", before=before, using=tools(record=None))
            for letter in letters(outcomes):
                assert (letter.role, letter.company) == ("Senior Accountant", "Brightwater Ltd")
                assert "ACCA" not in letter.body
            assert letters(outcomes)[0].left_out == ("ACCA", "IFRS", "Excel")
            assert "the posting you pasted" in outcomes[0][0].text

    async def test_an_advert_in_the_request_itself_is_read_and_is_no_statement_of_the_user(self):
        said = (
            "write a letter for this: Senior Accountant, Brightwater Ltd, Manchester. ACCA qualified, 5 years, £48,000"
        )
        (letter,) = letters(await talk(said, using=tools(record=None)))
        assert (letter.role, letter.company) == ("Senior Accountant", "Brightwater Ltd")
        assert "ACCA" not in letter.body
        assert "5 years" not in letter.body

    async def test_a_list_shown_since_comes_first_unless_the_advert_is_named(self):
        before = [PastMessage(role="user", content=AD, intent="job_match"), *TABLE]
        (second,) = letters(
            await talk("write a letter for the second one", before=before, using=tools(None, None, None))
        )
        assert second.company == "Contoso Labs"
        (pasted,) = letters(await talk("write a letter for the ad I pasted", before=before, using=tools(record=None)))
        assert pasted.company == "Brightwater Ltd"

    @pytest.mark.parametrize("said", ["Please change it: more formal, mention SQL", "for this: shorter, plain, warmer"])
    def test_wishes_in_a_row_are_no_advert(self, said):
        assert read(said).posting is None


class TestTheVerdict:
    @pytest.mark.parametrize(
        "said", ["is it any good?", "what do you think?", "Would you send it?", "rate it", "be honest, is it ok?"]
    )
    async def test_it_is_honest_about_blanks_figures_and_gaps(self, said):
        good = (await talk(WRITE, said, before=TABLE))[1]
        assert "cover_letter" not in good[1].types()
        assert "cut report run time by 40%" in good[0].text
        assert "Apache Kafka" in good[0].text
        assert "Nearly" in good[0].text
        poor = (await talk(WRITE, said, before=TABLE, **UNKNOWN))[1]
        assert "Not yet: with 9 blanks" in poor[0].text
        assert "no result with a number" in poor[0].text

    @pytest.mark.parametrize(
        "said", ["is it good to mention my salary in the letter?" * 2, "make it better", "write it again"]
    )
    def test_other_messages_ask_for_none(self, said):
        assert not asks_for_verdict(said)


class TestTheEmailVersion:
    @pytest.mark.parametrize(
        "said", ["email version for the recruiter", "turn it into an email", "as an e-mail please"]
    )
    async def test_it_keeps_the_post(self, said):
        _, mail = letters(await talk(WRITE, said, before=TABLE))
        assert (mail.kind, mail.company, mail.role) == ("email", "Northwind", "Data Engineer")


class TestSkillsOfOneLetter:
    def test_they_need_the_words_of_a_skill_beside_them(self):
        assert says("Built models in Python and R", "R")
        assert not says("Responsible for weekly sales reports", "R")
        assert not says("Plan R of the merger", "R")
        assert says("Cut costs with SQL.", "SQL")
        assert not says("Managed NoSQLite stores", "SQL")

    def test_no_word_that_merely_holds_the_letter_is_their_evidence(self):
        resume = Resume(
            work=(WorkItem(title="Analyst", company="Contoso", highlights=("Responsible for weekly sales reports",)),),
            skills=("R", "SQL"),
        )
        held = background_of((), resume, "", VOCABULARY)
        body = "My skills include Python, R and SQL. I was responsible for weekly sales reports."
        facts = {each.claim: each.fact for each in evidence_in(body, held, Post())}
        assert facts.get("R") == "skill: R"
        assert "R" not in {each.claim for each in evidence_in("I was Responsible for Reports.", held, Post())}

    def test_a_stroke_parts_no_skill(self):
        profile = (fact("skill", "A"), fact("skill", "B testing"), fact("skill", "R"))
        skills = background_of(profile, None, "", VOCABULARY).skills
        assert set(skills) == {"A/B Testing", "R"}


class TestThePosting:
    async def test_a_day_of_years_ago_is_left_out_and_said_to_be_old(self):
        old = replace(POSTING, posted_at=date(2018, 12, 10))
        ((answer, recorder),) = await talk(WRITE, before=TABLE, using=tools(posting=old))
        assert "2018" not in recorder.one("cover_letter").body.replace("January 2018", "")
        assert "advertised" not in recorder.one("cover_letter").body
        assert "from 10 December 2018" in answer.text
        assert "most likely closed" in answer.text
        today = datetime.now(UTC).date()
        for days, named in ((59, True), (61, False)):
            posting = Posting("Clerk", "Acme", posted_at=today - timedelta(days=days))
            post, _ = post_of(posting, None, Background(), VOCABULARY, person="", today=today)
            assert (bool(post.posted), bool(post.old)) == (named, not named)
        assert today > ADVERTISED

    def test_at_most_five_gaps_are_named_the_most_telling_and_no_boilerplate(self):
        asks = (
            "Communication", "Compensation and Benefits", "Higher Education", "Human Resources",
            "Public Administration", "Apache Kafka", "Terraform", "Kubernetes", "Excel", "Scala", "Airflow",
        )  # fmt: skip
        _, missing = post_of(Posting("Data Engineer", asks=asks), None, Background(), VOCABULARY, person="")
        assert len(missing) == 5
        assert {"Apache Kafka", "Terraform"} <= set(missing)
        assert not {"Communication", "Human Resources", "Higher Education", "Compensation and Benefits"} & set(missing)
        posting = Posting("Recruitment Adviser", asks=("Recruitment", "Payroll"))
        held = Background(skills=("Recruitment",))
        post, missing = post_of(posting, None, held, VOCABULARY, person="")
        assert post.held == ("Recruitment",)
        assert missing == ("Payroll",)
