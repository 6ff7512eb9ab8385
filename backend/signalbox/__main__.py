"""``python -m signalbox``: the command line."""

from signalbox.cli import main

main()
