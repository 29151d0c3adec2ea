"""The order of objects' versions, which is defined since Kubernetes 1.35.

A version that is no number counts as newer.
"""

from collections.abc import Iterable


def is_older(version: str, known: str) -> bool:
    """Whether ``version`` is older than the known one."""
    return version.isdecimal() and known.isdecimal() and int(version) < int(known)


def newest(versions: Iterable[str]) -> str:
    """The newest version; empty where there is none."""
    return max((version for version in versions if version.isdecimal()), key=int, default="")
