"""Problem ``gangPieces``: whole pieces on nodes with starts, slots and windows, where each used node costs time."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.reading import read_integer, read_object
from coschedule.problems.al_saqabi.gang_pieces import place_pieces
from coschedule.problems.al_saqabi.offer_refusals import NoRoom
from coschedule.problems.al_saqabi.offers import PiecesJob
from coschedule.requests.fields import placed, read_nodes
from coschedule.requests.numbers import NumberFormat, number_format_of
from coschedule.requests.refusal_answers import write_refusal

_TIMES = {"secondsPerPiece": "seconds_per_piece", "perMember": "per_member", "fixed": "fixed"}
_REQUIRED = ("problem", "nodes", "pieces", "secondsPerPiece", "perMember")


def answer_gang_pieces(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``feasible``, ``finish`` and ``counts``, the pieces of each node, or why there is no gang."""
    read_object(request, "", required=_REQUIRED, optional=("id", "fixed"))
    numbers = number_format_of(*(request.get(part) for part in ("nodes", "pieces", *_TIMES)))
    found = place_pieces(read_nodes(request["nodes"], numbers), _read_job(request, numbers))
    if isinstance(found, NoRoom):
        return write_refusal(found)
    return {"feasible": True, "finish": numbers.write(found.finish), "counts": found.counts.tolist()}


def _read_job(request: Mapping[str, Any], numbers: NumberFormat) -> PiecesJob:
    times = {attribute: numbers.read(request[name], name) for name, attribute in _TIMES.items() if name in request}
    with placed("", _TIMES):
        return PiecesJob(pieces=read_integer(request["pieces"], "pieces"), **times)
