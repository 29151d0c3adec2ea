"""Learned run times from the statuses of gangs, since users can't read the operator's own store."""

from lockstep.api.gangjob.finished_runs import parse_runs
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.past_runs import Runs, Template


def remember_runs(state: State) -> None:
    """Use the past runs in statuses: for each template, the runs in the status of the gang that finished last."""
    last: dict[Template, str] = {}
    for gang in sorted(state.gangs.values(), key=lambda gang: gang.status.finished_at or 0.0):
        if isinstance(gang, AcceptedGang) and gang.spec.run_template and gang.status.past_runs:
            last[Template(gang.key.namespace, gang.spec.run_template)] = gang.status.past_runs
    known: dict[str, dict[str, Runs]] = {}
    for (namespace, digest), text in last.items():
        known.setdefault(namespace, {})[digest] = parse_runs(text)
    state.past_runs.remember(known)
    state.past_runs.put_in_force()
