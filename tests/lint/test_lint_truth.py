"""The lint finds each planted confusion and nothing in clean code, and the product has none."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = Path(__file__).parent / "fixtures"
LINT = ROOT / "scripts" / "lint_truth.py"


@pytest.fixture(scope="module")
def lint():
    spec = importlib.util.spec_from_file_location("lint_truth", LINT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def expected(source):
    return {
        (number, match[1])
        for number, line in enumerate(source.splitlines(), start=1)
        if (match := re.search(r"# finds: ([\w-]+)$", line))
    }


def test_each_planted_confusion_is_found_and_nothing_else(lint):
    source = (FIXTURES / "planted.txt").read_text(encoding="utf-8")
    found = {(each.line, each.rule) for each in lint.findings_of(source) if not each.reason}
    assert found == expected(source)
    assert len(found) == 41
    assert {rule for _, rule in found} == set(re.findall(r"^([a-z]+(?:-[a-z]+)+) {2,}", lint.__doc__, re.MULTILINE))


def test_clean_code_passes_and_an_exception_carries_its_reason(lint):
    source = (FIXTURES / "clean.txt").read_text(encoding="utf-8")
    found = lint.findings_of(source, "clean.py")
    assert [each for each in found if not each.reason] == []
    assert [each.reason for each in found] == ["no such day, so the text names none"]


def test_a_reason_of_one_word_is_none(lint):
    source = "def f(x):\n    try:\n        return x()\n    except OSError:\n        return []  # truth: fine\n"
    assert [each.reason for each in lint.findings_of(source)] == [""]


def test_the_product_has_none_and_the_count_is_printed(tmp_path):
    done = subprocess.run([sys.executable, LINT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^0 findings in \d{3,} files, \d+ exceptions with a reason$", done.stdout, re.MULTILINE)


def test_a_finding_fails_the_gate(tmp_path):
    (tmp_path / "bad.py").write_text(
        "def f(x):\n    try:\n        return x()\n    except OSError:\n        return []\n", encoding="utf-8"
    )
    copy = tmp_path / "scripts" / "lint_truth.py"
    copy.parent.mkdir()
    copy.write_text(LINT.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run([sys.executable, copy, "."], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "bad.py:5: returned-nothing: return []" in done.stdout
