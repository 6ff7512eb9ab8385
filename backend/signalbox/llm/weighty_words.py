"""Which words of a question must be the same in another one that asks the same thing. Pure, English.

Sentence embeddings are blind to what decides an answer: who, where, how many, and whether not. Two questions that
differ in one such word are often closer to each other than two that ask the same.
"""

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W_][\w+#'’./-]*[\w+#]|[^\W_]", re.UNICODE)
# Articles, forms of address, politeness, and verbs that only carry a question.
_LIGHT_WORDS: Final = """
    a an the am is are was be been do does did to of for on in into at by as it its that this there so about
    i me my you your 'd one some any let can could will would shall should may have has had show need needed needs know
    what which best way good right ok okay please kindly just hi hello hey thanks thank question questions
"""
_LIGHT: Final = frozenset(_LIGHT_WORDS.split())
# One word for what people of working life call by several.
_SAME: Final = {
    **dict.fromkeys(("salary", "salaries", "earn", "earns", "earning", "paid", "pays", "wage", "wages"), "pay"),
    **dict.fromkeys(("resume", "résumé", "resumé", "cvs", "resumes"), "cv"),
    **dict.fromkeys(("preparing", "ready"), "prepare"),
    **dict.fromkeys(("position", "positions", "roles", "jobs", "job"), "role"),
    **dict.fromkeys(("companies", "employer", "employers"), "company"),
    **dict.fromkeys(("cannot", "nor"), "not"),
}
# How people ask to be told at all.
_ASKING: Final = re.compile(
    r"\s*(?:please,?\s+)?(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:tell|give|show) me\b"
)
_ENDING: Final = re.compile(r"(?<=[^\W\d_]{4})(?:ing|ed|es|s)$")


def weighty_words(text: str) -> tuple[str, ...]:
    """The words that carry what is asked, in their order, in one form each. A negation always is one."""
    asked = text.casefold()
    if (begin := _ASKING.match(asked)) is not None:
        asked = asked[begin.end() :]
    spaced = re.sub(r"n[’']t\b", " not", asked)
    words = (re.sub(r"[’']s$", "", word) for word in _WORD.findall(spaced))
    return tuple(_SAME.get(word) or _ENDING.sub("", word) for word in words if word not in _LIGHT)
