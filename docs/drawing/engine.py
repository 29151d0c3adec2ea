"""Answers of the engine, asked for in its request language."""

import json
from typing import Any

from coschedule.requests.answer import answer_line


def ask(problem: str, **request: Any) -> dict[str, Any]:
    """Answer one request; a request that cannot be understood is a mistake of the picture."""
    answer: dict[str, Any] = json.loads(answer_line(json.dumps({"problem": problem, **request}).encode()))
    assert "error" not in answer, answer["error"]
    return answer
