"""What is left of facts that were found late, when their user has spoken since. Pure.

In doubt nothing is left: what was not learned is told again one day, what was to be forgotten must not return.
"""

from collections.abc import Sequence

from signalbox.blocks import ProfileFact
from signalbox.memory.extraction import Learned, share_of, takes_back
from signalbox.memory.forgetting import (
    kept_of_all,
    removals,
    wants_all_erased,
    wants_all_forgotten,
    wants_undone,
)
from signalbox.memory.own_words import own_sentences
from signalbox.memory.profile import NewFact


def not_overtaken(learned: Learned, profile: Sequence[ProfileFact], later: Sequence[str]) -> Learned:
    """Those of ``learned`` that none of the ``later`` messages takes back. Of the known facts in ``profile`` that were
    to change, those stay as they are of which anything was said since.
    """
    if not learned.changes or any(_forgets_all(message) for message in later):
        return Learned()
    sentences = [sentence for message in later for sentence in own_sentences(message)]
    known = {fact.fact_id: fact for fact in profile}
    return Learned(
        tuple(fact for fact in learned.add if not _taken_back(fact, sentences)),
        tuple(
            (fact_id, new)
            for fact_id, new in learned.replace
            if not _spoken_of(known[fact_id], sentences) and (new is None or not _taken_back(new, sentences))
        ),
    )


def _forgets_all(message: str) -> bool:
    return (
        wants_all_forgotten(message)
        or wants_all_erased(message)
        or wants_undone(message)
        or kept_of_all(message) is not None
    )


def _taken_back(new: NewFact, sentences: Sequence[str]) -> bool:
    fact = ProfileFact(fact_id="", kind=new.kind, key=new.key, value=new.value)
    return any(bool(removals(sentence, (fact,))[0]) or takes_back(sentence, fact) for sentence in sentences)


def _spoken_of(fact: ProfileFact, sentences: Sequence[str]) -> bool:
    return any(share_of(fact.value, sentence) > 0 for sentence in sentences)
