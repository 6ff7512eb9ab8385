"""Vectors that come packaged with the guides, so that a first start need not compute them.

They are looked up by the very text they were computed from: a guide that was edited since is simply embedded anew.
"""

import hashlib
import io
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray

from signalbox.llm.embedding import MODEL_SHA256

VECTORS_FILE: Final = "guides.npz"
_KEY_BYTES = 12


def key_of(text: str) -> bytes:
    """Of a text and of the model that reads it."""
    framed = f"{MODEL_SHA256}\x1f{text}".encode("utf-8", "replace")
    return hashlib.blake2b(framed, digest_size=_KEY_BYTES).digest()


def packaged_vectors() -> Mapping[bytes, NDArray[np.float32]]:
    """By ``key_of`` the text; none if the file is not there."""
    file = resources.files("signalbox.data") / VECTORS_FILE
    if not file.is_file():
        return {}
    with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as held:
        keys, vectors = held["keys"], held["vectors"].astype(np.float32)
    return {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}


def packed(texts: Sequence[str], vectors: NDArray[np.float32]) -> bytes:
    """The file for these texts. Half precision: a cosine changes in its fourth digit."""
    keys = np.array([list(key_of(text)) for text in texts], np.uint8).reshape(len(texts), _KEY_BYTES)
    out = io.BytesIO()
    np.savez_compressed(out, keys=keys, vectors=vectors.astype(np.float16))
    return out.getvalue()
