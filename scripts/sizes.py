"""A file is a room: fails when a source file grows past what fits in the head."""

import subprocess
import sys
from pathlib import Path

LIMIT = 450
SOURCES = (".py", ".lua", ".ts", ".tsx", ".css")
GENERATED = (".gen.ts", "texts.ts")  # made by a program; one list by nature

listed = subprocess.run(["git", "ls-files", "backend", "frontend"], capture_output=True, text=True, check=True).stdout
files = [f for f in listed.split() if f.endswith(SOURCES) and not f.endswith(GENERATED) and ".test." not in f]
sizes = {f: Path(f).read_text(encoding="utf-8").count("\n") for f in files}
large = {f: n for f, n in sizes.items() if n > LIMIT}
for name, lines in sorted(large.items()):
    print(f"{name}: {lines} lines, more than {LIMIT}; split it by noun")
print(f"{len(sizes)} source files, the longest {max(sizes.values())} lines")
sys.exit(bool(large))
