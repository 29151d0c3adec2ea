"""Formats the profile as JSON. docs/why.md documents every field."""

import math
from typing import Any

from coschedule import NoFit, WorkFit
from lockstep.answers.profile.profile import ProfileAnswer, ProfileRow, idle_seconds
from lockstep.answers.profile.profile_text import OVERHEADS, suggested_block, too_long_to_state, work_block
from lockstep.facts.past_runs import THOUSAND, Kinds, PastRun
from lockstep.report.text.learned import shortage_clause, why_used
from lockstep.report.text.sentences import as_sentence


def profile_document(answer: ProfileAnswer) -> dict[str, Any]:
    """The law of a gang's template, or the reason why there is none."""
    fit = answer.fit
    return {
        "gang": answer.gang._asdict(),
        "toldBy": answer.source._asdict(),
        "message": as_sentence(shortage_clause(fit) if isinstance(fit, NoFit) else _why(answer, fit)),
        "work": None if isinstance(fit, NoFit) else work_block(fit),
        "suggestedWork": None if answer.suggested is None else suggested_block(answer.suggested),
        "offBySeconds": None if isinstance(fit, NoFit) else _off_by(fit),
        "error": None if isinstance(fit, NoFit) else _finite(fit.error),
        "statedError": _finite(answer.judged.stated_error),
        "leftOut": None if isinstance(fit, NoFit) else fit.left_out,
        "kinds": [] if answer.kinds is None else _kinds(answer.kinds),
        "runs": [_run(run) for run in answer.runs],
        "foretold": [_row(row) for row in answer.rows],
    }


def _why(answer: ProfileAnswer, fit: WorkFit) -> str:
    return "; ".join(filter(None, (why_used(answer.judged), too_long_to_state(fit))))


def _off_by(fit: WorkFit) -> dict[str, float]:
    return dict(zip(("serialTime", *OVERHEADS), (2 * fit.standard_errors).tolist(), strict=True))


def _kinds(kinds: Kinds) -> list[dict[str, str | float]]:
    fit = kinds.fit
    rows = zip(kinds.names, fit.times.tolist(), fit.runs.tolist(), strict=True)
    return [{"kind": name, "times": times, "runs": runs, "isUsed": fit.is_better} for name, times, runs in rows]


def _run(run: PastRun) -> dict[str, float | str]:
    return {
        "members": run.members,
        "seconds": run.milliseconds / THOUSAND,
        "slowdown": run.slowdown / THOUSAND,
        "idleSeconds": idle_seconds(run),
        "timesAsStated": run.thousandths / THOUSAND,
        "kind": run.kind,
    }


def _row(row: ProfileRow) -> dict[str, float | None]:
    return {
        "members": row.members,
        "runs": row.runs,
        "foretoldSeconds": row.predicted,
        "offBySeconds": row.spread,
        "seenSeconds": row.seen,
    }


def _finite(error: float) -> float | None:
    return error if math.isfinite(error) else None
