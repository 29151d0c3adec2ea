"""The mark of an owner that the operator has given its size: which size, with how many pods it began, and for whom."""

from lockstep.api.manifest import Manifest
from lockstep.api.names import FIRST_SIZE_ANNOTATION, SIZED_ANNOTATION, SIZED_UID_ANNOTATION
from lockstep.facts.ranks import MOST_RANKS


def size_given_to(owner: Manifest) -> str:
    """The size that the operator has given an owner, as it stands there; '' if it has given none.

    A copy of the owner has another UID, so a copied mark does not count. Earlier versions have written no UID.
    """
    metadata = owner["metadata"]
    annotations = metadata.get("annotations") or {}
    is_own = annotations.get(SIZED_UID_ANNOTATION, metadata["uid"]) == metadata["uid"]
    return str(annotations.get(SIZED_ANNOTATION, "")) if is_own else ""


def has_size(owner: Manifest, pods: int) -> bool:
    """Whether the operator has given an owner so many pods, as that one says."""
    return size_given_to(owner) == str(pods)


def first_size(owner: Manifest, pods: int) -> int:
    """With how many pods an owner has begun that has so many ``pods``: as many, unless it says something else."""
    said = (owner["metadata"].get("annotations") or {}).get(FIRST_SIZE_ANNOTATION, "")
    is_number = said.isascii() and said.isdigit() and len(said) <= len(str(MOST_RANKS))
    return int(said) if is_number and 1 <= int(said) <= MOST_RANKS else pods


def marked(owner: Manifest, size: int, *, first: int | None) -> dict[str, str | None]:
    """The annotations of an owner that gets that size, for a merge patch.

    If it has begun with ``first`` pods, it says so from now on; else it begins with this size.
    """
    return {
        SIZED_ANNOTATION: str(size),
        SIZED_UID_ANNOTATION: owner["metadata"]["uid"],
        FIRST_SIZE_ANNOTATION: None if first is None else str(first),
    }


def without_size(owner: Manifest) -> Manifest:
    """The owner as if the operator had given it no size."""
    metadata = owner["metadata"]
    annotations = {name: text for name, text in metadata["annotations"].items() if name not in unmarked()}
    return {**owner, "metadata": {**metadata, "annotations": annotations}}


def unmarked() -> dict[str, None]:
    """The annotations of an owner that waits for a size again, for a merge patch."""
    return {SIZED_ANNOTATION: None, SIZED_UID_ANNOTATION: None}
