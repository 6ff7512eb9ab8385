"""What of a message is its writer's own: without the posting, CV or letter it was pasted with, and without what it
quotes or reports of others. Pure; the sentences are stretches of the message, letter by letter.
"""

import re
from collections.abc import Iterator
from typing import Final

# Of a message that goes on for longer the rest is not read.
MAX_CHARS: Final = 12_000
# Nobody writes so long a sentence of their own; a pasted list is one.
LONGEST_SENTENCE: Final = 400
_MOST_SENTENCES: Final = 60

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
    rf"|^\W*here (?:it is|you go|goes)\W*$|\b(?:they|he|she|recruiter|employer|company) (?:sent|wrote|said|posted)"
    rf"[^\n:.!?]{{0,40}}:\s*",
    re.IGNORECASE | re.MULTILINE,
)
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
# What others say, want or think. What "they" are said to be ("they are fine again") is the writer's own judgement.
_REPORTED = re.compile(
    rf"^\W*(?:(?:and|but|so|well|ok|okay|also|because|apparently)\W+)*{_OTHERS}\s+(?:\w+ly\s+|also\s+|just\s+|now\s+)?"
    r"(?:says?|said|states?|stated|writes?|wrote|wants?|wanted|requires?|required|asks?|asked|tells?|told|thinks?|"
    r"thought|"
    r"suggests?|suggested|recommends?|recommended|claims?|claimed|insists?|insisted|mentions?|mentioned|expects?|"
    r"expected|"
    r"offers?|offered|demands?|only (?:want|take|accept|hire)s?|needs?(?! to)|prefers?|reads?|goes)\b"
    r"|\baccording to\b|\b(?:was|were|been|got) told\b|\b(?:ad|advert|posting|listing|recruiter|they|he|"
    r"she)\s+(?:says?|said|"
    r"states?|wrote)\b",
    re.IGNORECASE,
)
# What is only played with is no statement.
_SUPPOSED = re.compile(
    r"^\W*(?:(?:and|but|so|well|ok|okay|also|now)\W+)*(?:what if|suppose|supposing|imagine|pretend|let'?s say (?:i|"
    r"it|they|that|the|my|we)\b|"
    r"say i|"
    r"assume|assuming|if (?:i|it|the|my|they|we|only)|in case|hypothetically|for example|e\.g\.|would it|what would)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|also|then|well|hi|hello|hey|sorry)[, ]+)*(?:how|what|whats|what's|when|where|"
    r"which|who|"
    r"whom|whose|why|is|are|am i|do|does|did|can|could|should|shall|would|will|has|have you|may i|might)\b(?!'?t\b|"
    r" not\b)",
    re.IGNORECASE,
)


def own_sentences(message: str) -> Iterator[str]:
    """The sentences a message says for its writer, in order: no question, nothing pasted, reported or supposed."""
    for sentence in sentences_of_own(message):
        if not is_question(sentence) and not _SUPPOSED.match(sentence) and not _REPORTED.search(sentence):
            yield sentence


def own_questions(message: str) -> Iterator[str]:
    """The questions the writer asks, in order."""
    return (sentence for sentence in sentences_of_own(message) if is_question(sentence))


def is_question(sentence: str) -> bool:
    return sentence.rstrip(" \"'”’)").endswith("?") or (_ASKING.match(sentence) is not None)


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
                    if count >= _MOST_SENTENCES:
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
    """How many words make what was announced a text: few, where it starts a line of its own."""
    return 1 if "\n" in text[announced.start() : announced.end() + 1] else 4


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
