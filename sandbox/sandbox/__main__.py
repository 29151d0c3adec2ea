"""``python -m sandbox``."""

from sandbox.cli import main

main()
