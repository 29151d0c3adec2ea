"""Compare as many decisions as asked for: ``python -m differential DECISIONS SEED``."""

import asyncio
import sys
import tempfile
from pathlib import Path

from differential.comparing import compare_schedulers
from sandbox import Component, Options, start


def main() -> None:
    """Print what was compared, and the first difference if there is one."""
    decisions, seed = (int(text) for text in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        options = Options(name="differential", addons=frozenset({Component.SCHEDULER}), state=Path(folder))
        with start(options) as sandbox:
            print(asyncio.run(compare_schedulers(sandbox, decisions=decisions, seed=seed)))  # noqa: T201


if __name__ == "__main__":
    main()
