"""A CV's summary anew, from the CV's own words alone. Pure."""

import re
from typing import Final

from signalbox.agents.resumes.bullets import bullets_of, buzzwords_in, has_number, has_result, respelled
from signalbox.agents.skills.target import names_role
from signalbox.agents.words.phrases import listed
from signalbox.memory.resume.facts import held_title
from signalbox.memory.resume.model import Resume
from signalbox.retrieval.skills import SkillVocabulary

MOST_WORDS: Final = 50
GOAL: Final = "[what you are looking for next]"
PROOF: Final = "[your strongest result, with a number]"
_TOLD_SKILLS: Final = 4
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_SELF: Final = re.compile(r"^(?:i am|i'm|i’m|my name is \w+(?: \w+)? and i am)\s+(?:an?\s+)?", re.IGNORECASE)
_WISH: Final = re.compile(r"\b(?:looking for|seeking|aim(?:ing)?|want(?:s|ing)? to|goal|hope)\b", re.IGNORECASE)


def shorter_summary(summary: str) -> str:
    """The sentences of ``summary`` that say most, in their order, in at most about ``MOST_WORDS`` words."""
    sentences = [text for each in _SENTENCE.split(" ".join(summary.split())) if (text := _bare(each))]
    kept: list[str] = []
    for sentence in sorted(sentences, key=_worth, reverse=True):
        if not kept or sum(len(text.split()) for text in [*kept, sentence]) <= MOST_WORDS:
            kept.append(sentence)
    return " ".join(text for text in sentences if text in kept)


def new_summary(resume: Resume, years: int | None, vocabulary: SkillVocabulary) -> str:
    """Title, years, proven skills and the best result of the CV; a [placeholder] for what it does not say."""
    title = held_title(resume) or "[your title]"
    skills = list(dict.fromkeys([*vocabulary.extract(resume.evidence), *resume.skills]))
    spoken = {each.language.casefold() for each in resume.languages}
    named = [
        skill
        for skill in skills
        if skill.casefold() not in title.casefold()
        and not names_role(skill, title)
        # A language is spoken; nobody has years of experience in it.
        and skill.casefold() not in spoken
        and vocabulary.field(vocabulary.canonical(skill) or skill) != "languages"
    ][:_TOLD_SKILLS]
    first = title[:1].upper() + title[1:]
    if years:
        first += f" with {years} {'year' if years == 1 else 'years'} of experience"
    if named:
        first += f" in {listed(named)}" if years else f", skilled in {listed(named)}"
    best = [each.text for each in bullets_of(resume) if has_number(each.text) and has_result(each.text)]
    proof = min(best, key=len).rstrip(" .") if best else PROOF
    return f"{first}. {proof}. Looking for {GOAL}."


def _bare(sentence: str) -> str:
    """Without "I am a" and stock phrases, as far as a sentence is left."""
    text = respelled(_SELF.sub("", sentence.strip()))
    for phrase in buzzwords_in(text):
        text = re.sub(rf"(?:,\s*|\band\s+)?\b{re.escape(phrase)}\b(?:\s+and\b)?", " ", text, flags=re.IGNORECASE)
    text = re.sub(r"\s+([,.;])", r"\1", " ".join(text.split())).strip(" ,;")
    text = re.sub(r"^(?:and|with|who|,)\s+", "", text, flags=re.IGNORECASE)
    return text[:1].upper() + text[1:] if len(text.split()) > 2 else ""


def _worth(sentence: str) -> float:
    figures = 2.0 * has_number(sentence) + has_result(sentence) + 0.5 * bool(_WISH.search(sentence))
    names = sum(word[:1].isupper() for word in sentence.split()[1:]) / 4
    return figures + names - len(sentence.split()) / 60
