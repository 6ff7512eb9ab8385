import time

import pytest
from statement_table import NOTE, TABLE

from signalbox.blocks import ProfileFact
from signalbox.memory.statements import lasting_rules, own_words, read
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.tools.vocabulary import packaged_vocabulary

PROFILE = tuple(
    ProfileFact(fact_id=f"f{number}", kind="fact", key=key, value=value)
    for number, (key, value) in enumerate(
        [
            ("skill", "PHP"),
            ("skill", "Python"),
            ("location", "Manchester"),
            ("salary_min", "40000"),
            ("currency", "GBP"),
            ("note", "I worked in insurance"),
        ]
    )
)


@pytest.fixture
def vocabulary() -> SkillVocabulary:
    return packaged_vocabulary()


def said(message: str, vocabulary: SkillVocabulary) -> set[tuple[str, str, str]]:
    return {(fact.kind, fact.key, fact.value) for fact in read(message, PROFILE, vocabulary).add}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("based in Adelaide", {("fact", "location", "Adelaide")}),
        ("my locaton is now brimingham not london", {("fact", "location", "Brimingham")}),
        (
            "Set my preferred locations to Lyon, Grenoble and Geneva.",
            {("preference", "location", "Lyon, Grenoble, Geneva")},
        ),
        ("Change my target title to operations manager.", {("preference", "title", "operations manager")}),
        ("fully remote only", {("constraint", "remote", "only")}),
        ("remote preferred", {("preference", "remote", "preferred")}),
        ("no travel", {("constraint", "exclude_term", "travel")}),
        ("no on-call", {("constraint", "exclude_term", "on-call")}),
        ("never show me jobs at defence companies", {("constraint", "exclude_term", "defence")}),
        ("never show me jobs at Northwind", {("constraint", "exclude_company", "Northwind")}),
        ("never show me jobs at IBM", {("constraint", "exclude_company", "IBM")}),
        ("Please exclude Acme Widgets", {("constraint", "exclude_company", "Acme Widgets")}),
        (
            "I don't want to work in gambling or tobacco.",
            {("constraint", "exclude_term", "gambling"), ("constraint", "exclude_term", "tobacco")},
        ),
        ("My minimum is £40k.", {("constraint", "salary_min", "40000"), ("fact", "currency", "GBP")}),
        ("I'd like to earn 55k", {("preference", "salary_min", "55000")}),
        ("French C1", {("fact", "language", "French (C1)")}),
        (
            "I speak Arabic, French and a bit of Turkish.",
            {("fact", "language", "Arabic"), ("fact", "language", "French"), ("fact", "language", "Turkish (basic)")},
        ),
        ("plus Italian, I forgot", {("fact", "language", "Italian")}),
        ("I've got SC clearance.", {("fact", "certificate", "SC clearance")}),
        ("Put down that I have my PMP now, and redo my CV with it.", {("fact", "certificate", "PMP")}),
        ("put down that im a dab hand at photoshop", {("fact", "skill", "Adobe Photoshop")}),
        ("10+ yrs in procurement", {("fact", "years", "10")}),
        ("My name is Ada Lovelace", {("fact", "name", "Ada Lovelace")}),
        (
            "I'm a senior data analyst with 4 years of experience in SQL and Python",
            {
                ("fact", "title", "senior data analyst"),
                ("fact", "seniority", "senior"),
                ("fact", "years", "4"),
                ("fact", "skill", "SQL"),
                ("fact", "skill", "Python"),
            },
        ),
    ],
)
def test_a_rule_reads_the_fact_and_how_firmly_it_is_meant(message, expected, vocabulary):
    assert said(message, vocabulary) == expected


@pytest.mark.parametrize(
    "message",
    [
        "I need visa sponsorship for the US.",
        "My notice period is three months.",
        "Companies that make people come in five days a week are out for me.",
        "For the record: two years at a Lagos law firm, then three as in-house counsel at a brewery.",
    ],
)
def test_what_no_rule_understands_is_kept_word_for_word_as_a_note(message, vocabulary):
    assert said(message, vocabulary) == {("fact", "note", message)}


def test_a_fact_whose_sentence_says_more_is_kept_with_its_sentence(vocabulary):
    message = "I'm a mechanical fitter by trade and spent twelve winters offshore in Norway."
    assert said(message, vocabulary) == {("fact", "title", "mechanical fitter"), ("fact", "note", message)}


@pytest.mark.parametrize(
    "message",
    [
        "Do I need Python for this?",
        "What is there for translators in Lyon?",
        "Thanks!",
        "hello",
        "save that",
        "How do I learn SQL?",
    ],
)
def test_questions_and_small_talk_are_no_facts(message, vocabulary):
    statements = read(message, PROFILE, vocabulary)
    assert (statements.add, statements.remove) == ((), ())


def test_a_question_behind_a_statement_leaves_the_statement(vocabulary):
    message = "Note that I've moved to Brno, and what should I look at there?"
    assert said(message, vocabulary) == {("fact", "location", "Brno")}


@pytest.mark.parametrize(
    "message", ["I want to learn Rust", "I don't know Python", "I never want to use Excel again", "I'm learning Go"]
)
def test_a_skill_that_is_wanted_or_lacked_is_not_one_that_is_had(message, vocabulary):
    assert not [fact for fact in read(message, (), vocabulary).add if fact.key == "skill"]


@pytest.mark.parametrize(
    ("message", "gone"),
    [
        ("Take PHP off my skills, I never want to touch it again.", {"PHP"}),
        ("You can delete Python from my profile.", {"Python"}),
        ("forget my location", {"Manchester"}),
        ("not Manchester any more", {"Manchester"}),
        ("Remove my salary please", {"40000", "GBP"}),
        ("What you have on me is wrong, I've never worked in insurance.", {"I worked in insurance"}),
    ],
)
def test_only_what_is_named_is_forgotten(message, gone, vocabulary):
    statements = read(message, PROFILE, vocabulary)
    assert {fact.value for fact in statements.remove} == gone
    assert not statements.forget_all


@pytest.mark.parametrize("message", ["forget everything", "Delete my profile", "Can you forget all you know about me?"])
def test_forgetting_everything_names_every_fact(message, vocabulary):
    statements = read(message, PROFILE, vocabulary)
    assert statements.forget_all
    assert len(statements.remove) == len(PROFILE)


def test_what_was_never_stored_is_said_to_be_unknown(vocabulary):
    statements = read("You can delete Java from my profile.", PROFILE, vocabulary)
    assert (statements.remove, statements.unknown) == ((), ("Java",))


def test_do_not_forget_forgets_nothing(vocabulary):
    assert read("Don't forget that I live in Ghent", PROFILE, vocabulary).remove == ()


def test_words_in_passing_yield_facts_without_notes(vocabulary):
    facts = own_words("I'm a nurse and I need a message to a ward manager. My cat is called Tom.", vocabulary)
    assert {fact.key for fact in facts} <= {"title", "name"}


HELD = tuple(
    ProfileFact(
        fact_id=f"h{number}",
        kind="constraint" if key in {"remote", "exclude_company"} else "fact",
        key=key,
        value=value,
    )
    for number, (key, value) in enumerate(
        [
            ("remote", "only"),
            ("location", "Leeds"),
            ("skill", "Java"),
            ("skill", "Python"),
            ("exclude_company", "Umbrella"),
        ]
    )
)


@pytest.mark.parametrize(("message", "expected"), TABLE, ids=[message for message, _ in TABLE])
def test_a_statement_gives_exactly_its_facts_and_takes_exactly_its_own(message, expected, vocabulary):
    statements = read(message, HELD, vocabulary)
    got = {f"{fact.kind} {fact.key}={fact.value}" for fact in statements.add}
    got |= {f"-{fact.key}={fact.value}" for fact in statements.remove}
    assert got == {f"fact note={message}" if fact == NOTE else fact for fact in expected}


def test_what_a_long_message_says_beyond_the_part_that_is_read_is_counted(vocabulary):
    text = "I live in Ghent. " + "It was a good year there. " * 400 + "I know Python."
    statements = read(text, (), vocabulary)
    assert ("location", "Ghent") in {(fact.key, fact.value) for fact in statements.add}
    assert not [fact for fact in statements.add if fact.key == "skill"]
    assert len(text) - 8_000 <= statements.unread < len(text) - 7_900
    assert read("I live in Ghent", (), vocabulary).unread == 0


def test_facts_beyond_the_most_one_message_may_add_are_counted(vocabulary):
    statements = read("".join(f"Ask {'x' * n} about my own van. " for n in range(1, 46)), (), vocabulary)
    assert (len(statements.add), statements.left_out) == (40, 5)


@pytest.mark.parametrize(
    "text",
    [
        "only " * 1600, "remote " * 1140, "no " * 2600, "not less than " * 570, "I don't want " * 610, "a, " * 2600,
        "never show me " * 570, "1 years " * 1000, "nurse in " * 880, "hybrid, " * 1000, "x" * 8000, "I'm a " * 1300,
        "anymore not " * 660, "call me " * 1000, "don't know " * 720, "£1k+ " * 1600, "two days in the " * 500,
        "do not need to be " * 440,
        "I speak " + "German, " * 1000, "I know " + "Python, " * 1000, "worked for " * 700,
        "12 years 3k, " * 600, "a" * 4000 + " £5k " * 800, "exclude Acme, " * 570, "have PMP certificate, " * 360,
        "remote work, " * 600 + "only", "I want " * 1100 + "5k", "in Leeds, " * 800,
        "I am a nurse " + "in the in " * 700,
        "from now on " * 660, "remember i " * 720, "never show me a, from now on " * 270, "i'd consider " * 610,
        "I hate nights, " * 530, "mornings, " * 800, "only " + "part time " * 800, "5 years raising " * 500,
        "forget my cv and " * 470, "how do i " * 880, "undo the last " * 570, "I was a nurse before " * 380,
        "no a b c d e f " * 530, "forget everything you know " * 290, "feeling and " * 660,
        "out of work for 5 years, " * 320,
        "have the the " * 610, " \t" * 4000, "no a, b or " * 720, "remote is not " * 570,
    ],
)  # fmt: skip
def test_hostile_text_is_read_in_a_moment(text, vocabulary):
    read("I know Python in Leeds", HELD, vocabulary)
    assert min(seconds_to_read(text, vocabulary) for _ in range(3)) < 0.5, "a hang in the making, not a measurement"


def seconds_to_read(text: str, vocabulary: SkillVocabulary) -> float:
    begun = time.thread_time()
    read(text, HELD, vocabulary)
    return time.thread_time() - begun


@pytest.mark.parametrize(
    "text", ["and " * 2000, "I am a " * 1100, " " * 8000, "£1,000 " * 1100, "forget " * 1100, "\x00\ud800"]
)
def test_any_text_is_read_without_raising(text, vocabulary):
    read(text, PROFILE, vocabulary)


@pytest.mark.parametrize(
    "message",
    [
        "wat about berlin", "what about Berlin", "how about Berlin then", "is it any good?", "is it any good",
        "any jobs in delhi",
        "and Paris?", "Feeling a bit lost", "I feel like giving up", "I'm worried I'm too old",
        "honestly I'm terrified of it",
        "job hunting is exhausting", "I don't know what I want to do", "I hate my boss", "that's not what I asked",
        "you didn't answer my question", "thanks, that helps", "what if I move to Dublin", "should I learn Rust",
        "find me remote jobs in Leeds", "find data jobs in leeds", "don't delete everything", "kya hal hai",
        "that looks nice",
        "im so confused abt my career", "would Dublin be better for me", "drop me a line",
        "no thats wrong", "I need a job asap", "I need help with my CV", "I'm looking for work",
        "looking for nursing jobs",
        "hope you can help me", "I like the second one", "I'm in London this week", "I wish I had a better job",
        "why is Python in my profile?", "is my location still Leeds?", "am I a nurse in your records?",
    ],
)  # fmt: skip
def test_no_question_errand_or_mood_becomes_a_fact(message, vocabulary):
    assert said(message, vocabulary) == set()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("I hate night shifts", {"constraint exclude_term=night shifts"}),
        ("I can't stand cold calling", {"constraint exclude_term=cold calling"}),
        ("really hate weekends and nights", {"constraint exclude_term=weekends", "constraint exclude_term=nights"}),
        ("I dislike travelling for work", {"constraint exclude_term=travel"}),
        ("I do know machine learning", {"fact skill=Machine Learning"}),
        ("I know first aid and triage", {"fact skill=First Aid", "fact skill=Triage"}),
        ("I moved to London", {"fact location=London"}),
        ("moved to London", {"fact location=London"}),
        ("remember I live in Brooklyn and I know Python", {"fact location=Brooklyn", "fact skill=Python"}),
        ("can you remember that I live in Leeds?", {"fact location=Leeds"}),
        ("can you add Docker to my skills?", {"fact skill=Docker"}),
        (
            "remember I can only work part time, mornings",
            {"constraint work_time=part time", "constraint work_time=mornings"},
        ),
        ("only part-time evenings", {"constraint work_time=part-time", "constraint work_time=evenings"}),
        ("I prefer mornings", {"preference work_time=mornings"}),
        ("no more night shifts", {"constraint exclude_term=night shifts"}),
        ("I'm based out of Hyderabad", {"fact location=Hyderabad"}),
        (
            "3.5 years of experience as a java developer",
            {"fact years=3", "fact title=java developer", "fact skill=Java"},
        ),
        ("I know SQL, feeling nervous", {"fact skill=SQL"}),
        ("Feeling lost. I'm a nurse with 5 years experience", {"fact title=nurse", "fact years=5"}),
        ("Remember: no weekend work", {"constraint exclude_term=weekend"}),
        ("US citizen, no sponsorship needed", {"fact note=US citizen, no sponsorship needed"}),
        (
            "I know first aid and IV cannulation",
            {"fact skill=First Aid", "fact note=I know first aid and IV cannulation"},
        ),
    ],
)
def test_nothing_said_is_lost_and_nothing_else_is_read_into_it(message, expected, vocabulary):
    got = {f"{fact.kind} {fact.key}={fact.value}" for fact in read(message, (), vocabulary).add}
    assert got == expected


def test_years_without_work_are_no_experience_and_the_title_before_them_is_learned(vocabulary):
    message = "I've been out of work for 5 years raising my kids, before that I was an accountant. Feeling a bit lost"
    assert {(fact.key, fact.value) for fact in read(message, (), vocabulary).add} == {
        ("title", "accountant"),
        ("note", message.partition(". ")[0] + "."),
    }


@pytest.mark.parametrize(
    "message",
    [
        "been unemployed for 2 years", "I've been a stay at home mum for 6 years", "I took a 3 year career break",
        "I spent 4 years caring for my dad", "five years at home with the kids", "I haven't worked for 3 years",
    ],
)  # fmt: skip
def test_a_gap_gives_no_years(message, vocabulary):
    assert "years" not in {fact.key for fact in read(message, (), vocabulary).add}


def test_a_title_of_the_past_does_not_replace_one_of_today(vocabulary):
    held = (ProfileFact(fact_id="t", kind="fact", key="title", value="nurse"),)
    assert "title" not in {fact.key for fact in read("I used to be an electrician", held, vocabulary).add}
    assert ("title", "electrician") in {
        (fact.key, fact.value) for fact in read("I used to be an electrician", (), vocabulary).add
    }


@pytest.mark.parametrize(
    ("message", "value"),
    [
        ("I'd consider London or Leeds too", "Manchester, London, Leeds"),
        ("I'm open to Bristol", "Manchester, Bristol"),
        ("I'd be happy to work in Bath or Bristol as well", "Manchester, Bath, Bristol"),
        ("Bristol would also be fine", "Manchester, Bristol"),
        ("I moved to York and I'd consider Hull as well", "York, Hull"),
        ("wouldn't mind Leeds either", "Manchester, Leeds"),
    ],
)
def test_a_place_that_would_do_too_is_added_to_the_one_there_is(message, value, vocabulary):
    added = [fact for fact in read(message, PROFILE, vocabulary).add if fact.key == "location"]
    assert [(fact.kind, fact.value) for fact in added] == [("preference", value)]


@pytest.mark.parametrize("message", ["I'm not open to London", "I'd consider management too", "I'm open to feedback"])
def test_what_is_no_further_place_adds_none(message, vocabulary):
    assert "location" not in {fact.key for fact in read(message, PROFILE, vocabulary).add}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("find me data analyst jobs, never show me agencies", {"constraint exclude_term=agencies"}),
        ("search nurse jobs in Leeds, no agencies either", {"constraint exclude_term=agencies"}),
        ("from now on only remote, find me python jobs", {"constraint remote=only"}),
        ("find me QA jobs but don't ever show me Amazon", {"constraint exclude_company=Amazon"}),
        ("find data jobs in leeds and no night shifts ever again", {"constraint exclude_term=night shifts"}),
        (
            "show me warehouse jobs, no agencies either, and remember I don't drive",
            {"constraint exclude_term=agencies", "fact note=I don't drive"},
        ),
        ("Find me nurse jobs. Remember that I live in Brooklyn.", {"fact location=Brooklyn"}),
        (
            "never show me Acme Corp or gambling, and find me QA jobs",
            {"constraint exclude_company=Acme Corp", "constraint exclude_term=gambling"},
        ),
        ("find me remote data jobs in Leeds, no agencies", set()),
        ("data analyst jobs in London, at least 40k", set()),
        ("do you remember what I never want to see?", set()),
        ("why do you never show me jobs in Leeds?", set()),
    ],
)
def test_a_request_holds_only_what_is_said_to_last(message, expected, vocabulary):
    got = {f"{fact.kind} {fact.key}={fact.value}" for fact in lasting_rules(message, vocabulary)}
    assert got == expected


@pytest.mark.parametrize("message", ["forget York", "not York any more"])
def test_one_of_several_places_is_forgotten_and_the_others_stay(message, vocabulary):
    held = (ProfileFact(fact_id="l", kind="preference", key="location", value="Leeds, York, Hull"),)
    statements = read(message, held, vocabulary)
    assert [fact.value for fact in statements.remove] == ["Leeds, York, Hull"]
    assert [(fact.kind, fact.value) for fact in statements.add] == [("preference", "Leeds, Hull")]
    assert read("forget my location", held, vocabulary).add == ()


@pytest.mark.parametrize(
    ("message", "pinned"),
    [
        ("Remember that I can't work on Fridays", {"fridays": True}),
        ("Please remember: remote only", {"only": True}),
        ("Can you remember that my name is Ada?", {"Ada": True}),
        ("Don't forget that I can't do nights", {"nights": True}),
        ("Find nurse jobs, and remember that I never work for agencies", {"agencies": True}),
        ("I use Python. Remember that I use Python.", {"Python": True}),
        ("I am a nurse in Leeds", {"nurse": False, "Leeds": False}),
        ("Never show me agencies", {"agencies": False}),
    ],
)
def test_what_is_to_be_remembered_in_so_many_words_is_pinned(message, pinned):
    assert {fact.value: fact.pinned for fact in read(message, (), packaged_vocabulary()).add} == pinned
