"""Makes a GangJob from its name and the answers to five questions."""

import re
import shlex
from dataclasses import dataclass

from lockstep.answers.making.amounts import as_resources
from lockstep.answers.profile.profile import SHORTEST_SERIAL
from lockstep.answers.profile.profile_text import LONGEST_SERIAL
from lockstep.api.manifest import NewManifest
from lockstep.api.names import API_VERSION, GANG_KIND
from lockstep.api.times import duration_seconds

_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
_ALLOWED = re.compile(r"[0-9]{1,5}(,[0-9]{1,5})+")
# This is the pattern in the schema of GangJobs. Go accepts more durations; the API server accepts only these.
DURATION = re.compile(r"([0-9]{1,6}(\.[0-9]+)?h)?([0-9]{1,7}(\.[0-9]+)?m)?([0-9]{1,9}(\.[0-9]+)?(s|ms|us|µs))*")
LONGEST_DURATION_TEXT = 24
_LARGEST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGang:
    """The name and the answers. If ``command`` is empty, the image's own command runs. ``serial_time`` may be ''."""

    name: str
    image: str
    command: tuple[str, ...]
    size: NewManifest
    requests: dict[str, str]
    serial_time: str


def gang_manifest(answers: NewGang) -> NewManifest:
    """The manifest of a GangJob with these answers."""
    member = {
        "name": "member",
        "image": answers.image,
        **({"command": list(answers.command)} if answers.command else {}),
        "resources": as_resources(answers.requests),
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


def parse_size(text: str) -> NewManifest:
    """Parse ``8``, ``2-12`` or ``4,8,16`` into ``spec.size``. Raises ``ValueError``."""
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


def parse_command(text: str) -> tuple[str, ...]:
    """Parse a command in shell syntax. Raises ``ValueError``."""
    return tuple(shlex.split(text))


def parse_serial_time(text: str) -> str:
    """Return the text unchanged: '' or a duration that the API server accepts. Raises ``ValueError`` otherwise."""
    if not text:
        return text
    if len(text) > LONGEST_DURATION_TEXT or not DURATION.fullmatch(text):
        raise ValueError(f"{text} is not a duration such as 10m or 1h30m")
    if not SHORTEST_SERIAL <= duration_seconds(text) <= LONGEST_SERIAL:
        raise ValueError(f"{text} is not from 1ms to {LONGEST_SERIAL / 3600:.0f}h")
    return text


def _checked(sizes: list[int]) -> list[int]:
    if not all(1 <= size <= _LARGEST for size in sizes):
        raise ValueError(f"a gang has 1 to {_LARGEST} members")
    return sizes
