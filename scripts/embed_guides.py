#!/usr/bin/env python3
"""Computes the vectors that are packaged with the guides. Run it after editing backend/signalbox/data/guides."""

from pathlib import Path

import signalbox
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.documents.ingest import guide_texts
from signalbox.retrieval.documents.vectors import VECTORS_FILE, packed


def main() -> None:
    texts = guide_texts()
    data = packed(texts, Embedder(threads=2).embed_sync(texts))
    place = Path(signalbox.__file__).parent / "data" / VECTORS_FILE
    place.write_bytes(data)
    print(f"{place}: {len(texts)} vectors, {len(data) // 1024} kB")


if __name__ == "__main__":
    main()
