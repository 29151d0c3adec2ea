"""Logs and messages quote errors by their message: the ``repr()`` of an error of aiohttp contains request headers."""

import re
from pathlib import Path

OPERATOR = Path(__file__).parents[3] / "operator"


def test_no_text_contains_the_repr_of_an_error():
    texts = {str(path.relative_to(OPERATOR)): path.read_text(encoding="utf-8") for path in OPERATOR.rglob("*.py")}

    assert texts
    assert [path for path, text in texts.items() if re.search(r"error!r|repr\(error\)|%r", text)] == []
