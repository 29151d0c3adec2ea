"""A life of a gang that stays on record: the operator hands records over, and a recorder takes them.

Something is killed at each of the requests that hand records over. The other requests of a gang are in other lives.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from crashes.stage import PATIENCE_SECONDS, SIZE, Stage
from crashes.theatre import Life
from eventually import eventually
from live.proxy import Asked
from live.recording import MAPS, rows_of_file
from lockstep.api.quantities import epoch_seconds

# Longer than the operator waits between two records of a gang: so the gang is on record before it has ended.
_RUNS_FOR = "8s"
_GANGS = "SELECT uid, outcome, ended, attempts FROM gangs WHERE name = ?"
_STRETCHES = (
    "SELECT s.attempt, s.began, s.ended, s.members, s.reason FROM stretches AS s JOIN gangs AS g ON g.uid = s.uid "
    "WHERE g.name = ? ORDER BY s.began"
)


def on_record(database: Path) -> Life:
    """The life of a gang, whose record is in this file."""
    return partial(_stay_on_record, database)


def _stay_on_record(database: Path, stage: Stage) -> None:
    """Placed, run to its end, and deleted; its record has it once, with all that its last status has said."""
    stage.is_counted = _hands_over
    stage.submit(run_for=_RUNS_FOR)
    stage.until("Complete", reason="Succeeded")
    eventually(lambda: _has_ended(database, stage), seconds=PATIENCE_SECONDS)
    stage.until_calm()
    stage.until("Complete", reason="Succeeded")
    eventually(lambda: _has_ended(database, stage), seconds=PATIENCE_SECONDS)
    want = _want(stage)
    stage.arena.delete_gang(stage.name)
    stage.until_gone()
    eventually(lambda: not stage.arena.api.request("GET", MAPS)["items"], seconds=PATIENCE_SECONDS)
    assert rows_of_file(database, _GANGS, stage.name) == [want], "it is on record once"
    _check_stretches(rows_of_file(database, _STRETCHES, stage.name), want, stage.beginnings)


def _hands_over(asked: Asked) -> bool:
    return asked.resource == "configmaps"


def _want(stage: Stage) -> tuple[str, str, int, int]:
    status = stage.arena.status(stage.name)
    uid = stage.arena.gang(stage.name)["metadata"]["uid"]
    return uid, "Succeeded", round(epoch_seconds(status["finishedAt"])), status["attempt"]


def _has_ended(database: Path, stage: Stage) -> bool:
    """Whether the end of the gang is on record, as its status has it now."""
    is_over = "finishedAt" in stage.arena.status(stage.name)
    return is_over and rows_of_file(database, _GANGS, stage.name) == [_want(stage)]


def _check_stretches(stretches: Sequence[tuple[Any, ...]], want: tuple[str, str, int, int], beginnings: int) -> None:
    """Where time was turned back, the gang has run twice in one attempt, and never twice at once."""
    assert 1 <= len(stretches) <= beginnings, f"stretches of a gang that has begun {beginnings} times: {stretches}"
    attempt, _, ended, _, reason = stretches[-1]
    assert (attempt, ended, reason) == (want[3], want[2], "Succeeded"), stretches
    assert {members for *_, members, _ in stretches} == {SIZE}
    for (_, _, before, *_), (_, began, *_) in pairwise(stretches):
        assert before is None or before <= began, f"two stretches at once: {stretches}"
