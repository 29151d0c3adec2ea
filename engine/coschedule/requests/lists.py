"""Places of refused values in attributes that hold lists."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from coschedule.errors import InvalidValueError
from coschedule.requests.fields import placed


@contextmanager
def placed_in_lists(path: str, spelling: Mapping[str, str]) -> Iterator[None]:
    """Do as ``placed`` does, also when a refused value is an item: what stands behind the attribute's name is kept."""
    try:
        yield
    except InvalidValueError as error:
        _, bracket, index = error.field.partition("[")
        indexed = {field + bracket + index: name + bracket + index for field, name in spelling.items()}
        with placed(path, indexed):
            raise
