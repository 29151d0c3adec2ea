"""The order of objects' versions. They are ordered since Kubernetes 1.35; where they are not numbers, news is news."""

from collections.abc import Iterable


def is_older(version: str, known: str) -> bool:
    """Whether the known version came later."""
    return version.isdecimal() and known.isdecimal() and int(version) < int(known)


def newest(versions: Iterable[str]) -> str:
    """The version that came last; empty where there is none."""
    return max((version for version in versions if version.isdecimal()), key=int, default="")
