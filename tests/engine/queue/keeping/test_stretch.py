"""What a plan remembers of a gang whose run times were all multiplied by the same since."""

import math
from dataclasses import replace

import pytest

from coschedule import ProfileWork, SerialWork, TimedSize, TimesWork, plan, remembering
from coschedule.queue.keeping.stretch import stretch
from engine.builders import NOW, gang, node, release, snapshot

SERIAL = SerialWork(serial=100, fixed=5, per_member=1)
TIMES = TimesWork(times=(math.inf, 30.0, 0.7))
PROFILE = ProfileWork(points=(TimedSize(2, 30.0), TimedSize(9, 0.5)))
BY_LAW = replace(PROFILE, law=SERIAL)


@pytest.mark.parametrize(
    ("before", "work", "want"),
    [
        pytest.param(SERIAL, SERIAL, 1, id="the same"),
        pytest.param(None, None, 1, id="unknown as before"),
        pytest.param(SERIAL, SerialWork(serial=150.0, fixed=7.5, per_member=1.5), 1.5, id="longer"),
        pytest.param(TIMES, TimesWork(times=(math.inf, 30 * 0.3, 0.7 * 0.3)), 0.3, id="shorter, but for roundings"),
        pytest.param(SERIAL, replace(SERIAL, serial=150), None, id="overhead as before"),
        pytest.param(SERIAL, replace(SERIAL, per_log_member=1), None, id="overhead that was not there"),
        pytest.param(TIMES, TimesWork(times=(40.0, 30.0, 0.7)), None, id="a size that was not allowed"),
        pytest.param(TIMES, TimesWork(times=(math.inf, 30.0)), None, id="a size less"),
        pytest.param(SERIAL, TIMES, None, id="measured instead"),
        pytest.param(PROFILE, ProfileWork(points=(TimedSize(2, 45.0), TimedSize(9, 0.75))), 1.5, id="a longer profile"),
        pytest.param(PROFILE, ProfileWork(points=(TimedSize(3, 45.0), TimedSize(9, 0.75))), None, id="another size"),
        pytest.param(PROFILE, BY_LAW, None, id="by a law now"),
        pytest.param(
            BY_LAW,
            replace(BY_LAW, law=SerialWork(serial=200, fixed=10, per_member=2)),
            2,
            id="a longer law",
        ),
        pytest.param(None, SERIAL, None, id="known now"),
        pytest.param(SERIAL, None, None, id="unknown now"),
    ],
)
def test_stretch(before, work, want):
    assert stretch(before, work) == (None if want is None else pytest.approx(want))


@pytest.mark.parametrize(
    ("work", "want"),
    [
        pytest.param(SerialWork(serial=10), (NOW + 20, NOW + 30), id="as before"),
        pytest.param(SerialWork(serial=15.0), (NOW + 20, NOW + 35), id="half as long again"),
        pytest.param(SerialWork(serial=10, fixed=1), None, id="changed in another way"),
    ],
)
def test_gang_keeps_its_place_when_its_run_has_become_longer(work, want):
    before = snapshot([node("n1", free=0)], [gang("g", serial=10)], releases=[release(0, NOW + 20)])
    made = plan(before)
    again = replace(before, gangs=(replace(before.gangs[0], work=work),))

    [remembered] = remembering(again, before, made).gangs

    kept = remembered.kept and (remembered.kept.start, remembered.kept.finish)
    assert kept == want
    assert remembered.promised == made.decisions[0].promised
