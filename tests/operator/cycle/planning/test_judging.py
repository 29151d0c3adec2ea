"""Laws of run times are found where plans are made: after a restart there may be hundreds of them."""

import pytest

from builders.served import gang, node
from fake_cluster.jumping import until
from fake_cluster.rig import DEFAULT, api_with, is_placed, running_operator
from lockstep.belief.run_times import past_runs
from lockstep.cycle.planning.planning import PlanOptions
from lockstep.facts.past_runs import run_of

pytestmark = pytest.mark.asyncio

TEMPLATES = 400


class Beside:
    """Runs what is to run beside the event loop, and counts the laws that are found there and in the loop itself."""

    def __init__(self):
        self.is_running = False
        self.found = {True: 0, False: 0}

    async def run(self, work):
        self.is_running = True
        try:
            return work()
        finally:
            self.is_running = False

    def counting(self, find):
        def counted(runs):
            self.found[self.is_running] += 1
            return find(runs)

        return counted


def learning(number):
    return gang(f"g{number}", size=1, cpu="1", spec={"work": {"serialTime": f"{number + 1}m", "learn": True}})


async def test_after_a_restart_no_law_is_found_in_the_event_loop(monkeypatch):
    beside = Beside()
    monkeypatch.setattr(past_runs, "observe", beside.counting(past_runs.observe))
    gangs = [learning(number) for number in range(TEMPLATES)]
    async with api_with(node("n1"), gangs=gangs) as api, running_operator(api, PlanOptions(run=beside.run)) as parts:
        templates = [fact.spec.run_template for fact in parts.state.gangs.values()]
        runs = tuple(run_of(1.0, members=size, slowdown=1.0, seconds=100.0 / size) for size in (1, 2) * 3)
        parts.state.past_runs.remember({DEFAULT: dict.fromkeys(templates, runs)})

        await until(lambda: is_placed(api, "g0"))

    assert beside.found == {True: TEMPLATES, False: 0}
