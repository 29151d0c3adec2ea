"""The Dockerfile, read: its stages, and what the last of them says of how the image runs."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

DOCKERFILE = Path(__file__).parents[1] / "Dockerfile"


class Instruction(NamedTuple):
    """One instruction: its name, and what follows it, with variables as they are written."""

    name: str
    value: str

    @property
    def words(self) -> list[str]:
        """The words of an instruction in the form of a JSON list."""
        words: list[str] = json.loads(self.value)
        return words

    @property
    def pairs(self) -> dict[str, str]:
        """The pairs of ENV and LABEL."""
        return dict(word.split("=", 1) for word in shlex.split(self.value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage: the arguments of its FROM, and its other instructions in their order."""

    origin: str
    instructions: tuple[Instruction, ...]

    def all(self, name: str) -> list[Instruction]:
        """Return its instructions of that name."""
        return [one for one in self.instructions if one.name == name]

    def last(self, name: str) -> Instruction:
        """Return the one that counts of several."""
        return self.all(name)[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dockerfile:
    """The arguments that stand before the first stage, and the stages."""

    arguments: Mapping[str, str]
    stages: Sequence[Stage]

    @property
    def python(self) -> str:
        """The version of Python in the base."""
        found = re.search(r"python:([\d.]+)-", self.arguments["BASE"])
        assert found, "the base is an image of Python"
        return found[1]


def read(text: str) -> Dockerfile:
    """Return what a Dockerfile says."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    instructions = [Instruction(*line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]
    starts = [number for number, one in enumerate(instructions) if one.name == "FROM"]
    ends = [*starts[1:], len(instructions)]
    return Dockerfile(
        arguments=dict(one.value.split("=", 1) for one in instructions[: starts[0]]),
        stages=[
            Stage(origin=instructions[start].value, instructions=tuple(instructions[start + 1 : end]))
            for start, end in zip(starts, ends, strict=True)
        ],
    )


def run_configuration(dockerfile: Dockerfile, **arguments: str) -> dict[str, Any]:
    """Return how the image runs, in the words of its configuration; ``arguments`` are those of the last stage."""
    last = dockerfile.stages[-1]
    labels = last.last("LABEL").pairs
    return {
        "User": last.last("USER").value,
        "Env": [f"{name}={value}" for name, value in last.last("ENV").pairs.items()],
        "Entrypoint": last.last("ENTRYPOINT").words,
        "Cmd": last.last("CMD").words,
        "WorkingDir": "/",
        "Labels": {name: _filled_in(value, arguments) for name, value in labels.items()},
    }


def _filled_in(value: str, arguments: Mapping[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda found: arguments[found[1]], value)
