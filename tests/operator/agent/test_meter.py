"""The measuring half of the agent from end to end: a node's files in, what is known of it out."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from builders.node_files import NodeFiles
from lockstep.agent.measuring.measured import Measured
from lockstep.agent.meter import Meter

ROOT = Path(__file__).parents[3]
GANG, OTHER = "0a1b2c3d-0000-4000-8000-00000000000a", "0a1b2c3d-0000-4000-8000-00000000000b"
MONDAY = datetime(2026, 11, 2, 8, tzinfo=UTC).timestamp()
PERIOD, HOUR, DAY = 10, 3600, 86_400
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


class Running:
    """A meter on a node of four processors, and the clocks that it is called by."""

    def __init__(self, folder):
        self.node = NodeFiles(folder / "node", cores=4)
        self.node.add(GANG, OTHER)
        self.sessions = self.node.root / "run" / "systemd" / "sessions"
        self.sessions.mkdir(parents=True)
        self.file = folder / "history.json"
        self.now, self.wall, self.own_ahead = 1000.0, MONDAY, 0.0
        self.restart()

    def restart(self):
        self.meter = Meter(self.file, root=self.node.root, proc=self.node.proc)

    def run(self, seconds, *, gang=0.0, host=0.0, period=PERIOD, members=(GANG,)):
        """Sample for so long, while so many cores are used; return what is known then."""
        for _ in range(round(seconds / period)):
            self.now, self.wall = self.now + period, self.wall + period
            self.node.spend({GANG: gang * period}, host=host * period)
            self.meter.sample(self.now, self.wall, members, own_wall=self.own_wall())
        return self.meter.measured(self.wall)

    def own_wall(self):
        """What the node's own clock says, by which its files have their times."""
        return self.wall + self.own_ahead

    def owner_types(self, *, ago=0.0):
        """At a terminal of a session that is open."""
        self.node.typed_last(self.own_wall() - ago)

    def owner_comes(self):
        text = "ACTIVE=1\nSTATE=active\nTYPE=x11\nCLASS=user\nSEAT=seat0\n"
        (self.sessions / "2").write_text(text)

    def owner_leaves(self):
        (self.sessions / "2").unlink()


@pytest.fixture
def running(tmp_path):
    return Running(tmp_path)


def test_nothing_is_known_before_the_first_sample(running):
    known = running.meter.measured(MONDAY)

    assert known == Measured(
        duty_cycle=None,
        duty_cycle_is_lower_bound=False,
        capacity=None,
        capacity_measured_at=None,
        processor=f"Some Processor 7, Python {PYTHON}",
        owner_present=None,
        owner_since=None,
        available_from=None,
        available_until=None,
        forecast=(),
        since=MONDAY,
        source="",
        usage=None,
    )


@pytest.mark.parametrize(
    ("cpuinfo", "want"),
    [
        pytest.param("model name\t: A 7\n\nmodel name\t: B 8\n", f"A 7, Python {PYTHON}", id="the first that is named"),
        pytest.param(
            "BogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU part\t: 0xd05\n",
            f"CPU implementer 0x41 CPU variant 0x3 CPU part 0xd0c, Python {PYTHON}",
            id="by numbers on ARM",
        ),
        pytest.param("model name\t: " + "x" * 500, f"{'x' * 100}, Python {PYTHON}", id="of a name without end"),
        pytest.param("processor\t: 0\n", "", id="of no name"),
    ],
)
def test_processor_is_reported_with_what_its_speed_depends_on(running, cpuinfo, want):
    (running.node.proc / "cpuinfo").write_text(cpuinfo)
    running.restart()

    assert running.meter.measured(MONDAY).processor == want


def test_duty_cycle_follows_the_load_over_five_minutes(running):
    assert running.run(600, gang=1).duty_cycle == pytest.approx(0)

    after_two = running.run(120, gang=1, host=2).duty_cycle
    after_five = running.run(180, gang=1, host=2).duty_cycle

    assert after_two == pytest.approx(0.8 / 3.2), "two fifths of the load"
    assert after_five == pytest.approx(1)
    assert running.run(300, gang=1).duty_cycle == pytest.approx(0)


def test_duty_cycle_of_a_full_node_is_a_lower_bound(running):
    assert not running.run(300, gang=2, host=1).duty_cycle_is_lower_bound
    assert running.run(60, gang=3, host=1).duty_cycle_is_lower_bound


def test_what_other_pods_requested_is_no_local_work(running):
    for _ in range(10):
        running.now += PERIOD
        running.node.spend({GANG: 20, OTHER: 20})
        running.meter.sample(running.now, MONDAY, [GANG], own_wall=MONDAY, others_requested=2)

    assert running.meter.measured(MONDAY).duty_cycle == 0


def test_usage_of_the_last_five_minutes_is_reported(running):
    usage = running.run(300, gang=1, host=0.5).usage

    assert usage.cores_gang == pytest.approx(1)
    assert usage.cores_host == pytest.approx(0.5)
    assert usage.free == pytest.approx(2.5)


def test_node_that_can_no_longer_be_read_is_not_known(running):
    running.run(300, gang=1)
    (running.node.mount / "cpu.stat").rename(running.node.mount / "aside")
    running.node.mount = running.node.root / "elsewhere"

    known = running.run(400)

    assert known.duty_cycle is None
    assert known.owner_present is None


def test_capacity_is_measured_at_idle_moments_only(running):
    assert running.run(120, gang=3).capacity is None

    known = running.run(60, gang=0)

    assert known.capacity > 0
    assert MONDAY < known.capacity_measured_at <= running.wall


def test_owner_is_there_since_they_came(running):
    away = running.run(60)
    running.owner_comes()
    came = running.wall + PERIOD

    known = running.run(600)

    assert away.owner_present is False
    assert (known.owner_present, known.owner_since) == (True, came)


@pytest.mark.parametrize("own_ahead", [0, 600, -1000, 10 * 365 * DAY])
@pytest.mark.parametrize(
    ("ago", "want"),
    [
        pytest.param(5, True, id="a user types all the time"),
        pytest.param(HOUR, False, id="no user has typed for an hour"),
    ],
)
def test_typing_is_seen_by_the_node_s_own_clock_however_wrong(running, own_ahead, ago, want):
    running.own_ahead = own_ahead
    running.run(PERIOD)

    for _ in range(3):
        running.owner_types(ago=ago)
        known = running.run(PERIOD)

    assert known.owner_present is want


def test_work_right_after_a_start_is_no_owner(running):
    running.sessions.rmdir()

    seen = {running.run(PERIOD, host=2).owner_present for _ in range(3)}
    seen |= {running.run(PERIOD).owner_present for _ in range(27)}

    assert seen == {None, False}, "None before the second sample"


def test_owner_who_works_is_seen_once_two_minutes_are_measured(running):
    running.sessions.rmdir()

    assert running.run(130, host=1).owner_present is False
    assert running.run(PERIOD, host=1).owner_present is True


def test_owner_who_works_is_there_still_when_the_agent_begins_again(running):
    running.sessions.rmdir()
    came = running.run(600, host=1).owner_since
    running.restart()

    known = running.run(60, host=1)

    assert (known.owner_present, known.owner_since) == (True, came)


@pytest.mark.parametrize("step", [-5 * 365 * DAY, -2 * HOUR, 3 * HOUR, 5 * 365 * DAY])
def test_owner_s_time_is_as_long_ago_when_the_clock_is_set(running, step):
    running.owner_comes()
    running.run(60)
    for_so_long = running.wall - running.meter.measured(running.wall).owner_since
    running.wall += step

    known = running.run(60)

    assert running.wall - known.owner_since == pytest.approx(for_so_long + 60)
    assert running.wall - known.since == pytest.approx(110)
    assert known.duty_cycle == pytest.approx(0)


def office_day(running):
    """From eight to eight: the owner is there, and works, from nine to five."""
    for hour in range(8, 32):
        if hour == 9:
            running.owner_comes()
        if hour == 17:
            running.owner_leaves()
        running.run(HOUR, host=2 if 9 <= hour < 17 else 0, period=300)


def test_forecast_knows_the_owner_s_hours_after_a_day(running):
    office_day(running)

    known = running.meter.measured(running.wall)

    assert known.owner_present is False
    assert known.available_from is None
    assert known.available_until == MONDAY + DAY + HOUR
    by_hour = {datetime.fromtimestamp(hour.start, UTC).hour: hour for hour in known.forecast}
    assert by_hour[12].duty_cycle == pytest.approx(1, rel=0.1)
    assert by_hour[20].duty_cycle == pytest.approx(0, abs=0.01)
    assert known.since == MONDAY - 8 * HOUR, "from the first day on"


def test_history_survives_a_restart(running):
    office_day(running)
    before = running.run(HOUR, period=300)
    running.restart()

    after = running.run(600)

    assert running.meter.take_messages() == ()
    assert after.capacity == before.capacity
    assert after.owner_since == before.owner_since
    assert [hour.start for hour in after.forecast] == [hour.start for hour in before.forecast]


def test_clock_that_is_wrong_for_an_hour_does_not_change_the_forecast(running):
    office_day(running)
    for step in (400 * DAY, -400 * DAY):
        running.wall += step
        running.run(2 * HOUR, host=2, period=300)

    known = running.meter.measured(running.wall)

    assert len(known.forecast) == 24
    assert known.available_until is not None


def test_file_is_written_at_most_once_in_five_minutes(running):
    written = set()
    for _ in range(180):
        running.run(PERIOD)
        if running.file.exists():
            written.add(running.file.read_text())

    assert len(written) == 5, "of half an hour, without the first sample"


@pytest.mark.parametrize("text", [b"", b"\xff" * 100, b'{"version": 9}', b" " * 100_000])
def test_damaged_history_is_logged_once_and_replaced(running, text):
    running.file.write_bytes(text)
    running.run(60)

    [sentence] = running.meter.take_messages()
    assert sentence.startswith("The history begins anew. ")
    running.run(600)
    running.restart()
    running.run(60)
    assert running.meter.take_messages() == ()


def test_history_that_cannot_be_written_is_logged_once(running):
    running.file.mkdir()
    running.run(3 * HOUR, period=300)

    assert len(running.meter.take_messages()) == 1
    assert running.meter.take_messages() == ()


def test_meter_needs_the_standard_library_only():
    code = "import sys, lockstep.agent.meter; print(*{name.partition('.')[0] for name in sys.modules})"
    environment = {"PYTHONPATH": f"{ROOT / 'operator'}:{ROOT / 'engine'}"}
    answer = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment, capture_output=True, text=True, check=True
    )

    assert set(answer.stdout.split()) - sys.stdlib_module_names == {"__main__", "lockstep", "coschedule_forecast"}
