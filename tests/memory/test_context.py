"""What fits into a window, what does not, and that nobody is left in the dark about it."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signalbox.errors import MessageTooLong, PromptTooLong
from signalbox.memory.context import LEAST_MESSAGE, MESSAGE, Dropped, Fitted, Item, Part, fit
from signalbox.memory.near_duplicates import near_duplicates


def words(text: str) -> int:
    return len(text.split())


def item(size: int, name: str = "", **more) -> Item:
    return Item(" ".join([name or "w"] * size), name, **more)


def message(size: int = 1) -> Part:
    return Part(MESSAGE, 0, (item(size, "message", pinned=True),))


def of_part(fitted: Fitted, part: str) -> list[str]:
    return [each.what for each in fitted.kept[part]]


def gone(fitted: Fitted) -> list[tuple[str, str, str]]:
    return [(each.part, each.what, each.why) for each in fitted.dropped]


@st.composite
def parts(draw) -> tuple[Part, ...]:
    made = [Part("system", 1, (item(draw(st.integers(1, 30)), "system", pinned=True),), frame=draw(st.integers(0, 5)))]
    for number, order in enumerate(draw(st.lists(st.sampled_from(["kept", "edges", "newest"]), max_size=4))):
        items = draw(
            st.lists(
                st.builds(
                    item,
                    st.integers(1, 25),
                    name=st.sampled_from("abcdefgh"),
                    relevance=st.sampled_from([0.0, 0.3, 0.9]),
                    recency=st.integers(0, 3),
                    pinned=st.booleans() if order != "newest" else st.just(False),
                    answers=st.booleans() if order == "newest" else st.just(False),
                ),
                max_size=9,
            )
        )
        floor = draw(st.integers(0, 40))
        cap = draw(st.none() | st.integers(0, 80))
        same = draw(st.sampled_from([None, 0.8])) if order != "newest" else None
        priority = draw(st.integers(2, 6))
        frame, each = draw(st.integers(0, 4)), draw(st.integers(0, 2))
        made.append(Part(f"part{number}", priority, tuple(items), floor, cap, frame, each, order=order, same=same))
    made.append(message(draw(st.integers(1, 200))))
    return tuple(made)


def mandatory(part: Part) -> int:
    pinned = [each for each in part.items if each.pinned]
    return part.frame + sum(words(each.text) + part.each for each in pinned) if pinned else 0


def best_within(part: Part, floor: int) -> list[Item]:
    """What the floor of a part has room for, worked out anew: its best items (its last ones), one by one."""
    rest = [(n, each) for n, each in enumerate(part.items) if not each.pinned]
    if part.order == "newest":
        rest.reverse()
    else:
        rest.sort(key=lambda one: (-one[1].relevance, -one[1].recency, one[0]))
        ranked = sorted(range(len(part.items)), key=lambda n: (
            not part.items[n].pinned, -part.items[n].relevance, -part.items[n].recency, n,
        ))  # fmt: skip
        if part.same is not None:
            twins = {ranked[n] for n in near_duplicates([part.items[n].text for n in ranked], part.same)}
            rest = [one for one in rest if one[0] not in twins]
    framed = any(each.pinned for each in part.items)
    chosen: list[Item] = []
    for _, each in rest:
        cost = words(each.text) + part.each + (0 if framed or chosen else part.frame)
        if cost <= floor:
            floor -= cost
            chosen.append(each)
        elif part.order == "newest":
            break
    while part.order == "newest" and chosen and chosen[-1].answers:
        chosen.pop()  # an answer whose question has no room
    return chosen


@given(parts(), st.integers(0, 400), st.integers(0, 120), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_parts_in_any_window(
    given_parts: Sequence[Part],
    window: int,
    output: int,
    shorten: bool,  # noqa: FBT001 - hypothesis gives it
):
    room = window - output
    must = sum(map(mandatory, given_parts))
    try:
        fitted = fit(given_parts, window, output, words, shorten=shorten)
    except MessageTooLong:
        assert must > room
        assert not shorten
        return
    except PromptTooLong:
        assert must - mandatory(given_parts[-1]) + LEAST_MESSAGE > room
        return
    assert fitted == fit(given_parts, window, output, words, shorten=shorten), "the same input, the same result"
    assert fitted.input + fitted.output <= fitted.window
    assert list(fitted.kept) == [part.name for part in given_parts]
    assert (fitted.shortened is not None) == (must > room)
    asked = fitted.kept[MESSAGE][0].text
    assert asked == given_parts[-1].items[0].text or "were left out here because it is too long" in asked
    floors_fit = must + sum(part.floor + part.frame for part in given_parts) <= room
    for part in given_parts[:-1]:
        check_part(fitted, part)
        if floors_fit:
            assert set(map(id, best_within(part, part.floor))) <= set(map(id, fitted.kept[part.name])), (
                "the floor holds"
            )


def check_part(fitted: Fitted, part: Part) -> None:
    kept = fitted.kept[part.name]
    lost = [each for each in fitted.dropped if each.part == part.name]
    assert len(kept) + len(lost) == len(part.items), "what is not kept is told to be dropped"
    told = sum(words(each.text) + part.each for each in kept) + (part.frame if kept else 0)
    assert told == fitted.tokens[part.name]
    assert {id(each) for each in part.items if each.pinned} <= set(map(id, kept))
    if part.order == "newest":
        assert list(kept) == list(part.items[len(part.items) - len(kept) :]), "an unbroken run of the last ones"
        assert not kept or not kept[0].answers
    elif part.order == "kept":
        assert list(kept) == [each for each in part.items if id(each) in set(map(id, kept))]


def test_the_least_important_part_gives_way_first_and_of_it_the_least_relevant():
    fitted = fit(
        [
            message(10),
            Part("history", 6, (item(10, "old"), item(10, "new")), order="newest"),
            Part("facts", 5, (item(10, "first", relevance=0.9), item(10, "last", relevance=0.1))),
            Part("profile", 3, (item(10, "name", relevance=0.5),)),
        ],
        50,
        5,
        words,
    )
    assert gone(fitted) == [("history", "old", "order"), ("history", "new", "room")]
    assert of_part(fitted, "facts") == ["first", "last"]
    smaller = fit(
        [message(10), Part("facts", 5, (item(10, "first", relevance=0.9), item(10, "last", relevance=0.1)))],
        25,
        5,
        words,
    )
    assert (of_part(smaller, "facts"), gone(smaller)) == (["first"], [("facts", "last", "room")])
    equal = fit([message(10), Part("facts", 5, (item(10, "old"), item(10, "new", recency=1)))], 25, 5, words)
    assert of_part(equal, "facts") == ["new"]


def test_history_goes_oldest_first_and_never_begins_with_an_answer():
    past = (
        item(5, "question 1"), item(5, "answer 1", answers=True),
        item(5, "question 2"), item(5, "answer 2", answers=True),
    )  # fmt: skip
    history = Part("history", 6, tuple(replace(each, text="w w w w w") for each in past), order="newest")
    kept = {size: of_part(fit([message(), history], size + 1, 0, words), "history") for size in (20, 15, 10, 9, 5, 0)}
    two = ["question 2", "answer 2"]
    assert kept == {20: ["question 1", "answer 1", *two], 15: two, 10: two, 9: [], 5: [], 0: []}
    fitted = fit([message(), history], 16, 0, words)
    assert gone(fitted) == [("history", "question 1", "room"), ("history", "answer 1", "order")]


def test_hard_constraints_and_pinned_facts_stay_over_any_cap():
    pinned = [Item(f"{n} " * 20, f"rule {n}", pinned=True) for n in range(3)]
    fitted = fit([message(), Part("profile", 3, (*pinned, Item("a b", "name")), cap=10)], 70, 0, words)
    assert of_part(fitted, "profile") == ["rule 0", "rule 1", "rule 2"]
    assert gone(fitted) == [("profile", "name", "cap")]
    with pytest.raises(PromptTooLong, match="SIGNALBOX_PROMPT_TOKENS"):
        fit([message(), Part("profile", 3, tuple(pinned))], 50, 0, words)


def test_the_most_relevant_stand_at_the_edges():
    ranked = tuple(
        Item(name, name, relevance=relevance) for name, relevance in zip("cabed", (3, 5, 4, 1, 2), strict=True)
    )
    fitted = fit([message(), Part("profile", 3, ranked, order="edges")], 50, 0, words)
    assert of_part(fitted, "profile") == ["a", "c", "e", "d", "b"], "best, third, fifth ... fourth, second"


def test_what_was_said_already_is_left_out_but_not_what_differs_in_a_number():
    said = (
        Item("wants to work remotely from Leeds, three days a week", "1", relevance=1),
        Item("Wants to work remotely from Leeds three days a week.", "2"),
        Item("is paid 40000 a year in the post that she has now", "3"),
        Item("is paid 45000 a year in the post that she has now", "4"),
        Item("Wants to work remotely from Leeds three days a week", "5", pinned=True),
    )
    fitted = fit([message(), Part("profile", 3, said, same=0.85)], 100, 0, words)
    assert of_part(fitted, "profile") == ["3", "4", "5"]
    assert gone(fitted) == [("profile", "1", "duplicate"), ("profile", "2", "duplicate")]


def test_an_over_long_message_is_refused_with_what_would_fit_or_shortened_for_all_to_see():
    rules = Part("system", 1, (item(50, "rules", pinned=True),))
    long = Part(MESSAGE, 0, (Item(" ".join(f"word{n:04}" for n in range(1_000)), "message", pinned=True),))
    with pytest.raises(MessageTooLong) as refused:
        fit([rules, long], 700, 100, words)
    assert (refused.value.status, refused.value.code) == (413, "message_too_long")
    assert "has 8,999 characters and about 4,950 fit" in refused.value.public
    fitted = fit([rules, long], 700, 100, words, shorten=True)
    text = fitted.kept[MESSAGE][0].text
    assert text.startswith("word0000 word0001")
    assert text.endswith("word0998 word0999")
    assert fitted.shortened is not None
    assert fitted.shortened.of == 8_999
    left_out = f"[... {8_999 - fitted.shortened.kept:,} characters of this message were left out here"
    assert left_out in text
    assert fitted.about()["shortened"] == {"kept": fitted.shortened.kept, "of": 8_999}
    assert 590 <= fitted.input <= 600, "no more than it has to"


def test_a_long_message_leaves_the_other_parts_their_floors():
    facts = Part("facts", 5, tuple(Item(f"{n} " * 10, str(n)) for n in range(40)), floor=200)
    long = Part(MESSAGE, 0, (Item("word " * 5_000, "message", pinned=True),))
    fitted = fit([facts, long], 1_000, 100, words, shorten=True)
    assert fitted.tokens["facts"] == 200
    assert fitted.input <= 900


def test_the_record_says_what_was_left_out_by_name_and_never_what_it_said():
    secret = tuple(Item(f"secret {n} " * 5, f"jobs[{n}]") for n in range(12))
    about = fit([message(), Part("facts", 5, secret, floor=25)], 31, 5, words).about()
    assert about == {
        "window": 31,
        "output": 5,
        "tokens": {"message": 1, "facts": 20},
        "dropped": [
            {
                "part": "facts",
                "why": "room",
                "items": 10,
                "tokens": 100,
                "what": ["jobs[2]", "jobs[3]", "jobs[4]", "jobs[5]", "jobs[6]"],
            }
        ],
    }
    assert "secret" not in str(about)


def test_similarity_is_of_words_and_their_order():
    assert list(near_duplicates(["a b c d", "d c b a", "A b, c d!"], 0.9)) == [2]
    assert list(near_duplicates(["same", "same"], 1.0)) == [1]
    assert list(near_duplicates(["!!!", "???", "!!!"], 1.0)) == [2]


def test_sizes_are_rounded_against_us():
    half = Part("facts", 5, tuple(Item("x", str(n)) for n in range(5)))
    fitted = fit([half], 3, 0, lambda text: math.ceil(len(text) * 0.6))
    assert (fitted.input, fitted.dropped[0]) == (3, Dropped("facts", "3", 1, "room"))
