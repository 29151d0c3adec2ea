"""What the problems of pieces share: reading speeds, and answering that there is no room."""

from typing import Any

from coschedule.model.numbers import Number
from coschedule.model.reading import read_list
from coschedule.problems.al_saqabi.refusals import NoRoom
from coschedule.requests.numbers import Spelling


def read_speeds(value: Any, path: str, numbers: Spelling) -> list[Number]:
    """Read a list of speeds."""
    return [numbers.read(item, item_path) for item_path, item in read_list(value, path)]


def write_no_room(refusal: NoRoom) -> dict[str, Any]:
    """Answer why there is no allocation."""
    return {"feasible": False, "reason": refusal.reason, "message": refusal.message}
