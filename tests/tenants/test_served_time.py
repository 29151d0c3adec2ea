"""What other processes take of the machine takes no time of those that are measured, and does not hold their loop."""

import asyncio
import subprocess
import sys
from time import monotonic, process_time, sleep

import pytest

from tenants.held import watch_served_loop
from tenants.served_time import Measured, ServedTime, measure_processes

WORKED = 0.2
WAITED = 0.3


@pytest.mark.parametrize(
    ("measurements", "want_seconds"),
    [
        pytest.param([Measured(1, 0.5, is_busy=True)], 0.5, id="busy for half of the time, and starved for the rest"),
        pytest.param([Measured(1, 0.5, is_busy=False)], 1, id="busy, and idle since then"),
        pytest.param([Measured(1, 0, is_busy=False)], 1, id="idle: it waits for a timer"),
        pytest.param([Measured(1, 0, is_busy=True)], 0, id="starved all the time"),
        pytest.param([Measured(1, 1.8, is_busy=True)], 1, id="two processes on two cores"),
        pytest.param([Measured(1, 0, is_busy=True), Measured(3, 1, is_busy=False)], 2, id="starved, and served later"),
    ],
)
def test_clock_stands_still_for_those_that_are_starved(measurements, want_seconds):
    measured = iter([Measured(0, 0, is_busy=False), *measurements])
    clock = ServedTime(lambda: next(measured))

    assert [clock.seconds() for _ in measurements][-1] == want_seconds


def test_process_is_seen_busy_and_idle():
    program = "import sys; sum(range(10_000_000)); print(flush=True); sys.stdin.read(1); all(iter(lambda: 1, 0))"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        while (idle := measure_processes([process.pid])).is_busy:
            sleep(0.01)
        process.stdin.write(b".")
        process.stdin.flush()
        while not (busy := measure_processes([process.pid])).is_busy:
            sleep(0.01)
        process.kill()

    assert 0 < idle.spent <= busy.spent
    assert idle.now < busy.now


@pytest.mark.parametrize(
    ("hold", "is_held"),
    [
        pytest.param(lambda: spin(WORKED), True, id="a step of its own"),
        pytest.param(lambda: sleep(WAITED), False, id="a machine that is busy with other things"),
    ],
)
def test_loop_is_held_by_its_own_process_alone(hold, is_held):
    assert (asyncio.run(seen_after(hold)) > WORKED / 2) == is_held


async def seen_after(hold):
    """How long a loop is seen held that was held during the sleep of those who watch it."""
    observed = asyncio.Queue()
    watch = asyncio.create_task(watch_served_loop(observed.put_nowait, monotonic))
    await observed.get()
    hold()
    seen = await observed.get()
    watch.cancel()
    return seen


def spin(seconds):
    until = process_time() + seconds
    while process_time() < until:
        pass
