"""Answers to what people ask about CVs in general. Pure; what it says holds for most employers, not for all.

Where a rule of thumb is disputed or differs by country, the answer says so.
"""

import re
from typing import Final, NamedTuple

OTHER: Final = "other"


class Topic(NamedTuple):
    """``asks``: a pattern of the words a question on it uses."""

    name: str
    asks: str
    answer: str


# The narrow ones first: many questions also speak of length, order or layout.
_TOPICS: Final = (
    Topic(
        "names",
        r"\b(?:difference|cv (?:or|and|vs) (?:a )?r[ée]sum[ée]|called)\b",
        "In Britain, Ireland and most of Europe a **CV** is the one or two pages for any job. In the US and "
        "Canada that is a **résumé**, while a CV is the long academic list of publications and teaching.",
    ),
    Topic(
        "photo",
        r"\b(?:photo|picture|foto)\b",
        "**Leave it out** for the UK, Ireland, the US, Canada and Australia: it invites bias, and some "
        "employers discard such CVs. In Germany, Austria, Switzerland, Spain, Italy and France a photo is still"
        " common, but may not be required. If you apply abroad, follow the country of the employer, not your "
        "own.",
    ),
    Topic(
        "private",
        r"\b(?:birth|age|nationality|civil status|marital|married|religion|address|personal data|private)\b",
        "**Name, town, e-mail and phone are enough.** Birth date, marital status, nationality and a full street"
        " address are not needed, and employers in the UK, Ireland, the US and Canada would rather not see "
        "them. Say that you may work in the country if your name or address could raise the question.",
    ),
    Topic(
        "promotion",
        r"\b(?:promot\w*|same company|several roles)\b",
        "**The company once, with the whole stretch, and the posts under it**, newest first, each with its own "
        "dates. That shows the promotion at a glance; the newest post gets the most bullets.",
    ),
    Topic(
        "short_jobs",
        r"\b(?:temp|contracts?|job-hopping|zero-hours|agency|short jobs|group them|freelanc\w*|"
        r"self-employed|startup|own business)\b",
        "**Group them under one heading with one stretch of time**, for example “Contract work, 2021–2023”, and"
        " list the clients or posts as bullets with what you achieved. Your own business is a job like any "
        "other: title, name, dates, what you did and for how many; that it ended needs no excuse.",
    ),
    Topic(
        "certificates",
        r"\b(?:certif\w*|licen[cs]es?|courses?|training|certifications)\b",
        "**Where the job requires it, near the top**; otherwise a section of its own after education, each with"
        " issuer and year. Strike what has expired or what nobody asks for.",
    ),
    Topic(
        "references",
        r"\b(?:references?|referees?)\b",
        "**Leave them out**, and “available on request” too: it goes without saying. Have two people ready who "
        "know that they may be called.",
    ),
    Topic(
        "hobbies",
        r"\b(?:hobb\w*|interests?)\b",
        "**Only if one says something for this job**, or is unusual enough to talk about: a team you captain, a"
        " project you built. “Reading, travel, cinema” can go.",
    ),
    Topic(
        "start",
        r"\b(?:never written|no (?:work )?experien\w*|start|first cv|from scratch|what does a good|rite a|"
        r"what makes|good cv|belongs)\b",
        "**A good CV answers three questions in half a minute: what are you, what can you prove, what do you "
        "want?**\n"
        "1. Name, town, e-mail, phone.\n"
        "2. Two or three lines of summary.\n"
        "3. Experience, newest first: title, employer, dates, two to five bullets with results. Without jobs "
        "use projects, volunteering, school teams and help at home or in a family business, written in the same"
        " way.\n"
        "4. Education, then skills and languages.",
    ),
    Topic(
        "ats",
        r"\b(?:ats|applicant tracking|filter|software|system|machine|robot|scanner|upload it)\b",
        "Tracking software turns your file into text, cuts it into sections and lets recruiters search it. So: "
        "**one column, plain headings** (“Experience”, “Education”, “Skills”), text instead of graphics, no "
        "tables or text boxes for what matters, and the posting's own words for what you really can do. It "
        "seldom rejects anybody by itself; a recruiter who searches for a word that you do not use will not "
        "find you.",
    ),
    Topic(
        "keywords",
        r"\b(?:keywords?|advert|ad|posting|tailor\w*)\b",
        "**Use the posting's own words for what you really can do**, in the summary, in the skills and above "
        "all in the bullets that prove it. Never list what you cannot talk about for five minutes. Point me at "
        "a posting I showed you, or name a role, and I compare your CV with it.",
    ),
    Topic(
        "gap",
        r"\b(?:gaps?|break|stay-at-home|career break|returning|unemployed|years? (?:off|out)|family reasons|"
        r"parental|maternity|kids|dad|mum)\b",
        "**Name it in one line, with dates, and go on.** For example “2020–2022: full-time care for my family” "
        "or “exam preparation”. Under it add what you kept up: a course, volunteering, small jobs. Years "
        "instead of months hide a short gap, but a gap that is named worries a reader less than one that is "
        "found.",
    ),
    Topic(
        "education",
        r"\b(?:educat\w*|degree|university|school|a-levels?|grades?)\b",
        "**Below the experience, unless you graduated in the last two or three years.** Degree, subject, "
        "institution, year; grades only if they are good and recent. With a degree, school can go.",
    ),
    Topic(
        "order",
        r"\b(?:skills[- ](?:first|based)|functional|chronological|come first|order|top or bottom|above|"
        r"before the)\b",
        "**Newest job first** is what nearly every reader expects. Put a short list of skills above it if you "
        "change fields or return after a long time, but keep the dated jobs: a CV of skills without dates makes"
        " readers look for what it hides. Order: summary, experience, education, certificates, the rest; in the"
        " first years after a degree, education before experience.",
    ),
    Topic(
        "bullets",
        r"\b(?:bullets?|results?|achievements?|verbs?)\b",
        "**Verb, what, how much, and what came of it:** “Cut waiting times from 40 to 25 minutes by moving "
        "bookings online” instead of “Responsible for bookings”. Open with what you did, use a figure you could"
        " defend (how many, how often, how fast), one achievement a line, at most two lines.",
    ),
    Topic(
        "length",
        r"\b(?:pages?|long|length|words)\b",
        "**One page** if you have less than about ten years behind you, **two** if you have more. Two full "
        "pages are fine for most jobs; a third is read only in science, medicine and public service. What "
        "decides is the first half page: it must hold your title, your strongest proof and your newest job. US "
        "employers expect one page sooner than British or German ones do.",
    ),
    Topic(
        "layout",
        r"\b(?:font|bold|plain|layout|design|left or right|europass|format|columns?|template|colou?r)\b",
        "**Plain wins:** one column, one font at 10 to 12 points, bold for job titles only, dates aligned on "
        "one side throughout, PDF unless Word is asked for. The Europass form is accepted by public bodies in "
        "the EU; companies mostly prefer a CV of your own making. A US federal résumé follows its own rules: "
        "hours a week, supervisor, and far more detail.",
    ),
    Topic(
        "reader",
        r"\b(?:hiring manager|recruiter|interviewer|six seconds|think)\b",
        "A first look takes seconds and goes to your title, the newest employer and its dates, then to the next"
        " ones. So the upper half of page one must carry these, and the first bullet of each job your best "
        "result. Gaps and short stays raise a question; one line that answers it is enough.",
    ),
)
_PATTERNS: Final = tuple((re.compile(topic.asks, re.IGNORECASE), topic) for topic in _TOPICS)


def advice_on(question: str) -> tuple[str, str]:
    """The topic of ``question`` and what to say to it; ``OTHER`` and no text for what nothing here answers."""
    for pattern, topic in _PATTERNS:
        if pattern.search(question):
            return topic.name, topic.answer
    return OTHER, ""
