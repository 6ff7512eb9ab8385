"""What of a message is its writer's own: without the posting, CV or letter it was pasted with, and without what it
quotes or reports of others. Pure; the sentences are stretches of the message, letter by letter.
"""

import re
from collections.abc import Iterator
from typing import Final

# Of a message that goes on for longer the rest is not read: what a user says of themselves comes before it.
MAX_CHARS: Final = 6_000
# Nobody writes so long a sentence of their own; a pasted list is one.
LONGEST_SENTENCE: Final = 400
MOST_SENTENCES: Final = 40

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_CLAUSE = re.compile(r"(?<=[,;])\s+|\s+(?=(?:and|but|also)\s)")
# Patterns that skip blanks cost the square of a long run of them.
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){2,}")
_COMMAND = re.compile(r"/[a-z_]{2,40}\s+")
_FENCE = re.compile(r"```.*?(?:```|\Z)|\"\"\".*?(?:\"\"\"|\Z)|<<<.*?(?:>>>|\Z)", re.DOTALL)
_RULER = re.compile(r"^\W*(?:[-=_*#~]\s?){3,}\W*$")
_QUOTED_LINE = re.compile(r"^\s*(?:>|\|)")
_QUOTE = re.compile(
    r"\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|«[^»\n]{1,600}»|(?<![\w])'[^'\n]{12,400}'(?!\w)|‘[^’\n]{12,400}’(?!\w)"
)
_THING: Final = (
    r"(?:(?:job |work )?(?:ad|advert\w*|posting|description|spec|listing|post|vacancy|offer|opening)|jd|cv|c\.v\.|"
    r"resum[eé]|résumé|(?:cover )?letter|e-?mail|message|profile|bio|article|text)"
)
# "Here is the advert:", "My CV:", "this is what they sent me:" and nothing behind it on its line but the text itself.
_ANNOUNCED = re.compile(
    rf"(?:^|[.!?]\s+|\b(?:here(?:'s| is| are)?|this is|look at|check|review|rate|improve|summari[sz]e|rewrite|"
    rf"read|match|compare|see|"
    rf"attached|pasting|paste[ds]?|below(?: is)?|following)\b[^\n:]{{0,60}}?)\b{_THING}\b[^\n:.!?]{{0,50}}:\s*"
    rf"|^\W*here (?:it is|you go|goes)\W*$|\b(?P<theirs>they|he|she|recruiter|employer|company) (?:sent|wrote|"
    rf"said|posted)"
    rf"[^\n:.!?]{{0,40}}:\s*",
    re.IGNORECASE | re.MULTILINE,
)
_GOES_ON = re.compile(r"(?:i|i'm|i’m|im|i've|we|my)\b", re.IGNORECASE)
_LEAST_LETTER: Final = 12
_PASTED_MARKS = re.compile(
    r"\b(?:responsibilit(?:y|ies)|requirements?|qualifications?|what (?:we|you(?:'ll| will)) (?:offer|do|bring|get|"
    r"need)|"
    r"about (?:us|the (?:role|company|job|team))|we(?:'re| are) (?:looking|hiring|seeking|a|an)|we offer|"
    r"our (?:client|team|"
    r"company|mission)|you (?:will|bring|have)|you(?:'ll| will) (?:be|have|work)|the (?:successful |ideal )?candidate|"
    r"candidates?|applicants?|apply (?:now|by|before|today|at|via)|equal opportunit\w+|essential|desirable|"
    r"nice to have|"
    r"employment type|job type|salary range|closing date|dear (?:hiring|sir|mr|ms|mrs|recruit)\w*|"
    r"yours (?:sincerely|faithfully)|"
    r"(?:work |professional )?experience|education|skills|employment history|references|curriculum vitae|"
    r"personal (?:statement|profile)|objective|certifications)\b",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•–·▪◦]|\d{1,2}[.)])\s+\S", re.MULTILINE)
_YEARS_SPAN = re.compile(r"\b(?:19|20)\d\d\s*(?:-|–|to)\s*(?:(?:19|20)\d\d|present|now|today|current)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"\b(?:[\w.+-]{1,64}@[\w-]{1,63}\.[\w.]{2,20}|(?:https?://|www\.)\S)", re.IGNORECASE)
_LEAST_PASTED: Final = 40  # words

_OTHERS: Final = (
    r"(?:my (?:brother|sister|wife|husband|friends?|boss|manager|son|daughter|partner|mum|mom|mother|dad|father|"
    r"parents|"
    r"colleagues?|flatmate|ex|cousin|uncle|aunt|girlfriend|boyfriend|neighbour|coach|mentor|team|teacher)|"
    r"(?:the|this|that|their|your|her|his|one|another|a|an|most|some|all|these|those)\s+(?:\w+ ){0,3}?(?:ad|advert\w*|"
    r"postings?|listings?|description|spec|vacanc(?:y|ies)|offer|recruiters?|compan(?:y|ies)|employers?|managers?|"
    r"agency|"
    r"agent|client|jobs?|roles?|positions?|firms?|guy|person|candidate|article|guide|website|site|email|e-mail|"
    r"letter|cv|bot|ai|model|assistant)|recruiters?|employers?|companies|candidates|people|everyone|everybody|somebody|"
    r"someone|they|he|she|"
    r"you)"
)
# Whose word binds the writer, whatever they themselves would like.
_BINDING: Final = (
    r"visa|doctor|gp|physio\w*|consultant|therapist|midwife|surgeon|lawyer|solicitor|permit|residence permit|"
    r"work permit|"
    r"contract|parole|probation|custody|licen[cs]e|caseworker|occupational health"
)
# What others say, want or think. What "they" are said to be ("they are fine again") is the writer's own judgement.
_REPORTED = re.compile(
    rf"^\W*(?:(?:and|but|so|well|ok|okay|also|because|apparently)\W+)*{_OTHERS}\s+(?:\w+ly\s+|also\s+|just\s+|now\s+)?"
    r"(?:says?|said|states?|stated|writes?|wrote|wants?|wanted|requires?|required|asks?|asked|tells?|told|thinks?|"
    r"thought|"
    r"suggests?|suggested|recommends?|recommended|claims?|claimed|insists?|insisted|mentions?|mentioned|expects?|"
    r"expected|"
    r"offers?|offered|demands?|only (?:want|take|accept|hire)s?|needs?(?! to)|prefers?|reads?|goes)\b"
    rf"|\baccording to\b(?! my (?:{_BINDING}))|\b(?:was|were|been|got) told\b(?! by (?:my|the) (?:{_BINDING}))|"
    rf"\b(?:ad|advert|posting|listing|recruiter|they|he|"
    r"she)\s+(?:says?|said|"
    r"states?|wrote)\b",
    re.IGNORECASE,
)
# What is only played with is no statement.
_SUPPOSED = re.compile(
    r"^\W*(?:(?:and|but|so|well|ok|okay|also|now)\W+)*(?:what if|suppose|supposing|imagine|pretend|let'?s say (?:i|"
    r"it|they|that|the|my|we)\b|"
    r"say i|"
    r"assume|assuming|if (?:i|it|the|my|they|we|only)\b(?![^,]{0,60}, (?:it|they|that|this) (?:must|has to|have "
    r"to|needs? to)"
    r" be\b)|in case|hypothetically|for example|e\.g\.|would it|what would)\b",
    re.IGNORECASE,
)
# "Has to be remote", "can only do mornings" ask nothing: without a question mark, a verb that comes first needs its
# subject behind it.
_ASKING = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|also|then|well|hi|hello|hey|sorry)[, ]+)*(?:(?:how|whats|what's|when|who|whom|whose|"
    r"why|what(?! (?:i|we|matters)\b)|where(?! (?:possible|i|we)\b)|which(?! (?:is|means)\b))\b"
    r"|(?:is|are)\b(?!'?t\b| not\b| a (?:must|deal|hard)| (?:essential|mandatory|required|non))"
    r"|(?:am|do|does|did|can|could|should|shall|would|will|has|have|may|might|must)\s+(?:i|you|u|we|they|it|he|"
    r"she|there|"
    r"this|that|these|those|the|a|an|any|anyone|anybody|someone|my|your|our|their|his|her|companies|employers|jobs|"
    r"recruiters|agencies)\b)",
    re.IGNORECASE,
)
_FIRST: Final = r"(?:i|i'm|im|i've|i'd|i'll|we|my|only|no|never|nothing|must|please|it has to|it must)\b"
# "I need at least 50k, is that realistic?" says something before it asks.
_BEFORE_ASKING = re.compile(
    rf"^\W*(?={_FIRST})(?P<said>(?=[^?]*\b(?:only|need|must|can't|cannot|won't|never|no|at least|minimum|have to|"
    rf"has to|"
    r"don't want)\b)[^?]{8,200}?)[,;–—-]\s*(?:(?:so|and|but|then) )?(?:ok|okay|right|got it|is|are|can|could|"
    r"would|will|"
    r"do|does|what|how|which|where|any|please can)\b[^?]{0,120}\?\W*$",
    re.IGNORECASE,
)
# "My wife needs me at home, so only remote jobs": what follows from it is the writer's own.
_CONSEQUENCE = re.compile(rf"(?:[,;]\s*|\s)(?:so|which is why|therefore|hence)\s+(?={_FIRST})", re.IGNORECASE)


def own_sentences(message: str) -> Iterator[str]:
    """The sentences a message says for its writer, in order: no question, nothing pasted, reported or supposed."""
    for sentence in sentences_of_own(message):
        plain = sentence.replace("’", "'")
        if _SUPPOSED.match(plain):
            continue
        if is_question(sentence):
            if (before := _BEFORE_ASKING.match(plain)) and not _REPORTED.search(before["said"]):
                yield sentence[before.start("said") : before.end("said")]
        elif not _REPORTED.search(plain):
            yield sentence
        elif follows := _CONSEQUENCE.search(plain):
            yield sentence[follows.end() :]


def own_questions(message: str) -> Iterator[str]:
    """The questions the writer asks, in order."""
    return (sentence for sentence in sentences_of_own(message) if is_question(sentence))


def is_question(sentence: str) -> bool:
    return sentence.rstrip(" \"'”’)").endswith("?") or _ASKING.match(sentence.replace("’", "'")) is not None


def without_quotes(sentence: str) -> str:
    """The sentence with blanks where it quotes, as long as it was."""
    return _QUOTE.sub(lambda quote: " " * len(quote.group()), sentence)


def sentences_of_own(message: str) -> Iterator[str]:
    """Every sentence that was not pasted; a very long one in its clauses, what is longer still not at all."""
    count = 0
    for paragraph in _own_paragraphs(_BLANK_LINES.sub("\n\n", message[:MAX_CHARS].replace("\r\n", "\n"))):
        for part in _SENTENCE.split(paragraph):
            pieces = [part] if len(part) <= LONGEST_SENTENCE else _CLAUSE.split(part)
            for piece in pieces:
                sentence = piece.strip()
                if sentence and len(sentence) <= LONGEST_SENTENCE:
                    yield sentence
                    count += 1
                    if count >= MOST_SENTENCES:
                        return


def _own_paragraphs(message: str) -> Iterator[str]:
    text = _FENCE.sub("\n\n", message)
    command = _COMMAND.match(text)
    text = text[command.end() :] if command else text
    announced = _ANNOUNCED.search(text)
    if announced and len(text[announced.end() :].split()) >= _least_behind(text, announced):
        text = text[: announced.start()]
    for paragraph in re.split(r"\n[^\S\n]*\n", _without_marked(text)):
        if _is_pasted(paragraph):
            return  # what follows in it belongs to it: a posting's last words are no more the user's than its first
        yield paragraph


def _least_behind(text: str, announced: re.Match[str]) -> int:
    """How many words make what was announced a text: few, where it starts a line of its own; more, where it may be the
    writer who goes on: "look at my profile: I only want remote jobs".
    """
    if "\n" in text[announced.start() : announced.end() + 1]:
        return 1
    goes_on = announced["theirs"] is None and _GOES_ON.match(text, announced.end()) is not None
    return _LEAST_LETTER if goes_on else 4


def _without_marked(text: str) -> str:
    """Without quoted lines, and without what follows a ruler."""
    kept: list[str] = []
    for line in text.split("\n"):
        if _RULER.match(line) and len(line.strip()) >= 3:
            break
        if not _QUOTED_LINE.match(line):
            kept.append(line)
    return "\n".join(kept)


def _is_pasted(paragraph: str) -> bool:
    """Whether it reads like a part of an advert, a CV or a letter."""
    marks = {match.group().casefold() for match in _PASTED_MARKS.finditer(paragraph)}
    bullets = len(_BULLET.findall(paragraph))
    words = len(paragraph.split())
    lines = paragraph.count("\n") + 1
    if _YEARS_SPAN.search(paragraph) and (lines > 2 or len(marks) > 0):
        return True
    if _ADDRESS.search(paragraph) and lines > 3:
        return True
    heading = re.match(r"[^\n]{1,60}\n", paragraph) is not None and _PASTED_MARKS.match(paragraph.strip()) is not None
    if heading and (lines > 1 or bullets):
        return True
    return (len(marks) >= 3 and words >= _LEAST_PASTED) or (
        len(marks) >= 2 and (bullets >= 2 or words >= 2 * _LEAST_PASTED)
    )
