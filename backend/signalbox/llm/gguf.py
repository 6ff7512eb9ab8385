"""Reads the tokenizer out of a GGUF file's header, to count a local model's tokens without loading the model."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import structlog
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from signalbox.llm.tokens import Count

logger = structlog.get_logger(__name__)

# GGUF: a magic number, a version, the number of tensors and of key-value pairs, then the pairs. All little-endian.
MAGIC: Final = b"GGUF"
MOST_PAIRS: Final = 10_000
MOST_ENTRIES: Final = 4_000_000
MOST_BYTES: Final = 16_000_000
_FIXED: Final = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING: Final = 8
_ARRAY: Final = 9
# How the byte-level vocabularies split a text before they merge, by the name that the file gives it.
_DIGIT_BY_DIGIT: Final = frozenset({"smollm", "starcoder", "refact", "command-r", "codeshell"})
_BY_THREE: Final = frozenset({"llama-bpe", "llama3", "llama-v3", "dbrx", "smaug-bpe"})
_LLAMA3_SPLIT: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def token_count(path: Path) -> Count | None:
    """How many tokens the model of that file makes of a text; None where its tokenizer is of a kind we do not know, or
    the file cannot be read: whoever loads the model says so.
    """
    try:
        tokenizer = _tokenizer(_header(path))
    except (OSError, ValueError, struct.error, KeyError) as exc:
        logger.warning("the local model's tokenizer cannot be read: tokens are estimated", error=type(exc).__name__)
        return None  # truth: tokens are then estimated, as was just logged
    return None if tokenizer is None else lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _tokenizer(header: Mapping[str, Any]) -> Tokenizer | None:
    if header.get("tokenizer.ggml.model") != "gpt2":
        return None
    vocabulary = {token: number for number, token in enumerate(header["tokenizer.ggml.tokens"])}
    merges = [tuple(merge.split(" ", 1)) for merge in header["tokenizer.ggml.merges"]]
    # The library says so by a bare ``Exception``.
    if not all(len(merge) == 2 and {*merge, "".join(merge)} <= vocabulary.keys() for merge in merges):
        raise ValueError("a merge of what is not in the vocabulary")
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    split: list[Any] = []
    name = str(header.get("tokenizer.ggml.pre", ""))
    if name in _DIGIT_BY_DIGIT:
        split.append(pre_tokenizers.Digits(individual_digits=True))
    by_three = name in _BY_THREE
    if by_three:
        split.append(pre_tokenizers.Split(Regex(_LLAMA3_SPLIT), behavior="isolated"))
    split.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not by_three))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(split)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _header(path: Path) -> dict[str, Any]:
    """The file's key-value pairs. Raises ``ValueError`` for what is no GGUF file, ``OSError``, ``struct.error``."""
    with path.open("rb") as file:
        if file.read(4) != MAGIC:
            raise ValueError("no GGUF file")
        version, _tensors, pairs = _number(file, "<I"), _number(file, "<Q"), _number(file, "<Q")
        if version < 2 or pairs > MOST_PAIRS:
            raise ValueError("an unknown version of GGUF")
        return {_text(file): _value(file, _number(file, "<I")) for _ in range(pairs)}


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _text(file)
    if kind != _ARRAY:
        return _number(file, _FIXED[kind])
    inner, length = _number(file, "<I"), _number(file, "<Q")
    if length > MOST_ENTRIES:
        raise ValueError("an array that is too long")
    if inner == _ARRAY:
        raise ValueError("an array of arrays")  # no tokenizer needs one, and each level is a call
    if inner in _FIXED:
        form = _FIXED[inner][1]
        return list(struct.unpack(f"<{length}{form}", file.read(length * struct.calcsize(f"<{form}"))))
    return [_value(file, inner) for _ in range(length)]


def _text(file: BinaryIO) -> str:
    length = _number(file, "<Q")
    if length > MOST_BYTES:
        raise ValueError("a text that is too long")
    return file.read(length).decode("utf-8", "replace")


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]
