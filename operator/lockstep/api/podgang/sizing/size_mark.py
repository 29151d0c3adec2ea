"""The mark of an owner that got its size from the operator: this size, its first size, and the owner's UID."""

from lockstep.api.manifest import Manifest
from lockstep.api.names import FIRST_SIZE_ANNOTATION, SIZED_ANNOTATION, SIZED_UID_ANNOTATION
from lockstep.facts.ranks import MOST_RANKS


def size_given_to(owner: Manifest) -> str:
    """The size that the operator has given an owner, as text; '' if it has given none.

    A copy of the owner has another UID, so a copied mark does not count. A mark without a UID, from an earlier version
    of the operator, counts.
    """
    metadata = owner["metadata"]
    annotations = metadata.get("annotations") or {}
    is_own = annotations.get(SIZED_UID_ANNOTATION, metadata["uid"]) == metadata["uid"]
    return str(annotations.get(SIZED_ANNOTATION, "")) if is_own else ""


def has_size(owner: Manifest, pods: int) -> bool:
    """Whether the owner's mark says that the operator has given it this number of pods."""
    return size_given_to(owner) == str(pods)


def first_size(owner: Manifest, pods: int) -> int:
    """The number of pods with which an owner began: the number in its mark, or else its present number ``pods``."""
    said = (owner["metadata"].get("annotations") or {}).get(FIRST_SIZE_ANNOTATION, "")
    is_number = said.isascii() and said.isdigit() and len(said) <= len(str(MOST_RANKS))
    return int(said) if is_number and 1 <= int(said) <= MOST_RANKS else pods


def marked(owner: Manifest, size: int, *, first: int | None) -> dict[str, str | None]:
    """The annotations, for a merge patch, of an owner that gets that size.

    ``first`` is the number of pods with which it began. Without ``first``, the owner begins with this size.
    """
    return {
        SIZED_ANNOTATION: str(size),
        SIZED_UID_ANNOTATION: owner["metadata"]["uid"],
        FIRST_SIZE_ANNOTATION: None if first is None else str(first),
    }


def without_size(owner: Manifest) -> Manifest:
    """The owner without the mark of its size."""
    metadata = owner["metadata"]
    annotations = {name: text for name, text in metadata["annotations"].items() if name not in unmarked()}
    return {**owner, "metadata": {**metadata, "annotations": annotations}}


def unmarked() -> dict[str, None]:
    """The annotations, for a merge patch, of an owner that waits for a size again."""
    return {SIZED_ANNOTATION: None, SIZED_UID_ANNOTATION: None}
