"""What a message wants forgotten, found in the profile. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.memory.profile import NewFact
from signalbox.memory.words import words_in
from signalbox.memory.work_wishes import lifts_remote

_VERB: Final = r"(?:forget|delete|erase|remove|clear|wipe|reset|scrub|purge|get rid of)"
_WANTS_REMOTE: Final = frozenset({"only", "preferred"})
_KNOWN: Final = r"(?:know|have|hold|kept|keep|stored?|saved?|remember|noted?)"
_ALL = re.compile(
    rf"\b{_VERB}\b(?:[^.?!]{{0,30}}?\b(?:everything|it all|all of it|what(?:ever)? you {_KNOWN}|"
    rf"all (?:that |of )?(?:you {_KNOWN}|(?:my |the )?(?:personal )?(?:data|facts|info\w*|details|profile)))\b"
    r"|\s+(?:my|the) (?:whole |entire |complete )?(?:profile|(?:personal )?(?:data|info\w*))"
    r"(?! (?:picture|photo|image|section|summary|statement|headline|link|url|line|text|page)|'s)\b"
    r"|\s+(?:all )?about me\b|\s+me(?=\W*$|\s+(?:please|now|completely|entirely)\b))",
    re.IGNORECASE,
)
_ERASE_ALL = re.compile(
    rf"\b{_VERB}\b\s+(?:(?:all|every|any|of|my|the|these|our|entire|whole|complete|old|past|personal|stored|user|"
    r"private|chat|message|conversation)\s+){0,5}"
    r"(?:data(?! (?:scien|analy|engineer|entry|architect|manage|jobs?|roles?|skills?))|"
    r"accounts?(?! manage)|"
    r"(?<=my )(?:conversations|chats|messages)|history)\b"
    r"(?=\W*$|\s*[,.;!?]|\s+(?:please|pls|now|and|too|as well|also|completely|permanently|entirely|forever|for good|"
    r"thanks|thank you|right|you (?:have|hold|keep|store|stored|kept)|from (?:your|the|here|this|signalbox)|stored)\b)",
    re.IGNORECASE,
)
# "Everything about Northwind" is not everything; "everything but my name" is nearly so.
_NOT_ALL = re.compile(
    r"\s+(?:(?:that |which )?(?:i|you|we) (?:\w+ ){1,3}?)?(?:about|on|regarding|related to|to do with|with|mentioning|"
    r"concerning)\s+(?!me\b|myself\b|my (?:self|profile|life)\b|us\b|file\b|record\b)",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"[\s,]+(?:[^.?!]{0,30}?\b)?(?:except(?: for| that)?|but(?: not)?|apart from|other than|besides)\s+"
    r"(?P<kept>[^.?!]+)",
    re.IGNORECASE,
)
_LEAD: Final = (
    r"^\W*(?:(?:so|and|but|ok|okay|also|then|well|hi|hello|hey|please|sorry|wait|um+|quick question|signalbox)"
    r"[\s,:-]+)*"
)
_ASKING = re.compile(
    rf"{_LEAD}(?:how(?! about you)|what|wat|whats|what's|where|when|why|which|who|is|are|am i|can i|could i|may i|"
    r"should i|shall i|must i|do|does|did|have (?:you|i)|has|will|would(?! you\b(?! ever))|(?:can|could) you ever|if|"
    r"suppose|any way|i wonder)\b"
    r"|\b(?:how (?:do|to|can|could|would|does|should|i)|whether|(?:a|any|the) way to|what happens)\b",
    re.IGNORECASE,
)
_ASKED_OF_YOU = re.compile(rf"{_LEAD}(?:can|could|would|will|cn|cud) (?:you|u|ya)\b|\bplease\b|\bpls\b", re.IGNORECASE)
_PLEADED = re.compile(r"^\W*(?:do|will you|would you) (?:please|kindly) |\bplease\W*$", re.IGNORECASE)
_HELD_BACK = re.compile(
    r"\b(?:not|never|without|didn't|if|before|after|already|i'?ll|i will|i might|might|instead of)\b|n't\b|"
    r"\b(?:dont|wont|cant|didnt)\b",
    re.IGNORECASE,
)
_PART = re.compile(r"(?<=[.!?;])\s+|\n+")
_NEAR: Final = 30
_LONGEST_UNDO: Final = 120
# A sentence that goes on for longer is pasted, and asks for nothing to be deleted.
_LONGEST_WISH: Final = 600
_CV: Final = r"(?:cv|c\.v\.|resume|resum[eé]|résumé|curriculum vitae)s?"
_ERASE_CV = re.compile(
    rf"\b(?:(?:delete|erase|remove|wipe|purge|discard|bin|trash|clear|get rid of|del|delet)\s+(?:(?:all|my|the|that|"
    rf"this|"
    rf"your|of|copy|copies|old|current|stored|saved|uploaded|whole|entire|existing|previous)\s+){{0,4}}|"
    rf"forget\s+(?:all\s+)?my\s+(?:(?:old|current|stored|uploaded)\s+)?)(?P<cv>{_CV})(?:\s+file)?"
    r"(?=\W*$|\s*[,.;!?]|\s+(?:please|pls|plz|now|and|too|as well|also|you|i (?:sent|uploaded|gave|pasted|added)|"
    r"on file|"
    r"again|for me|completely|permanently|entirely|forever|for good|thanks|thank you|right|"
    r"from (?:your|the|my|here|this|memory|storage|signalbox))\b)",
    re.IGNORECASE,
)
_UNDO = re.compile(
    rf"{_LEAD}(?:(?:no|oops|oh|actually|whoops|wait|sorry|hang on|(?:can|could|would|will) (?:you|u)|"
    rf"i want (?:you )?to|"
    rf"i'd like (?:you )?to|"
    r"please|just|lets|let's)\W+)*(?:"
    r"(?:undo|un-do|undu|revert|roll ?back|reverse|undelete|unforget)(?:\s+(?:that|this|it|them|the|my|your|last|"
    r"latest|"
    r"previous|change|changes|one|thing|bit|update|deletion|edit|step|everything|all|again|please|pls|now|once more|"
    r"profile|"
    r"you (?:just )?(?:did|made)))*"
    r"|take (?:that|it|this|(?:the|my) last (?:one|change)) back(?: (?:again|please|now))*"
    r"|(?:restore|recover|bring back|get back|give (?:me )?back|put back) (?:it|that|them|this|everything|all|"
    r"(?:all )?my "
    r"(?:old )?(?:profile|data|facts|details|info\w*|rules?|skills?|location)|what (?:you|i) (?:just )?(?:deleted|"
    r"forgot|removed))"
    r"(?: (?:again|please|now|all))*"
    r"|(?:bring|put|get|give me) (?:it|that|them|this|everything|all(?: of it)?|(?:all )?my (?:old )?(?:profile|data|"
    r"facts|details|"
    r"info\w*|rules?|skills?|location)) back(?: (?:again|please|now))*"
    r"|i (?:want|need) (?:it|that|them|everything|(?:all )?my (?:profile|data|facts|details)) back(?: (?:again|"
    r"please|now))*"
    r")\W*$",
    re.IGNORECASE,
)
_AND_MORE = re.compile(r"\s*(?:,\s*(?:and\s+)?|(?:and|plus|as well as)\s+)(?:also\s+)?", re.IGNORECASE)
_TO_BE_KEPT = re.compile(
    rf"^\W*(?:please\s+)?(?:don't|dont|do not|never)\s+(?:ever\s+)?{_VERB}\s+"
    r"(?:everything|anything|it|that|this|me|my [\w ]{2,30})\W*$",
    re.IGNORECASE,
)
_HOW = re.compile(
    rf"\b(?:{_VERB}|undo|take back|unsave|forgotten|deleted|erased|removed)\b[^.?!]{{0,40}}?\b(?:everything|it all|"
    rf"all of it|all (?:my|the|of)|"
    rf"my (?:\w+ )?(?:data|info\w*|details|profile|facts)|(?:my|a|the) (?:stored )?{_CV}(?=\W*$| (?:from|you|again|"
    rf"here))|"
    r"what (?:you|i)|me\b|something|some ?thing|things?|a fact|facts?|a rule|rules?|my rules?|a change|changes?)"
    r"|\bundo\b",
    re.IGNORECASE,
)
_RULE: Final = (
    r"(?:rules?|limits?|filters?|restrictions?|constraints?|conditions?|requirements?|exclusions?|bans?|blocks?)"
)
_FORGET = re.compile(
    r"(?<!don't )(?<!dont )(?<!not )(?<!never )(?<!\bi )\b(?:(?:forget|forgt|remove|delete|erase|clear|scrap|ditch|"
    r"wipe|"
    r"unset|get rid of|stop (?:filtering|limiting|restricting)(?: jobs| results)? by|drop(?! (?:me|by|off|in|"
    r"out)\b))\b|take\b|"
    rf"(?:lift|cancel|lose|ignore|disable|switch off|turn off|stop)\b(?=[^.;!?]{{1,40}}\b(?:{_RULE}|thing)\b))"
    r"\s+(?:that\s+)?(?:about\s+)?(?P<what>[^.;!?]+)",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(
    r"\bno longer\b|\b(?:don't|dont|do not|doesn't|does not|isn't|is not|aren't|are not|"
    r"not)\b[^.;!?,]{1,60}?\bany ?more\b|"
    r"\bnot any ?more\b",
    re.IGNORECASE,
)
_NEVER_DID = re.compile(
    r"\bnever (?:worked|studied|lived|been|was)(?: in| at| for)?\b(?P<what>[^.;!?]*)|"
    r"\b(?:i )?(?:don't|dont|do not) (?:really |actually )?know (?P<unknown>[^.;!?,]{1,60})|"
    r"\b(?:stopped|quit|gave up) (?:using|doing|learning) (?P<stopped>[^.;!?,]{1,60})|"
    r"\b(?:don't|dont|do not) live in (?P<place>[^.;!?,]{1,60})",
    re.IGNORECASE,
)
_ALLOWED = re.compile(
    r"\b(?:unblock|un-?exclude|allow|you (?:can|may|could) (?:show(?: me)?|include|send(?: me)?)|want to see|"
    r"(?:stop|no need to) (?:hid(?:e|ing)|block(?:ing)?|exclud(?:e|ing)|filter(?:ing)?(?: out)?|avoid(?:ing)?)|"
    r"(?:i )?(?:don't|dont|do not|no longer) mind|show me)\s+(?P<back>[^.;!?,]{1,60}?)"
    r"(?: (?:again|now|anymore|any more|after all))*\s*$"
    r"|^(?P<fine>[^.;!?,]{1,60}?) (?:is|are) (?:ok|okay|fine|allowed|all right|alright)(?: with me)?"
    r"(?: again| now)?(?: please)?\W*$",
    re.IGNORECASE,
)
_TAKEN_OFF = re.compile(r"\s*\b(?:off|from|out of)\s+(?:my|the|your)\b.*$", re.IGNORECASE)
_AFTERTHOUGHT = re.compile(r",\s*(?:i|it|that|because|since|as|please|thanks?)\b.*$", re.IGNORECASE)
_FILLER: Final = words_in(
    """a about all am any anything as at be been for from have i i'm in interested is it know my of on our
    profile stored that the these this to want wanted with work working you your please me jobs job roles
    no not longer any anymore more don't dont do doesn't does isn't isnt aren't are need needs must have has only
    live lives speak use so but now really actually require required requirement looking be all rule rules thing
    things bit one ones stuff filter filters limit limits restriction restrictions setting settings condition
    conditions ban bans block constraint constraints exclusion exclusions requirements every each please thanks
    against them those said told everything anything"""
)
_AGENCY = re.compile(
    r"(?:(?:recruit\w+|staffing|employment|temp\w*|job) )?(?:agenc(?:y|ies)|recruiters?|headhunters?|recruitment)$"
)
_NOTE_ABOUT = re.compile(
    r"\W*(?:the|my|that|your)\s+(?:notes?|facts?)\s+(?:about|on|that|saying|of|with)\s+(?=\S)", re.IGNORECASE
)
# So many letters make two forms of one word: "allergy", "allergic".
_ROOT: Final = 6
# Their values are codes, in which nobody's words are to be looked for.
_CODED: Final = frozenset({"remote", "relocation", "office_days"})
_NAMED_KEYS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"company size|(?:number of )?employees|headcount", ("company_size_min", "company_size_max")),
    (r"least level", ("seniority_min",)),
    (r"(?:office days|days in the office)", ("office_days",)),
    (r"salar\w+|pay|minimum|wage|at least [£$€]?\d[\d,.]{0,9}k?", ("salary_min", "currency")),
    (r"loca\w+|city|town|where i live|address|place", ("location",)),
    (r"skills?", ("skill",)),
    (r"languages?", ("language",)),
    (r"certificat\w+|licen[cs]es?|tickets?", ("certificate",)),
    (r"remote(?:ly)?|wfh|from home|hybrid|(?<!in )(?:the )?office(?! days)", ("remote",)),
    (r"name", ("name",)),
    (r"(?:job )?title|role|occupation|profession", ("title", "seniority")),
    (r"seniority|(?<!least )level", ("seniority",)),
    (r"years?|experience", ("years",)),
    (r"compan(?:y|ies)(?! size)|employers?", ("exclude_company",)),
    (r"exclude\w*|blocked|blacklist|never[- ]show", ("exclude_term", "exclude_company")),
    (r"notes?", ("note",)),
    (r"working time|work time|hours|part[ -]?time|full[ -]?time", ("work_time",)),
    (r"relocat\w*", ("relocation",)),
)


def wants_all_forgotten(text: str) -> bool:
    """Whether all the profile is to go: said as a wish. A question about it is none, nor is "all but my name"."""
    return _all_meant(text) is not None and kept_of_all(text) is None and not wants_all_erased(text)


def wants_all_erased(text: str) -> bool:
    """Whether all data is to go, conversations too, said as a wish: more than a profile, and not for a chat to do."""
    return any(True for _ in _wished(_ERASE_ALL, text))


def kept_of_all(text: str) -> str | None:
    """What is to stay when all else is forgotten, as in "forget everything except my name"."""
    match = _all_meant(text)
    but = _BUT.match(match.string, match.end()) if match else None
    return but["kept"] if but else None


def wants_resume_erased(text: str) -> bool:
    """Whether the stored CV is to be deleted, said as a wish."""
    return any(True for _ in _wished(_ERASE_CV, text))


def asks_how_to_forget(text: str) -> bool:
    """Whether it asks how something stored is forgotten or brought back: such a question changes nothing."""
    parts = (part for part in _PART.split(_straight(text)) if len(part) <= _LONGEST_WISH)
    return any(_asked(part) and _HOW.search(part) for part in parts)


def wants_undone(text: str) -> bool:
    """Whether the last change of the profile is to be taken back, whenever that was."""
    return len(text) <= _LONGEST_UNDO and _UNDO.match(_straight(text)) is not None


def without_resume(sentence: str) -> str:
    """The sentence without the CV that it wants erased: "delete my cv and my location" also says the second."""
    match = _ERASE_CV.search(sentence)
    if match is None:
        return sentence
    more = _AND_MORE.match(sentence, match.end())
    if more is None:
        return sentence[: match.start()].strip(" ,") if match.start() > _NEAR else ""
    rest = sentence[more.end() :]
    return f"forget {rest}" if re.match(r"(?:my|the)\b", rest, re.IGNORECASE) else rest


def _all_meant(text: str) -> re.Match[str] | None:
    return next((match for match in _wished(_ALL, text) if not _NOT_ALL.match(match.string, match.end())), None)


def _wished(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Where ``text`` asks for it: not in questions, and not behind a "don't"."""
    for part in _PART.split(_straight(text)):
        match = pattern.search(part) if len(part) <= _LONGEST_WISH else None
        if match and not _asked(part) and not _HELD_BACK.search(part[max(0, match.start() - _NEAR) : match.start()]):
            yield match


def _asked(sentence: str) -> bool:
    if _ASKING.search(sentence):
        return _PLEADED.search(sentence) is None or re.search(r"\bhow\b", sentence, re.IGNORECASE) is not None
    return sentence.rstrip().endswith("?") and _ASKED_OF_YOU.search(sentence) is None


def _straight(text: str) -> str:
    return text.replace("’", "'")


def forgotten(target: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """The facts of ``profile`` that "forget ``target``" means: a kind of fact called by its name, else by value, else
    by what they are about. "My rules" are all the hard ones, "the rule" is the newest.
    """
    if about := _NOTE_ABOUT.match(target):
        target = target[about.end() :]
        profile = [fact for fact in profile if fact.key == "note"]
    words = " ".join(word for word in re.findall(r"[^\s,]+", target.casefold()) if word.strip(".'\"“”") not in _FILLER)
    if not words:
        return _rules(target, profile)
    named = [fact for fact in profile if fact.key in _keys(words, whole=True)]
    by_value = named or [fact for fact in profile if fact.key not in _CODED and _means(words, fact.value.casefold())]
    by_value = by_value or [fact for fact in profile if fact.key == "note" and _tells(words, fact.value)]
    found = by_value or [fact for fact in profile if fact.key in _keys(target, whole=False)]
    return tuple(as_new(fact) for fact in found)


def _rules(target: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    if not (said := re.search(rf"\b{_RULE}(?=\W*$|\s)", target, re.IGNORECASE)):
        return ()
    hard = [as_new(fact) for fact in profile if fact.kind == "constraint"]
    return tuple(hard if said.group().endswith("s") else hard[-1:])


def _keys(text: str, *, whole: bool) -> set[str]:
    return {
        key
        for pattern, keys in _NAMED_KEYS
        if (re.fullmatch if whole else re.search)(rf"\b(?:{pattern})\b", text, re.IGNORECASE)
        for key in keys
    }


def removals(sentence: str, profile: Sequence[ProfileFact]) -> tuple[list[NewFact], list[str], bool]:
    """Facts to retire, what was not there to retire, and whether the sentence says nothing else."""
    if _TO_BE_KEPT.match(sentence):
        return [], [], True
    if match := _FORGET.search(sentence):
        what = _AFTERTHOUGHT.sub("", match["what"])
        off = _TAKEN_OFF.search(what)
        if match.group().casefold().startswith("take") and not off:
            return [], [], False
        target = _TAKEN_OFF.sub("", what).strip(" ,")
        found = forgotten(target, profile) or (forgotten(what, profile) if off else ())
        return list(found), [] if found else [target], bool(found) or what == match["what"]
    wants_remote = [as_new(fact) for fact in profile if fact.key == "remote" and fact.value in _WANTS_REMOTE]
    if wants_remote and lifts_remote(sentence):
        return wants_remote, [], True
    if _NO_LONGER.search(sentence):
        clauses = [part for part in re.split(r"[.;!?,]", sentence) if _NO_LONGER.search(part)]
        found = forgotten(clauses[0] if clauses else sentence, profile)
        if found:
            return list(found), [], True
    found = _allowed(sentence, profile) or _not_had(sentence, profile)
    return list(found), [], bool(found)


def beyond_removal(sentence: str) -> str:
    """What is said behind a clause that takes something back: "I don't live in Leeds any more, I'm in York now"."""
    first, _, rest = sentence.partition(",")
    return rest.strip() if _NO_LONGER.search(first) and not _NO_LONGER.search(rest) else ""


def _allowed(sentence: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """What is excluded and may be shown again."""
    match = _ALLOWED.search(sentence)
    found = forgotten(match["back"] or match["fine"], profile) if match else ()
    return tuple(fact for fact in found if fact.key.startswith("exclude"))


def _not_had(sentence: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """What is stored and was never true, or is over."""
    match = _NEVER_DID.search(sentence)
    if not match:
        return ()
    found = forgotten(next((each for each in match.groups() if each), ""), profile)
    key = "location" if match["place"] else "skill"
    return found if match["what"] else tuple(fact for fact in found if fact.key == key)


def _means(words: str, value: str) -> bool:
    """One stands in the other as whole words, whatever their number; agencies and recruiters are one thing."""
    shorter, longer = sorted((_stems(words), _stems(value)), key=len)
    if shorter and re.search(rf"(?<!\w){re.escape(shorter)}(?!\w)", longer) is not None:
        return True
    return _AGENCY.match(words) is not None and _AGENCY.match(value) is not None


def _tells(words: str, note: str) -> bool:
    """Whether a note says all that ``words`` say: "I am allergic to latex", however it is put."""
    told = [_stem(word) for word in re.findall(r"[^\W_][\w'-]*", note.casefold())]
    wanted = [_stem(word) for word in re.findall(r"[^\W_][\w'-]*", words)]
    return len(wanted) > 1 and all(any(_alike(word, other) for other in told) for word in wanted)


def _alike(word: str, other: str) -> bool:
    return word == other or (min(len(word), len(other)) > _ROOT and word[:_ROOT] == other[:_ROOT])


def _stems(text: str) -> str:
    """Plurals as their singular: who says "agency" means "agencies" too."""
    return re.sub(r"[a-z]{4,}", lambda word: _stem(word.group()), text)


def _stem(word: str) -> str:
    if word.startswith("travel"):
        return "travel"
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def as_new(fact: ProfileFact) -> NewFact:
    return NewFact(fact.kind, fact.key, fact.value)
