"""Reads what a message wants of a letter's form: how it is spelled and set, and a postscript. Pure.

None of that is told of its writer, so nothing of it is "mentioned" in the letter.
"""

import re
from typing import Final

# What only says how a text looks or sounds: by its last words, whatever stands before them ...
_FORM: Final = re.compile(
    r"(?:(?:british|american|u\.?k\.?|u\.?s\.?a?|plain|simple|simpler|better|proper|correct|good|formal|polite|"
    r"casual|professional|stronger|clearer|clear) (?:english|language|wording|words)|spellings?|"
    r"grammar|punctuation|commas|fonts?|typeface|paragraphs?|sentences?|headings?|headers?|headlines?|footers?|"
    r"letterhead|subject line|bullets|bullet[- ]points?|layout|emojis?|smileys?|exclamation (?:marks?|points?)|"
    r"line breaks?|salutation|sign-?off|quotations?|jokes?|adjectives|adverbs|buzz ?words|clich[eé]s|contractions|"
    r"capital letters|italics|margins|active verbs|action verbs|power words|word (?:file|document))",
    re.IGNORECASE,
)
# ... and what does so only where nothing else is said: "renewable energy" may be somebody's work.
_ALONE: Final = re.compile(
    r"(?:words?|subject|title|date|address|list|tone|style|voice|structure|format(?:ting)?|greeting|signature|closing|"
    r"opening|intro(?:duction)?|conclusion|ending|quotes?|humou?r|wit|enthusiasm|energy|warmth|passion|excitement|"
    r"emotion|personality|details?|jargon|capitals|bold|colou?rs?|spacing|white ?space|abbreviations|transitions|a4|"
    r"letter size|pdf|flair|oomph|polish|sparkle)",
    re.IGNORECASE,
)
# The head of a letter on paper, its writer's own as it is.
_LETTERHEAD: Final = re.compile(
    r"(?:(?:my|our|the|today'?s|a|an|their|its) )?(?:(?:home|postal|full|current|contact|company'?s?|office) )*"
    r"(?:address(?:es)?|contact details|details|phone(?: number)?|e-?mail(?: address)?|date|(?:job )?title)",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s+(?:of|from|for|in|with|to|at|that|which|throughout|everywhere|instead|please)\b.*$", re.IGNORECASE
)
_HEAD = re.compile(
    r"^(?:(?:an?|the|some|any|more|fewer|less|another|other|one|two|both|different|nicer|extra|further|bit(?: of)?|"
    r"little|lots of|lot of|plenty of|much)\s+)+",
    re.IGNORECASE,
)
# "A paragraph about my volunteering" is told of the writer.
_ON = re.compile(r"\b(?:about|on|my|our)\b", re.IGNORECASE)
_OWN = re.compile(r"^(?:my|our|i|i'm|i've)\b", re.IGNORECASE)
_MOST_WORDS: Final = 6
# "PS" by itself may be a program that somebody knows.
_POSTSCRIPT = re.compile(
    r"(?:[,;]?\s*\b(?:and|also|then|plus)\s+)?"
    r"(?:\b(?:add|put|include|write|append|attach|give (?:it|me)|end(?: it)? with|needs?)\b"
    r"(?:\s+(?:in|it|me|also|there))*"
    r"|\bwith(?=\s+(?:an?|the)\b))\s+"
    r"(?:(?:an?|the|this|another)\s+(?:(?!\w+ing\b)\w+\s+)?(?:p\.?\s?s\b\.?|post-?script)"
    r"|(?:p\.?\s?s\b\.?|post-?script)(?=\s*(?:[:–—.,!?-]|$)|\s+(?:saying|that|about|at the|please)\b))"
    r"(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_NO_POSTSCRIPT = re.compile(
    r"\b(?:without|no|leave out|take out|remove|drop|delete|cut|skip|lose)\s+(?:the|a|that|this|any)?\s*"
    r"(?:p\.?\s?s\b\.?|post-?script)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"^\s*(?:at the (?:end|bottom)\s*)?"
    r"(?:(?:[:–—-]|,?\s*(?:saying|which says|that says|to say|that reads|reading)\b)\s*(?:that\s+)?|"
    r"(?:that|in which)\s+(?=(?:i|my|we)\b))(?P<text>\S.*)$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^(?:\s*at the (?:end|bottom))?\s*(?:about|on|mentioning|with)\s+(?P<what>[^.,;!?]{2,60})", re.IGNORECASE
)
_PARTED: Final = "\n\n"
_MARK: Final = "PS: "
_OWN_MARK = re.compile(r"^[ \t]*(?:PS[ \t]*[:–—-]|P\. ?S\.?[:–—-]?)(?:[ \t]+|(?=\n))", re.MULTILINE)
_MOST_WORDS_BELOW: Final = 80
_LONGEST: Final = 240


def is_form(what: str) -> bool:
    """Whether ``what`` ("British spelling", "some bullet points") is of the text and not of who wrote it."""
    parts = re.split(r"\s*,\s*(?:and\s+)?|\s+(?:and|or)\s+", what.strip())
    if len(parts) > 1:
        return all(map(is_form, parts))
    if _LETTERHEAD.fullmatch(what):
        return True
    if _OWN.match(what) or _ON.search(what) or len(what.split()) > _MOST_WORDS:
        return False
    bare = _HEAD.sub("", _BEHIND.sub("", what.strip()))
    words = bare.split()
    return _ALONE.fullmatch(bare) is not None or any(_FORM.fullmatch(" ".join(words[-n:])) for n in (1, 2))


def postscript_asked(asked: str) -> str | None:
    """What is to stand in a postscript; a [blank] where the message does not say; None: it asks for none."""
    if refuses_postscript(asked):
        return None
    match = _POSTSCRIPT.search(asked)
    if match is None:
        return None
    if said := _SAYS.match(match["rest"]):
        text = " ".join(re.sub(r"[\[\]]", " ", said["text"]).split()).strip(" \"“”'")[:_LONGEST]
        text = re.sub(r"\bi(?=$|['\s,.])", "I", text)
        return text[:1].upper() + text[1:] + ("" if text[-1:] in ".!?" else ".") if text else "[one sentence]"
    if about := _ABOUT.match(match["rest"]):
        return f"[one sentence on {re.sub(r'^my ', 'your ', ' '.join(about['what'].split()), flags=re.IGNORECASE)}]"
    return "[one sentence that should stay in mind]"


def refuses_postscript(asked: str) -> bool:
    return _NO_POSTSCRIPT.search(asked) is not None


def beside_postscript(asked: str) -> str:
    """The request without what it says of a postscript: none of that belongs into the letter above it."""
    return _NO_POSTSCRIPT.sub(" ", _POSTSCRIPT.sub(" ", asked))


def with_postscript(body: str, postscript: str | None) -> str:
    return f"{body}{_PARTED}{_MARK}{postscript}" if postscript else body


def without_postscript(body: str, own: int = 0) -> str:
    """``own``: so many postscripts, the first ones, were its writer's before they came here, and they stay."""
    kept = []
    for part in body.split(_PARTED):
        if part.startswith(_MARK):
            own -= 1
            if own < 0:
                continue
        kept.append(part)
    return _PARTED.join(kept)


def parted_below(letter: str) -> tuple[str, tuple[str, ...]]:
    """A letter as its writer has it, down to its signature, and what stands in its postscripts."""
    above, *below = _OWN_MARK.split(letter)
    if not above.strip() or len(" ".join(below).split()) > _MOST_WORDS_BELOW:
        return letter, ()
    return above.rstrip() if below else letter, tuple(" ".join(said.split()) for said in below if said.strip())


def form_text(form: str, *, nothing_else: bool) -> str:
    """What is said of a wish for ``form``."""
    named = " ".join(form.split())
    if re.search(r"\bspelling|english\b", named, re.IGNORECASE):
        if re.search(r"\b(?:american|u\.?s\.?a?)\b", named, re.IGNORECASE):
            return "I write in British spelling only, so words such as “organisation” are yours to change."
        return "My letters are in British spelling." if not nothing_else else "It is in British spelling already."
    return f"I can change its length, tone and what it says, but I do not set “{named}”: add that where you paste it."
