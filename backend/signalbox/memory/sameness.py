"""Whether two values of a profile say the same in other words. Pure, English.

Only what can carry no meaning is looked past: case, blanks, outer punctuation, articles, "I" and the forms of to be and
to have. Words that differ, numbers, negations and order always count: a fact kept twice does less harm than one lost.
"""

import re
import unicodedata
from typing import Final

from signalbox.memory.words import words_in

# In other keys every word is a part of a name.
_SENTENCES: Final = frozenset({"note", "exclude_term"})
_QUOTES: Final = " \"'“”‘’«»"
_END: Final = f".,;!{_QUOTES}"
_BETWEEN_LETTERS: Final = re.compile(r"(?<=[^\W\d_])[-‐‑](?=[^\W\d_])")
_SHORT_FORMS: Final = (
    (re.compile(r"\b(ca|wo)n't\b"), r"\1n not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bi'm\b|\bim\b(?=\s)"), "i am"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"\bcannot\b"), "can not"),
)
# A sign between two words may turn them round ("no, remote"): it is a word of its own.
_TOKEN: Final = re.compile(r"[^\W_]+(?:[.,'’:/+#-]*[^\W_]+)*[+#]*|[,;:?!()/]|[£$€%&@]|[-−](?=\d)")
_LIGHT: Final = words_in("a an the i really very also")
_ONE_FORM: Final = {
    **dict.fromkeys(("am", "is", "are"), "be"),
    "has": "have",
    "does": "do",
    "wo": "will",
    "ca": "can",
}


def says_same(key: str, one: str, other: str) -> bool:
    """Whether ``one`` and ``other`` are the same value of ``key``."""
    if _folded(one) == _folded(other):
        return True
    return key in _SENTENCES and _told(one) == _told(other)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(_BETWEEN_LETTERS.sub(" ", plain).split()).lstrip(_QUOTES).rstrip(_END)


def _told(text: str) -> tuple[str, ...]:
    """What a sentence says, word by word and in order."""
    plain = _folded(text)
    for short, full in _SHORT_FORMS:
        plain = short.sub(full, plain)
    words = [_ONE_FORM.get(word, word) for word in _TOKEN.findall(plain) if word not in _LIGHT]
    if len(words) > 1 and words[0] == "have" and words[1].endswith("ed"):
        del words[0]  # "has managed teams", "managed teams"
    return (_singular(words[0]), *words[1:]) if words else (plain,)


def _singular(verb: str) -> str:
    """The verb that a note begins with: "likes tea" is how others put "I like tea"."""
    return verb[:-1] if len(verb) > 3 and verb.endswith("s") and not verb.endswith("ss") else verb
