import pytest

from signalbox.retrieval.fusion import reciprocal_ranks


def test_two_rankings_fuse_to_the_sum_of_reciprocal_ranks():
    fused = reciprocal_ranks(["a", "b", "c"], ["c", "a"])
    assert [key for key, _ in fused] == ["a", "c", "b"]
    scores = dict(fused)
    assert scores["a"] == pytest.approx(1 / 61 + 1 / 62)
    assert scores["c"] == pytest.approx(1 / 63 + 1 / 61)
    assert scores["b"] == pytest.approx(1 / 62)


def test_agreement_beats_one_first_place():
    assert reciprocal_ranks(["x", "y"], ["z", "y"])[0][0] == "y"


def test_equals_keep_the_order_of_first_appearance_and_nothing_fuses_to_nothing():
    assert [key for key, _ in reciprocal_ranks(["b"], ["a"])] == ["b", "a"]
    assert reciprocal_ranks([], []) == []
