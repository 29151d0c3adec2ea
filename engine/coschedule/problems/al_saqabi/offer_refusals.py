"""Why pieces do not fit on given processors or nodes: values with the relevant numbers."""

from dataclasses import dataclass

from coschedule.model.numbers import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class FewerSlotsThanPieces:
    """The nodes have ``slots`` slots, fewer than the ``pieces``."""

    pieces: int
    slots: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoNodesTogether:
    """No nodes are free together until all ``pieces`` are done."""

    pieces: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnaroundTooShort:
    """All processors together finish ``done`` of the ``pieces`` within ``turnaround``."""

    done: int
    pieces: int
    turnaround: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingFree:
    """No processor is free in any of the ``slices``."""

    slices: int


NoRoom = FewerSlotsThanPieces | NoNodesTogether | TurnaroundTooShort | NothingFree
