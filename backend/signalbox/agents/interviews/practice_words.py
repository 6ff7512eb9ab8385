"""What short messages tell an interviewer to do: skip, repeat, stop and the like. Pure: the first rule that fits."""

import re
from typing import Final, Literal

from signalbox.agents.interviews.practice_asides import asks_verdict, stops_for_verdict

Command = Literal["skip", "unknown", "repeat", "stop", "verdict", "harder", "easier", "another", "help", "resume"]

# What is longer is an answer, even if it begins like a command.
COMMAND_WORDS: Final = 9

_IT: Final = r"(?: (?:it|this|that|this one|that one|the question|this question|that question))?"
_HONEST: Final = r"(?:(?:honestly|sorry|hmm+|um+|uh+|well|to be honest|tbh)[\s,.]+)*"
_SORRY: Final = r"(?:[\s,.]+(?:sorry|really|at all|honestly|skip(?: it)?|next|pass))*"
_ANY: Final = r"(?: (?:one|any|anything|any example|an example|it|this|that))?"
_KNOWS_NOT: Final = (
    r"i (?:really |just )?(?:do not|don't|dont|wouldn't) (?:really )?know(?: (?:that|this|that one|the answer|"
    r"what to say|how to answer(?: (?:it|this|that))?))?"
)
_PRACTICE: Final = r"(?:mock |practi[sc]e )?(?:interview|practi[sc]e)"
_PHRASES: Final[tuple[tuple[Command, tuple[str, ...]], ...]] = (
    ("skip", (rf"skip{_IT}", r"next(?: (?:one|question))?", "move on", r"go on to the next(?: one)?")),
    (
        "unknown",
        (
            rf"{_HONEST}{_KNOWS_NOT}{_SORRY}",
            rf"{_HONEST}(?:idk|i ?dunno|dunno|not sure|i(?:'m| am) not sure|beats me|no answer){_SORRY}",
            rf"{_HONEST}(?:i(?:'ve| have)? (?:got )?)?no (?:idea|clue){_SORRY}",
            rf"{_HONEST}(?:i )?(?:can't|cannot|can not) (?:think of|remember|answer){_ANY}{_SORRY}",
            rf"(?:nothing comes to mind|i give up|(?:i(?:'ll| will)? )?pass){_SORRY}",
        ),
    ),
    (
        "repeat",
        (
            rf"(?:repeat|say){_IT}(?: again)?",
            "again",
            r"what was the question(?: again)?",
            r"(?:the )?question again",
            "come again",
            "pardon",
            r"sorry\?",
            "what did you ask",
        ),
    ),
    (
        "stop",
        (
            rf"(?:stop|end|finish|quit|exit|cancel)(?: (?:it|here|now|the {_PRACTICE}|practi[sc]ing))?",
            r"enough(?: for (?:now|today))?",
            r"that(?:'s| is) (?:all|it|enough)(?: for (?:now|today))?",
            r"(?:i(?:'m| am) )?done",
            "bye",
            "goodbye",
            r"no more(?: questions)?",
            "leave it",
        ),
    ),
    (
        "harder",
        (
            (
                r"(?:a |some |something )?(?:much )?(?:harder|tougher|more (?:difficult|challenging))(?: (?:one|"
                r"questions?))?"
            ),
            "(?:make it|ask me something) harder",
            "(?:that(?:'s| is| was) )?too easy",
        ),
    ),
    (
        "easier",
        (
            r"(?:an |some |something )?(?:easier|simpler)(?: (?:one|questions?))?",
            "(?:make it|ask me something) easier",
            "(?:that(?:'s| is| was) )?too hard",
        ),
    ),
    (
        "another",
        (
            r"(?:ask (?:me )?)?(?:another|a different|a new|some other)(?: (?:one|question))?",
            r"different question",
            "change (?:it|the question)",
            r"(?:ask (?:me )?)?something else",
        ),
    ),
    (
        "help",
        (
            rf"how (?:would|should|could|do|can) (?:you|i|one) (?:answer|respond to|approach|say){_IT}",
            rf"help(?: me)?(?: (?:answer|with)(?:{_IT}))?",
            rf"(?:i )?(?:don't|do not) (?:understand|get){_IT}",
            r"(?:a |any )?(?:hints?|tips?)",
            r"(?:show |give |tell )?(?:me )?(?:an? )?(?:example|model|sample|good)(?: answer)?",
            "what would you (?:say|answer)",
            "what should i say",
            r"what(?:'s| is) a good answer",
            r"i(?:'m| am) stuck",
        ),
    ),
    (
        "resume",
        (
            rf"(?:continue|resume|go on|carry on|proceed)(?: (?:with )?(?:it|(?:the|my|our) {_PRACTICE}))?",
            "(?:continue|go on|carry on) practi[sc]ing",
            r"(?:continue|go on|carry on) where we (?:left|stopped)(?: off)?",
            rf"(?:(?:go|get|come) )?back to (?:the|my|our) {_PRACTICE}",
            r"(?:i(?:'m| am) )?ready",
            "start",
            "yes",
            "ok(?:ay)?",
            "sure",
        ),
    ),
)
_LEAD: Final = (
    r"(?:(?:please|ok(?:ay)?|can we|can you|could you|could we|let'?s|i(?:'d| would) like to|i want to|give me|may i|"
    r"can i|can i have|may i have)[\s,]+)*"
)
_TAIL: Final = r"(?:\W+(?:please|thanks?|thank you|now|for now))?"
_RULES: Final = tuple(
    (name, re.compile(rf"^\W*{_LEAD}(?:{'|'.join(phrases)}){_TAIL}\W*$", re.IGNORECASE)) for name, phrases in _PHRASES
)


def command_of(message: str) -> Command | None:
    """What a short message tells the interviewer to do; None for an answer."""
    text = " ".join(message.replace("’", "'").split())
    if stops_for_verdict(text):
        return "stop"
    if asks_verdict(text):
        return "verdict"
    if len(text.split()) > COMMAND_WORDS:
        return None
    return next((name for name, rule in _RULES if rule.match(text)), None)
