"""The chart's values as they stand in values.yaml: each with its default and with what its comment says."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

MARK = "# -- "


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One key of values.yaml that a user may set. ``inner`` are the keys below one that is only a group."""

    path: tuple[str, ...]
    default: Any
    description: str
    inner: tuple["Value", ...]

    @property
    def name(self) -> str:
        """The value as `--set` takes it."""
        return ".".join(self.path)


def read_values(text: str) -> tuple[Value, ...]:
    """The values of a file, in its order. A key is a group unless it has a comment; every other key must have one."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    return tuple(_read_mapping(root, (), text.splitlines()))


def leaves(values: tuple[Value, ...]) -> Iterator[Value]:
    """Every value that is no group, in the order of the file."""
    for value in values:
        if value.inner:
            yield from leaves(value.inner)
        else:
            yield value


def _read_mapping(node: yaml.MappingNode, above: tuple[str, ...], lines: list[str]) -> Iterator[Value]:
    for key, content in node.value:
        path = (*above, key.value)
        description = _comment_above(key.start_mark.line, lines)
        default = yaml.safe_load(yaml.serialize(content))
        if description:
            yield Value(path=path, default=default, description=description, inner=())
            continue
        if not isinstance(content, yaml.MappingNode) or not content.value:
            raise ValueError(f"{'.'.join(path)} has no comment that begins with {MARK!r}.")
        inner = tuple(_read_mapping(content, path, lines))
        yield Value(path=path, default=default, description="", inner=inner)


def _comment_above(line: int, lines: list[str]) -> str:
    """The comment that ends right above a line, as one line; empty where it is no documentation."""
    first = line
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    comment = [text.strip() for text in lines[first:line]]
    if not comment or not comment[0].startswith(MARK):
        return ""
    return " ".join([comment[0].removeprefix(MARK), *(text.removeprefix("#").strip() for text in comment[1:])])
