import json
import random
import string

import pytest
from typer.testing import CliRunner

from signalbox import intents_cli
from signalbox.cli import app
from signalbox.errors import ConfigurationError
from signalbox.graph.intent import ADOPTED
from signalbox.graph.intent_data import Example, as_line, load_examples, packaged_examples


@pytest.fixture
def few(tmp_path):
    """A labelled file that is trained on in a second."""
    path = tmp_path / "few.jsonl"
    path.write_text("".join(packaged_examples().read_text(encoding="utf-8").splitlines(keepends=True)[:120]))
    return path


@pytest.fixture
def signalbox(monkeypatch, tmp_path):
    """Calls the command line with a data folder of its own; returns the exit code and all it printed."""
    monkeypatch.setenv("SIGNALBOX_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setattr(intents_cli.out, "_width", 160)

    def call(*words):
        result = CliRunner().invoke(app, ["intents", *map(str, words)])
        if isinstance(result.exception, Exception):
            raise result.exception
        return result.exit_code, " ".join(result.output.split())

    return call


def write(path, examples):
    path.write_text("".join(as_line(example, review=example.review) for example in examples), encoding="utf-8")
    return path


def test_a_file_is_judged_with_every_figure(signalbox, few, tmp_path):
    others = load_examples(packaged_examples())[300:330]
    code, said = signalbox("eval", write(tmp_path / "mine.jsonl", others), "--training", few)
    assert code == 0
    for part in ("strict", "lenient", "precision", "recall", "sure (>= 0.70)", "flagged ambiguous", "not flagged",
                 "strict: the share answered with the very label", "negation", "0.9+", "label",
                 "cover_letter"):  # fmt: skip
        assert part in said
    assert "30 of 30 messages are not in the training file; the other 0" in said


def test_what_was_trained_on_is_judged_by_cross_validation(signalbox, few):
    """A model that had seen them would get nearly all of them right."""
    code, said = signalbox("eval", few, "--training", few)
    assert code == 0
    assert "0 of 120 messages are not in the training file; the other 120" in said
    row = next(part for part in said.split("│ ") if part.startswith("all"))
    figures = said[said.index(row) :].split("│")
    assert float(figures[3].strip(" %")) < 90


def test_without_a_file_the_training_messages_are_cross_validated(signalbox, few):
    code, said = signalbox("eval", "--training", few)
    assert code == 0
    assert "labelled twice" in said
    assert "the other 120 were answered by cross-validation" in said


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_file_without_messages_is_refused(signalbox, tmp_path, content):
    (tmp_path / "none.jsonl").write_text(content)
    with pytest.raises(ConfigurationError, match="holds no messages"):
        signalbox("eval", tmp_path / "none.jsonl")


def test_too_few_messages_to_train_on_are_refused(signalbox, few, tmp_path):
    alone = write(tmp_path / "alone.jsonl", load_examples(few)[:1])
    for words in (["eval"], ["eval", few], ["retrain", few]):
        with pytest.raises(ConfigurationError, match=r"alone\.jsonl holds 1 messages"):
            signalbox(*words, "--training", alone)


def test_a_file_that_is_not_there_or_not_labelled_is_named(signalbox, tmp_path):
    with pytest.raises(ConfigurationError, match=r"gone\.jsonl"):
        signalbox("eval", tmp_path / "gone.jsonl")
    (tmp_path / "bad.jsonl").write_text('{"text": "hello"}\n')
    with pytest.raises(ConfigurationError, match=r"bad\.jsonl, line 1: .*'id', 'intent', 'also' and"):
        signalbox("retrain", tmp_path / "bad.jsonl")


def test_good_messages_are_adopted_and_forgotten_on_request(signalbox, few, tmp_path):
    more = write(tmp_path / "more.jsonl", load_examples(packaged_examples())[120:220])
    models = tmp_path / "data" / "models"
    code, said = signalbox("retrain", more, "--training", few, "--dry-run")
    assert (code, models.exists()) == (0, False)
    assert "It would be adopted" in said
    code, said = signalbox("retrain", more, "--training", few)
    assert code == 0
    assert "with 100 messages more" in said
    assert len(load_examples(models / ADOPTED)) == 100
    assert len(list(models.glob("*.npz"))) == 1
    code, said = signalbox("retrain", "--reset")
    assert (code, (models / ADOPTED).exists()) == (0, False)
    assert "Nothing was adopted" in signalbox("retrain", "--reset")[1]


def test_wrong_labels_are_not_adopted(signalbox, few, tmp_path):
    labels = random.Random(1)
    wrong = [
        Example("w", f"{example.text} {''.join(labels.choices(string.ascii_lowercase, k=3))}",
                "salary" if example.intent != "salary" else "general", (), example.recent)
        for example in load_examples(few)
    ]  # fmt: skip
    path = write(tmp_path / "wrong.jsonl", wrong)
    code, said = signalbox("retrain", path, "--training", few, "--accept-contradictions")
    assert code == 1
    assert "worse than the model in use" in said
    assert not (tmp_path / "data" / "models" / ADOPTED).exists()


def test_what_contradicts_the_training_file_is_left_out_and_listed(signalbox, few, tmp_path):
    """A handful of wrong labels is not seen in the score, and turned every message like them."""
    known = next(each for each in load_examples(few) if each.intent == "job_search" and not each.also)
    wrong = [Example("w", f"{known.text} {number}", "salary", (), known.recent) for number in (1, 2, 3)]
    models = tmp_path / "data" / "models"
    code, said = signalbox("retrain", write(tmp_path / "wrong.jsonl", wrong), "--training", few)
    assert (code, (models / ADOPTED).exists()) == (1, False)
    assert f"(salary) contradicts {known.id} '{' '.join(known.text.split())[:80]}': job_search" in said
    assert "all 3 new messages contradict the training file" in said
    good = load_examples(packaged_examples())[120:160]
    mixed = write(tmp_path / "mixed.jsonl", [*wrong, *good])
    code, said = signalbox("retrain", mixed, "--training", few)
    assert code == 0
    assert "contradict the training file and were left out" in said
    adopted = [each.text for each in load_examples(models / ADOPTED)]
    assert len(adopted) >= 35
    assert not {each.text for each in wrong} & set(adopted)
    code, said = signalbox("retrain", mixed, "--training", few, "--accept-contradictions", "--dry-run")
    assert "contradicts" not in said
    assert "with 43 messages more" in said


def test_guesses_that_nobody_reviewed_are_not_trained_on(signalbox, few, tmp_path):
    guessed = Example("g", "wanted: a lighthouse keeper", "job_search", (), (), review=True)
    with pytest.raises(ConfigurationError, match="nothing to train on: 2 messages"):
        signalbox("retrain", write(tmp_path / "g.jsonl", [guessed, load_examples(few)[0]]), "--training", few)


def test_retrain_wants_files_or_reset_and_not_both(signalbox, few):
    for words in (["retrain"], ["retrain", few, "--reset"]):
        with pytest.raises(ConfigurationError, match="--reset"):
            signalbox(*words)


def test_export_does_not_overwrite(signalbox, few):
    before = few.read_text()
    with pytest.raises(ConfigurationError, match="--force"):
        signalbox("export", few)
    assert few.read_text() == before
    assert json.loads(before.splitlines()[0])["id"] == "d0001"


def test_live_messages_are_reported_and_exported_for_their_owner_only(
    signalbox, monkeypatch, servers, database, tmp_path
):
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", servers.database_url)
    monkeypatch.setenv("SIGNALBOX_REDIS_URL", servers.redis_url)
    code, said = signalbox("report", "--since", "2091-01-01")
    assert (code, said) == (0, "Nothing was classified yet.")
    path = tmp_path / "live.jsonl"
    code, said = signalbox("export", path, "--since", "2091-01-01", "--only-chosen", "--min-confidence", "0.8")
    assert code == 0
    assert "0 messages written" in said
    assert path.read_text() == ""
    assert path.stat().st_mode & 0o077 == 0
