"""Fields of work that postings seldom name, by the words that tell them. Pure."""

import re
from typing import Final

IT: Final = "IT"
_OF_IT: Final = (
    "information technology", "it support", "it department", "software engineer", "software engineering",
    "software developer", "developer", "programmer", "devops", "backend", "back-end", "frontend", "front-end",
    "full-stack", "full stack", "sysadmin", "system administrator", "systems administrator", "network engineer",
    "cloud engineer", "data engineer", "data scientist", "cybersecurity", "cyber security", "helpdesk", "help desk",
    "software tester", "software testing", "penetration tester", "penetration testing", "web development",
)  # fmt: skip
_IN_IT = re.compile(r"\b(?:in|work|working)\s+it\b", re.IGNORECASE)


def words_of_field(term: str) -> tuple[str, ...]:
    """The words of a posting that say it is of the field called ``term``; for all other terms the term itself."""
    return _OF_IT if term.casefold() in {"it", "information technology", "tech", "the tech industry"} else (term,)


def numbers_of(word: str) -> tuple[str, ...]:
    """A word as it is, and one thing of what it names several of: "night shifts" rule out a night shift."""
    plural = len(word) > 4 and word.endswith("s") and not word.endswith("ss")
    return (word, word[:-1]) if plural else (word,)


def field_or_pronoun(thing: str, said: str) -> str | None:
    """``thing`` as it is to be ruled out. "It" is the field where it stands in capitals or behind "in" or "work", as
    ``said`` tells; else it is a pronoun and names nothing: None.
    """
    if thing.casefold() != "it":
        return thing
    if thing == IT and said != said.upper():
        return IT
    return IT if _IN_IT.search(said) else None
