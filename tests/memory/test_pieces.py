"""A value is taken apart and put together again, whole or in part, and what is missing is said."""

from hypothesis import given, settings
from hypothesis import strategies as st

from signalbox.memory.pieces import LEFT_OUT, PIECE_CHARS, pieces_of, whole_of

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=900)
VALUES = st.dictionaries(
    st.text(min_size=1, max_size=8).filter(lambda key: key != LEFT_OUT),
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
        max_leaves=12,
    ),
    max_size=5,
)


@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_all_pieces_make_the_value_they_were_taken_from(value):
    pieces = pieces_of(value)
    assert whole_of(pieces, {piece.name for piece in pieces}) == value


def test_what_is_left_out_is_said_by_key():
    value = {
        "outcome": "found",
        "jobs": [{"title": f"Job {n}", "text": "x" * 300} for n in range(5)],
        "page": "One sentence here. " * 200,
        "notes": ["n" * 400, "m" * 400],
    }
    pieces = pieces_of(value)
    kept = {piece.name for piece in pieces if piece.relevance >= 0.4 and not piece.name.startswith("notes")}
    whole = whole_of(pieces, kept)
    assert whole["outcome"] == "found"
    assert whole["jobs"] == value["jobs"][:2]
    assert whole["page"].endswith(" [...]")
    assert whole[LEFT_OUT] == {"jobs": "3 of 5", "page": "in part", "notes": "all of it"}


def test_pieces_are_small_end_where_a_sentence_does_and_have_names_of_their_own():
    pieces = pieces_of({"page": "This is a sentence of some length. " * 100, "deep": {"a": [{"b": "y" * 2_000}]}})
    assert all(len(piece.text) <= PIECE_CHARS + 60 for piece in pieces)
    assert len({piece.name for piece in pieces}) == len(pieces)
    texts = [piece.value for piece in pieces if piece.name.startswith("page")]
    assert all(text.rstrip().endswith(".") for text in texts)
    relevance = [piece.relevance for piece in pieces if piece.name.startswith("page")]
    assert relevance == sorted(relevance, reverse=True)
