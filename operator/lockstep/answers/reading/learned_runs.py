"""What finished runs have taught, as far as statuses show it: what the operator itself keeps, nobody else can read."""

from lockstep.api.gangjob.finished_runs import parse_runs
from lockstep.belief.state import State
from lockstep.facts.past_runs import Runs, Template


def remember_runs(state: State) -> None:
    """Plan with what the last gang of each template to succeed knew of its runs."""
    last: dict[Template, str] = {}
    for gang in sorted(state.gangs.values(), key=lambda gang: gang.status.finished_at or 0.0):
        if gang.spec is not None and gang.spec.run_template and gang.status.past_runs:
            last[Template(gang.key.namespace, gang.spec.run_template)] = gang.status.past_runs
    known: dict[str, dict[str, Runs]] = {}
    for (namespace, digest), text in last.items():
        known.setdefault(namespace, {})[digest] = parse_runs(text)
    state.past_runs.remember(known)
    state.past_runs.put_in_force()
