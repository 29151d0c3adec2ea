"""A GangJob of the answers to five questions."""

import re
import shlex
from dataclasses import dataclass
from typing import Any

from lockstep.api.names import API_VERSION, GANG_KIND
from lockstep.api.quantities import decimal
from lockstep.api.times import duration_seconds

Manifest = dict[str, Any]

_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
_ALLOWED = re.compile(r"[0-9]{1,5}(,[0-9]{1,5})+")
_RESOURCE = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_./]*)=([^=]+)")
_LARGEST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGang:
    """The answers: ``command`` is empty for the image's own, ``serial_time`` where nobody knows how long it takes."""

    name: str
    image: str
    command: tuple[str, ...]
    size: Manifest
    requests: dict[str, str]
    serial_time: str


def gang_manifest(answers: NewGang) -> Manifest:
    """The GangJob to submit."""
    member = {
        "name": "member",
        "image": answers.image,
        **({"command": list(answers.command)} if answers.command else {}),
        "resources": {"requests": answers.requests},
    }
    return {
        "apiVersion": API_VERSION,
        "kind": GANG_KIND,
        "metadata": {"name": answers.name},
        "spec": {
            "size": answers.size,
            **({"work": {"serialTime": answers.serial_time}} if answers.serial_time else {}),
            "template": {"spec": {"containers": [member]}},
        },
    }


def parse_size(text: str) -> Manifest:
    """``8``, ``2-12`` or ``4,8,16`` as ``spec.size``. Raises ``ValueError``."""
    if _ALLOWED.fullmatch(text):
        allowed = sorted({int(one) for one in text.split(",")})
        return {"allowed": _checked(allowed)}
    found = _RANGE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text} is neither a number nor numbers such as 2-12 or 4,8,16")
    least, most = _checked([int(found[1]), int(found[2] or found[1])])
    if least > most:
        raise ValueError(f"{least} is more than {most}")
    return {"min": least, "max": most}


def parse_requests(text: str) -> dict[str, str]:
    """``cpu=4,memory=8Gi`` as the requests of a container. Raises ``ValueError``."""
    found = [(one, _RESOURCE.fullmatch(one.strip())) for one in text.split(",")]
    requests = {}
    for one, match in found:
        if match is None:
            raise ValueError(f"{one} is no request such as cpu=4 or memory=8Gi")
        decimal(match[2])
        requests[match[1]] = match[2]
    return requests


def parse_command(text: str) -> tuple[str, ...]:
    """A command as one types it. Raises ``ValueError``."""
    return tuple(shlex.split(text))


def parse_serial_time(text: str) -> str:
    """A duration, or nothing. Raises ``ValueError``."""
    if text and duration_seconds(text) <= 0:
        raise ValueError(f"{text} is not longer than 0s")
    return text


def _checked(sizes: list[int]) -> list[int]:
    if not all(1 <= size <= _LARGEST for size in sizes):
        raise ValueError(f"a gang has 1 to {_LARGEST} members")
    return sizes
