"""Which model is asked what: by the task, by words with their boundaries, by the operator, by chance that is none."""

import json
from dataclasses import replace

import pytest

from signalbox.errors import ConfigurationError
from signalbox.llm.base import ChatMessage, ModelRequest
from signalbox.llm.plan import ModelRef
from signalbox.llm.tiers import TASKS, TIERS, Rule, TierPolicy, policy_of
from signalbox.settings import load_settings

SMALL, USUAL, BIG = ModelRef("small", "groq"), ModelRef("usual", "groq"), ModelRef("big", "openai")
POLICY = TierPolicy(models={"cheap": (SMALL,), "standard": (USUAL,), "strong": (BIG,)})


def asks(message: str, task: str = "answer", **more) -> ModelRequest:
    return ModelRequest(task, (ChatMessage("system", "s"), ChatMessage("user", message)), "", **more)


def settings(tmp_path, **more):
    return load_settings(data_dir=tmp_path, groq_api_key="k", **more)


@pytest.mark.parametrize(
    ("task", "tier"),
    [("classify", "cheap"), ("summarise", "cheap"), ("extract", "cheap"), ("answer", "standard"), ("write", "standard"),
     ("a task of one's own", "standard")],
)  # fmt: skip
def test_a_task_has_its_tier(task, tier):
    choice = POLICY.choose(asks("find me remote python jobs", task))
    assert (choice.tier, choice.why) == (tier, "task")


@pytest.mark.parametrize(
    ("message", "tier"),
    [
        ("hi", "cheap"), ("Thanks a lot!", "cheap"), ("ok, great 👍", "cheap"),
        ("<message>\nHello there\n</message>", "cheap"),
        ("hi, which of these jobs fits me?", "standard"), ("book", "standard"), ("thinking of a change", "standard"),
        ("How are you today?", "cheap"), ("Thanks, that's very helpful. Have a nice evening!", "cheap"),
        ("Thanks, and what does it pay?", "standard"), ("no", "standard"), ("yes please", "standard"),
        # That a question sounds hard is no evidence that the standard model fails at it.
        ("What are the pros and cons of going remote?", "standard"), ("Walk me through it step by step", "standard"),
        ("That's not what I asked.", "standard"), ("no, try again", "standard"), ("you’re great", "standard"),
        ("That’s still not what I asked.", "strong"), ("wrong again", "strong"), ("You still don't answer", "strong"),
        ("Which offer should I take?", "strong"), ("Should I turn down their offer?", "strong"),
        ("Should I accept payment in advance?", "standard"), ("which job should I look for", "standard"),
        # Words that hold others.
        ("improve my CV", "standard"), ("I weighed 80 kg when I was upbeat", "standard"), ("retry against", "standard"),
        ("Okayama jobs", "standard"), ("stepbystepping", "standard"), ("This is hi-tech", "standard"),
    ],
)  # fmt: skip
def test_a_rule_goes_by_whole_words(message, tier):
    assert POLICY.choose(asks(message)).tier == tier


def talk(*messages: str, task: str = "answer") -> ModelRequest:
    told = [ChatMessage("system", "s")]
    for message in messages:
        told += [ChatMessage("user", f"<message>\n{message}\n</message>"), ChatMessage("assistant", "That's wrong.")]
    return ModelRequest(task, tuple(told[:-1]), "")


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        (("find jobs", "that's wrong"), "task"),
        (("find jobs", "that's wrong", "You misunderstood."), "rule: complained twice"),
        (("find jobs", "That is not what I meant", "ok", "no, try again"), "rule: complained twice"),
        (("that's wrong", "find jobs", "and nurses?", "that's wrong"), "task"),
        (("that's wrong", "find jobs"), "task"),
        (("that's wrong " + "x" * 600, "that's wrong"), "task"),
    ],
)
def test_a_complaint_is_for_the_same_model_and_the_next_one_for_the_strong(messages, why):
    assert POLICY.choose(talk(*messages)).why == why


def test_an_escalation_climbs_one_step_to_another_model():
    again = asks("x", "classify", tier="strong")
    assert (POLICY.choose(again).tier, POLICY.choose(again).escalated) == ("standard", True)
    assert POLICY.choose(asks("x", "write", tier="strong")).tier == "strong"
    # Where cheap and standard are one model, it would say the same again.
    no_small = replace(POLICY, models={**POLICY.models, "cheap": (USUAL,)})
    assert (no_small.choose(again).tier, no_small.choose(again).escalated) == ("strong", True)
    alone = replace(POLICY, models=dict.fromkeys(POLICY.models, (USUAL,)))
    assert (alone.choose(again).chain, alone.choose(again).escalated) == ((USUAL,), True)


def test_words_alone_never_move_an_answer_up():
    """Words alone move an answer up only where a reader found it wanting twice, or where an offer hangs on it."""
    up = [rule for rule in POLICY.rules if TIERS.index(rule.tier) > TIERS.index(TASKS[rule.task])]
    assert {rule.name for rule in up} == {"complained twice", "still wrong", "decides on an offer"}
    assert all(TIERS.index(tier) <= TIERS.index("standard") for tier in TASKS.values())
    assert POLICY.strong_share == 0


def test_no_rule_can_match_inside_a_word():
    proof = Rule("proof", "answer", "prove", "strong")
    policy = replace(POLICY, rules=(proof,))
    assert policy.choose(asks("Prove that I was underpaid")).why == "rule: proof"
    for message in ("improve my CV", "it improved", "disproven", "approver"):
        assert policy.choose(asks(message)).tier == "standard", message


def test_rules_are_for_their_task_alone():
    assert POLICY.choose(asks("thanks", "write")).tier == "standard"


def test_what_is_pasted_is_not_what_is_asked():
    advert = "We work step by step and weigh up the pros and cons of every design. " * 10
    assert POLICY.choose(asks(f"Does this fit me?\n{advert}")).tier == "standard"


def test_a_rule_takes_no_time_over_a_long_message():
    policy = replace(POLICY, rule_chars=1_000_000)
    assert policy.choose(asks("ok " * 20_000)).tier == "standard"
    assert policy.choose(asks("!" * 60_000 + "x")).tier == "standard"


def test_what_was_asked_for_wins_over_rules_and_settings():
    policy = replace(POLICY, overrides={"answer": "standard"}, strong_share=1.0)
    choice = policy.choose(asks("hello", tier="strong"))
    assert (choice.tier, choice.escalated, choice.control) == ("strong", True, False)
    choice = policy.choose(asks("Which offer should I take?", tier="cheap"))
    assert (choice.tier, choice.escalated) == ("cheap", False)
    choice = POLICY.choose(asks("Which offer should I take?", tier="strong"))
    assert not choice.escalated, "it would have had the strong tier anyway"


def test_the_control_group_is_a_fair_share_and_the_same_at_every_look():
    policy = replace(POLICY, strong_share=0.2)
    requests = [asks(f"find job number {number}") for number in range(2_000)]
    first = [policy.choose(request) for request in requests]
    assert first == [TierPolicy.of(policy.told()).choose(request) for request in requests]
    control = [choice for choice in first if choice.control]
    assert 320 < len(control) < 480
    assert {(choice.tier, choice.why, choice.escalated) for choice in control} == {("strong", "control group", False)}
    assert not any(POLICY.choose(request).control for request in requests)


def test_there_is_no_control_group_where_the_strong_model_is_the_usual_one():
    policy = TierPolicy(models=dict.fromkeys(("cheap", "standard", "strong"), (USUAL,)), strong_share=1.0)
    assert not policy.choose(asks("find jobs")).control


def test_a_policy_survives_being_told_as_json():
    policy = replace(POLICY, overrides={"write": "strong"}, strong_share=0.25)
    told = json.loads(json.dumps(policy.told()))
    assert TierPolicy.of(told) == policy
    for broken in ({}, {**told, "models": {}}, {**told, "tasks": {"a": "best"}}, {**told, "rules": [{"x": 1}]}):
        with pytest.raises(ValueError, match="tier"):
            TierPolicy.of(broken)


def test_settings_make_the_policy(tmp_path):
    policy = policy_of(
        settings(
            tmp_path, model_cheap="small", model_strong="big@openai", providers="openai=https://api.example/v1",
            model_fallbacks="spare@openai,other,offline", model_tiers="write=strong, classify=standard",
        ),
        USUAL,
    )  # fmt: skip
    told = {tier: [str(ref) for ref in chain] for tier, chain in policy.models.items()}
    assert told == {
        "cheap": ["small@groq", "usual@groq", "other@groq", "spare@openai", "offline@offline"],
        "standard": ["usual@groq", "other@groq", "spare@openai", "offline@offline"],
        "strong": ["big@openai", "spare@openai", "usual@groq", "other@groq", "offline@offline"],
    }, "the same provider first"
    assert policy.choose(asks("thanks", "write")).why == "setting"
    assert policy.choose(asks("x", "classify")).tier == "standard"
    assert policy_of(settings(tmp_path, strong_share=0.1), USUAL).strong_share == 0.1


def test_an_unset_tier_is_the_usual_model(tmp_path):
    policy = policy_of(settings(tmp_path), USUAL)
    assert set(policy.models.values()) == {(USUAL,)}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"model_tiers": "write"}, "task=tier"),
        ({"model_tiers": "write=best"}, "cheap, standard, strong"),
        ({"model_tiers": "sing=cheap"}, ", ".join(TASKS)),
        ({"model_cheap": "x@nowhere"}, "SIGNALBOX_MODEL_CHEAP"),
        ({"model_fallbacks": "a,@groq"}, "SIGNALBOX_MODEL_FALLBACKS"),
    ],
)
def test_a_wrong_setting_is_named_and_explained(tmp_path, more, said):
    with pytest.raises(ConfigurationError) as told:
        policy_of(settings(tmp_path, **more), USUAL)
    assert said in told.value.public
