"""The documents of a file in YAML or JSON, within bounds: a text can stand for far more than it has characters."""

from collections.abc import Iterator
from typing import Any

import orjson
import yaml

from lockstep.answers.reading.errors import AnswerError

LONGEST = 2**22
"""More characters are not read: the API server takes no object of that size either."""

_MOST_VALUES = 1_000_000


def read_documents(text: str) -> Iterator[Any]:
    """Read each document as the API server will get it: keys are strings, and times too. Raises ``AnswerError``."""
    if len(text) > LONGEST:
        raise AnswerError(f"It has more than {LONGEST} characters: that is no file of manifests.")
    try:
        for document in yaml.safe_load_all(text):
            if _values(document, {}) > _MOST_VALUES:
                raise AnswerError(f"Its aliases stand for more than {_MOST_VALUES} values.")
            if document is not None:
                yield orjson.loads(orjson.dumps(document))
    # A scalar that is no number, time or truth raises whatever comes to its reader.
    except (yaml.YAMLError, TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        raise AnswerError(f"It is neither YAML nor JSON: {' '.join(str(error).split())}.") from error


def _values(value: Any, known: dict[int, int]) -> int:
    """Count the values of a document, each as often as it is referred to; one that has itself in it has too many."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        known[id(value)] = _MOST_VALUES + 1
        inner = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_values(one, known) for one in inner)
    return known[id(value)]
