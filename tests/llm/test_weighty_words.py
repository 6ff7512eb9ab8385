"""Which questions pass for the same. The pairs are the measurement behind the threshold: see docs/models.md."""

import pytest

from signalbox.llm.answer_cache import ALIKE
from signalbox.llm.weighty_words import weighty_words

SAME = [
    ("What can you do?", "What are you able to do?"),
    ("How much does a data engineer earn in Berlin?", "What is the salary of a data engineer in Berlin?"),
    ("How much does a data engineer earn in Berlin?", "What do data engineers make in Berlin?"),
    ("What does a nurse earn in London?", "How much is a nurse paid in London?"),
    ("What is a fair salary for a junior accountant?", "What should a junior accountant be paid?"),
    ("How do I ask for a raise?", "How should I ask for a pay rise?"),
    ("How do I ask for a raise?", "What is the best way to ask for a raise?"),
    ("Give me interview questions for a product manager", "Which questions are asked in a product manager interview?"),
    ("Give me interview questions for a product manager", "Interview questions for a product manager, please"),
    ("How do I prepare for an interview?", "How can I get ready for an interview?"),
    ("Should I put a photo on my CV?", "Do I need a photo on my CV?"),
    ("How long should a CV be?", "What is the right length for a CV?"),
    ("How do I explain a gap in my CV?", "How should I explain an employment gap on my CV?"),
    ("What skills does a backend developer need?", "Which skills are needed for a backend developer?"),
    ("How do I become a data scientist?", "What does it take to become a data scientist?"),
    ("Can you write me a poem?", "Could you write a poem for me?"),
    ("Hello", "Hi there"),
    ("Hello!", "Hello"),
    ("What is a notice period?", "What does notice period mean?"),
    ("How do I negotiate an offer?", "How should I negotiate a job offer?"),
    ("Is it OK to follow up after an interview?", "May I follow up after an interview?"),
    ("what can you do", "What can you do?"),
    ("How do I resign politely?", "What is a polite way to resign?"),
    ("Which companies can you tell me about?", "Which companies do you know about?"),
    ("How do I answer what is your greatest weakness?", "What should I say when asked about my greatest weakness?"),
    ("how do i ask for a raise", "How do I ask for a raise?"),
    ("How do I ask for a raise", "How should I ask for a raise, please?"),
    ("What does a nurse earn in London?", "What's the salary of a nurse in London?"),
    ("What does a nurse earn in London?", "nurse salary in London"),
    ("What is the pay of a welder in Leeds?", "What does a welder earn in Leeds?"),
    ("Tell me how to prepare for an interview", "How do I prepare for an interview?"),
    ("How do I write a resume?", "How do I write a CV?"),
    ("Can you tell me how to write a cover letter?", "How do I write a cover letter?"),
    ("Do I need a cover letter?", "Should I have a cover letter?"),
    ("How do I get a job in nursing?", "How do I get a nursing job?"),
    ("How can I explain being fired?", "How do I explain being fired?"),
    ("What are common mistakes in CVs?", "What are the most common mistakes in a CV?"),
]
OTHER = [
    ("How much does a data engineer earn in Berlin?", "How much does a data engineer earn in Munich?"),
    ("How much does a data engineer earn in Berlin?", "How much does a data scientist earn in Berlin?"),
    ("How much does a data engineer earn in Berlin?", "How much does a senior data engineer earn in Berlin?"),
    ("What does a nurse earn in London?", "What does a nurse earn in Leeds?"),
    ("What does a nurse earn in London?", "What does a doctor earn in London?"),
    ("How much is 60k after tax in Germany?", "How much is 80k after tax in Germany?"),
    ("What is a fair salary for a junior accountant?", "What is a fair salary for a senior accountant?"),
    ("How do I ask for a raise?", "How do I ask for a reference?"),
    ("How do I accept an offer?", "How do I decline an offer?"),
    ("Give me interview questions for a product manager", "Give me interview questions for a project manager"),
    ("Give me 5 interview questions for a nurse", "Give me 10 interview questions for a nurse"),
    ("Should I put a photo on my CV?", "Should I put my age on my CV?"),
    ("Should I mention that I was fired?", "Should I not mention that I was fired?"),
    ("How long should a CV be?", "How long should a cover letter be?"),
    ("How long should a CV be in the US?", "How long should a CV be in Germany?"),
    ("What skills does a backend developer need?", "What skills does a frontend developer need?"),
    ("How do I become a data scientist?", "How do I become a data engineer?"),
    ("How do I become a data scientist with a degree?", "How do I become a data scientist without a degree?"),
    ("Is it OK to follow up after an interview?", "Is it OK to follow up before an interview?"),
    ("Can I work remotely?", "Can I not work remotely?"),
    ("I want to work nights", "I never want to work nights"),
    ("I have experience with Java", "I have no experience with Java"),
    ("How do I resign politely?", "How do I apply politely?"),
    ("What do I do if I got the job?", "What do I do if I did not get the job?"),
    ("What questions should I ask the interviewer?", "What questions will the interviewer ask me?"),
    ("What questions should I ask a recruiter?", "What questions should I ask my boss?"),
    ("How do I follow up after a week?", "How do I follow up after a month?"),
    ("How do I explain a gap in my CV?", "How do I explain a short job in my CV?"),
    ("Is a career change at 50 possible?", "Is a career change at 30 possible?"),
    ("Tell me about working at Google", "Tell me about working at Amazon"),
    ("How do I write to a recruiter?", "How does a recruiter write to me?"),
    ("Must I tell my boss that I am leaving?", "Must my boss tell me that I am leaving?"),
    ("Write it in English", "Write it in German"),
    ("What does a full-time job pay?", "What does a part-time job pay?"),
    ("How do I hire a nurse?", "How do I get hired as a nurse?"),
    ("Can I resign by email?", "Should I resign by email?"),
    ("Can I resign by email?", "Why should I resign by email?"),
    ("Do I need a degree?", "Do I have a degree?"),
    ("Can you help me?", "Can I help you?"),
    ("Should I call them?", "Should they call me?"),
    ("What does a nurse earn?", "What should a nurse earn?"),
    ("How do I leave my job?", "How do I love my job?"),
    ("When do I ask for a raise?", "How do I ask for a raise?"),
    ("Can I ask for a raise?", "How do I ask for a raise?"),
    ("Is a CV of two pages good?", "Is a CV of two pages required?"),
    ("What can I do as a teacher?", "What do you do as a teacher?"),
    ("What do you know about me?", "What should I know about you?"),
    ("What can you do?", "What can I do?"),
    ("Give me a job as a nurse", "Give me a nurse for the job"),
    ("How to get a work visa?", "How to give a work visa?"),
    ("What do I need to tell my boss?", "What do I want my boss to tell me?"),
    ("I want a job in Leeds", "I had a job in Leeds"),
    ("I want to be a nurse", "I was a nurse"),
    ("I like sales", "I will do sales"),
]


def passes(embedder, one: str, other: str) -> bool:
    first, second = embedder.embed_sync([one, other])
    return float(first @ second) >= ALIKE and weighty_words(one) == weighty_words(other)


def test_some_of_what_means_the_same_passes_and_nothing_else_does(embedder):
    assert [pair for pair in OTHER if passes(embedder, *pair)] == []
    assert sum(passes(embedder, *pair) for pair in SAME) >= 7


def test_the_embedding_alone_would_take_other_questions_for_the_same(embedder):
    vectors = [embedder.embed_sync(pair) for pair in OTHER]
    assert sum(float(first @ second) >= ALIKE for first, second in vectors) >= 4


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How do I write a résumé?", "How do I write my CV"),
        ("Please tell me how to resign", "how to resign"),
        ("Can you show me which skills a nurse needs?", "skills nurse"),
        ("What does a welder earn?", "what is a welder's salary"),
    ],
)
def test_politeness_spelling_and_synonyms_carry_nothing(one, other):
    assert weighty_words(one) == weighty_words(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Can I work from home?", "Can't I work from home?"),
        ("a degree", "no degree"),
        ("C developer", "C++ developer"),
        ("before the interview", "after the interview"),
        ("5 years", "10 years"),
        ("nurse or doctor", "doctor or nurse"),
        ("Wie lang ist ein Lebenslauf?", "Wie alt ist ein Lebenslauf?"),
    ],
)
def test_negations_numbers_names_and_order_do(one, other):
    assert weighty_words(one) != weighty_words(other)
