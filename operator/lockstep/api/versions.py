"""Compares versions of objects, whose order is defined since Kubernetes 1.35.

A version that is not a number is neither older nor newer than another one.
"""

from collections.abc import Iterable


def is_older(version: str, known: str) -> bool:
    """Whether ``version`` is older than the known one."""
    return version.isdecimal() and known.isdecimal() and int(version) < int(known)


def newest(versions: Iterable[str]) -> str:
    """The newest of the versions that are numbers; '' if there is none."""
    return max((version for version in versions if version.isdecimal()), key=int, default="")
