"""Reads the documents of a YAML or JSON file within bounds: with aliases, a short YAML text can be a huge document."""

from collections.abc import Iterator
from typing import Any

import orjson
import yaml

from lockstep.answers.reading.errors import AnswerError

LONGEST = 2**22
"""The most characters that are read. The API server accepts no larger object either."""

_MOST_VALUES = 1_000_000
_TEXT = "tag:yaml.org,2002:str"


class _Loader(yaml.SafeLoader):
    """Reads values such as 1:30:00 as texts, as kubectl does. YAML 1.1 reads them as numbers of base 60."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        tag: str = super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]
        return _TEXT if tag.endswith((":int", ":float")) and ":" in value else tag


def read_documents(text: str) -> Iterator[Any]:
    """Yield each document as the API server will get it: keys and times are strings. Raises ``AnswerError``."""
    if len(text) > LONGEST:
        raise AnswerError(f"It has more than {LONGEST} characters: that is not a file of manifests.")
    try:
        for document in yaml.load_all(text, _Loader):
            if _values(document, {}) > _MOST_VALUES:
                raise AnswerError(f"Its YAML aliases stand for more than {_MOST_VALUES} values.")
            if document is not None:
                yield orjson.loads(orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS))
    # If a scalar looks like a number, a time or a boolean, but is none, PyYAML raises various errors.
    except (yaml.YAMLError, TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        raise AnswerError(f"It is neither YAML nor JSON: {' '.join(str(error).split())}.") from error


def read_objects(text: str) -> Iterator[Any]:
    """Yield each document, or each item of a list in kubectl's format. Raises ``AnswerError``."""
    for document in read_documents(text):
        is_list = isinstance(document, dict) and str(document.get("kind")).endswith("List")
        items = document.get("items") if is_list else None
        yield from items if isinstance(items, list) else [document]


def _values(value: Any, known: dict[int, int]) -> int:
    """Count the values of a document, each as often as it is referenced.

    A document that contains itself has too many.
    """
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        known[id(value)] = _MOST_VALUES + 1
        inner = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_values(one, known) for one in inner)
    return known[id(value)]
