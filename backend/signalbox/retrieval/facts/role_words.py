"""Job titles compared by their words: level and number aside, with the words the field uses for one another.

Pure. It says whether a title names all that a role asks for, never how good a job is.
"""

import re
from typing import Final

from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.words import word_list

# The field itself uses these for one another.
_SAME: Final = {
    "engineer": "developer", "programmer": "developer", "coder": "developer", "dev": "developer", "swe": "developer",
    "administrator": "admin", "rn": "nurse",
    "technologist": "technician", "tech": "technician", "attorney": "lawyer", "fullstack": "full",
    "frontend": "front", "backend": "back", "medic": "paramedic", "designing": "designer", "sysadmin": "admin",
}  # fmt: skip
# A person asks for "nursing pay" and means nurses; in a title, "Nursing Lecturer" is no nurse.
_ASKED: Final = {
    "nursing": "nurse", "programming": "developer", "development": "developer", "engineering": "developer",
    "teaching": "teacher", "accounting": "accountant",
}  # fmt: skip
# A title with one of these is another job than its other words name: a nurse manager is not paid as a nurse.
_OTHER_JOB: Final = frozenset(
    {"manager", "director", "lecturer", "recruiter", "coordinator", "assistant", "supervisor", "aide", "helper"}
)
_LEVELS: Final = (
    "senior sr snr junior jr mid level entry lead principal staff graduate grad trainee intern internship apprentice "
    "experienced intermediate i ii iii iv v registered certified licensed qualified chartered"
)
_EMPTY: Final = (
    "a an and the of for in on at to with or as other all except related workers general stack end part full time"
)
_SKIPPED: Final = frozenset(f"{_LEVELS} {_EMPTY}".split())
_WORD = re.compile(r"[^\W_]+[+#]*")
_TAIL = re.compile(r"[,(]?\s*\bexcept\b.*$|,\s*all other\b.*$", re.IGNORECASE)
_GENERIC: Final = word_list("generic_roles")
_SOFTWARE: Final = frozenset({"software", "data", "cloud"})


def stems(title: str) -> frozenset[str]:
    """The words that say what a title is about, in the singular; a title of nothing but level words keeps them."""
    words = [_stem(word) for word in _WORD.findall(_TAIL.sub("", title).casefold())]
    return frozenset(word for word in words if word not in _SKIPPED) or frozenset(words)


def names_all(role: str, title: str) -> bool:
    """Every word of ``role`` stands in ``title``: "nurse" in "Registered Nurse (Nights)", not in "Nurse Manager"."""
    return _within(_wanted(role), title)


def is_generic(role: str) -> bool:
    """The role is a word that hundreds of occupations share ("engineer", "analyst") and nothing else."""
    return all(word in _GENERIC or word == "developer" for word in _wanted(role))


def fits(role: str, title: str, skills: tuple[str, ...], vocabulary: SkillVocabulary) -> bool:
    """A posting is for ``role``: its title names the role, and tools that the role names stand in title or skills."""
    if names_all(role, title):
        return True
    tools = {name for name in vocabulary.extract(role, loose=True) if vocabulary.field(name) in _SOFTWARE}
    if not tools or not tools <= {*skills, *vocabulary.extract(title, loose=True)}:
        return False
    named = {stem for tool in tools for name in vocabulary.names_of(tool) for stem in stems(name)}
    return _within(_wanted(role) - named, title)


def wider_role(role: str, vocabulary: SkillVocabulary) -> str | None:
    """The occupation that statistics count a role under which is named by its tool: "Python developer" is one of
    "software developer".
    """
    tools = [name for name in vocabulary.extract(role, loose=True) if vocabulary.field(name) in _SOFTWARE]
    if not tools or "developer" not in _wanted(role):
        return None
    named = {stem for tool in tools for name in vocabulary.names_of(tool) for stem in stems(name)}
    return "software developer" if _wanted(role) - named == {"developer"} else None


def _wanted(role: str) -> frozenset[str]:
    return frozenset(_ASKED.get(word, word) for word in stems(role))


def _within(words: frozenset[str], title: str) -> bool:
    there = stems(title)
    return bool(words) and words <= there and not (there & _OTHER_JOB) - words


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    return _SAME.get(word, word)
