"""Parses the options for the node pool. Each mistake is a ``ValueError`` with one sentence."""

import re

from coschedule import Taint

_EFFECTS = ("NoSchedule", "NoExecute")
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_DOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_LONGEST_DOMAIN = 253
_PLAIN = "up to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"


def parse_selector(text: str) -> tuple[tuple[str, str], ...]:
    """Parse ``KEY=VALUE[,KEY=VALUE...]`` into labels, sorted by key; '' means no labels."""
    labels: dict[str, str] = {}
    for part in text.split(",") if text else ():
        key, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"{part!r} is not a label: write KEY=VALUE")
        _check_key(key)
        _check_value(value)
        if labels.setdefault(key, value) != value:
            raise ValueError(f"no node has both {key}={labels[key]} and {key}={value}")
    return tuple(sorted(labels.items()))


def parse_taint(text: str) -> Taint:
    """Parse a taint from ``KEY[=VALUE]:EFFECT``."""
    label, colon, effect = text.rpartition(":")
    if not colon:
        raise ValueError(f"{text!r} is not a taint: write KEY[=VALUE]:EFFECT")
    if effect not in _EFFECTS:
        raise ValueError(f"the effect of {text!r} is neither {' nor '.join(_EFFECTS)}")
    key, _, value = label.partition("=")
    _check_key(key)
    _check_value(value)
    return Taint(key, value, effect)


def _check_key(key: str) -> None:
    domain, slash, name = key.rpartition("/")
    if slash and (len(domain) > _LONGEST_DOMAIN or not _DOMAIN.fullmatch(domain)):
        raise ValueError(f"the key {key!r} does not begin with a DNS name of small letters")
    if not _NAME.fullmatch(name):
        raise ValueError(f"the key {key!r} is invalid: its name must be {_PLAIN}")


def _check_value(value: str) -> None:
    if value and not _NAME.fullmatch(value):
        raise ValueError(f"the value {value!r} is invalid: it must be {_PLAIN}, or empty")
