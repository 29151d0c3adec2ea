"""What groups are charged: beside a sum over small steps, and whatever process counts it."""

import pytest

from engine.builders import seeded
from lockstep.belief.shares.accounts import HALF_LIFE_SECONDS, Accounts, AttemptId, HeldPart, charge_for, decayed

DAY = 86_400.0


def held(group="a", part=0.25, start=0.0):
    return HeldPart(group, part, start)


def one(name="g", number=1):
    return AttemptId(f"uid-of-{name}", number)


def test_use_halves_in_a_week():
    assert decayed(8.0, HALF_LIFE_SECONDS) == pytest.approx(4.0)
    assert decayed(8.0, 2 * HALF_LIFE_SECONDS) == pytest.approx(2.0)


def test_charge_is_the_sum_of_what_is_left_of_each_second():
    step, seconds = 60.0, 3 * DAY
    summed = sum(decayed(0.25 * step, seconds - (number + 0.5) * step) for number in range(int(seconds / step)))

    assert charge_for(0.25, seconds) == pytest.approx(summed, rel=1e-6)


def test_attempt_that_ends_is_charged_once():
    accounts = Accounts({}, 0.0, {one(): held()})
    accounts.advance(100.0, {}, {})
    accounts.advance(100.0, {}, {})

    assert accounts.used(100.0) == {"a": pytest.approx(charge_for(0.25, 100.0))}


def test_attempt_that_was_lost_costs_nothing_in_the_end():
    accounts = Accounts({"a": 7.0}, 0.0, {})
    accounts.advance(10.0, {one(): held(start=5.0)}, {})
    accounts.advance(DAY, {one(): held(start=5.0)}, {})
    assert accounts.used(DAY)["a"] > 1000.0

    accounts.advance(2 * DAY, {}, {one(): 0.0})

    assert accounts.used(2 * DAY)["a"] == pytest.approx(decayed(7.0, 2 * DAY))
    assert accounts.gave_back


def test_attempt_that_saved_its_work_costs_what_it_held_until_then():
    accounts = Accounts({"a": 7.0}, 0.0, {one(): held(start=0.0)})
    accounts.advance(DAY, {one(): held(start=0.0)}, {})

    accounts.advance(2 * DAY, {}, {one(): 1.5 * DAY})

    assert accounts.used(2 * DAY)["a"] - decayed(7.0, 2 * DAY) == pytest.approx(
        decayed(charge_for(0.25, 1.5 * DAY), 0.5 * DAY)
    )
    assert accounts.gave_back


def test_no_more_is_given_back_than_was_charged():
    """The attempt has grown, so at its last size it would have cost more from its start on."""
    accounts = Accounts({}, 0.0, {one(): held(part=0.01)})
    accounts.advance(DAY, {one(): held(part=1.0)}, {})

    accounts.advance(DAY + 10.0, {}, {one(): 1.0})

    assert accounts.used(DAY + 10.0) == {"a": 0.0}


def test_loss_of_an_attempt_that_an_earlier_process_charged_is_given_back_whole():
    total = 7.0 + charge_for(0.5, DAY)
    accounts = Accounts({"a": total}, DAY, {one(): held(part=0.5, start=0.0)})

    accounts.advance(2 * DAY, {}, {one(): 0.0})

    assert accounts.used(2 * DAY)["a"] == pytest.approx(decayed(7.0, DAY))


def test_clock_that_is_set_back_charges_nothing():
    accounts = Accounts({"a": 7.0}, 100.0, {})
    accounts.advance(50.0, {one(): held(start=40.0)}, {})

    assert accounts.used(50.0) == {"a": 7.0}


def test_clock_that_is_set_back_by_an_hour_goes_on_from_there():
    accounts = Accounts({}, 0.0, {one(): held()})
    accounts.advance(7200.0, {one(): held()}, {})
    for now in (3600.0, 5400.0):
        accounts.advance(now, {one(): held()}, {})

    assert accounts.used(5400.0)["a"] == pytest.approx(charge_for(0.25, 9000.0), rel=0.01)


def test_next_process_takes_no_more_for_attempts_that_go_on_than_was_written():
    """They have grown, or their namespace was of another group: of what they hold now, not all was charged."""
    accounts = Accounts({"a": 5.0}, DAY, {one(): held(part=1.0), one("h"): held("b", 1.0)})
    assert accounts.used(DAY) == {"a": pytest.approx(5.0), "b": 0.0}

    accounts.advance(DAY + 10.0, {}, {one(): 0.0})

    assert accounts.used(DAY + 10.0) == {"a": 0.0, "b": pytest.approx(10.0, rel=0.01)}


@pytest.mark.parametrize("seed", range(10))
def test_use_is_the_sum_over_what_was_held_though_attempts_grow_groups_change_and_processes_die(seed):
    rnd, now, running = seeded(seed), 0.0, dict[AttemptId, HeldPart]()
    accounts, want = Accounts({}, now, {}), {"a": 0.0, "b": 0.0}
    for number in range(40):
        seconds = rnd.choice([1.0, 30.0, 3600.0, DAY])
        want = {group: decayed(used, seconds) for group, used in want.items()}
        for life in running.values():
            want[life.group] += charge_for(life.part, seconds)
        now += seconds
        accounts.advance(now, running, {})
        running = _changed(rnd, running, now, one(str(number)))
        accounts.advance(now, running, {})
        if rnd.random() < 0.2:
            accounts = Accounts(accounts.used(now), now, running)

        used = accounts.used(now)
        assert {group: used.get(group, 0.0) for group in want} == pytest.approx(want)


def _changed(rnd, running, now, new):
    """What goes on after one begins, grows, comes to another group, or ends."""
    after = dict(running)
    chosen = rnd.choice([new, *running])
    if chosen == new or rnd.random() < 0.6:
        after[chosen] = HeldPart(rnd.choice("ab"), rnd.random(), running[chosen].start if chosen in running else now)
    else:
        del after[chosen]
    return after


def history(rnd):
    """Times, and what goes on from each of them on."""
    lives = {one(f"g{number}"): held(rnd.choice("ab"), rnd.random(), rnd.uniform(0, DAY)) for number in range(12)}
    ends = {attempt: life.start + rnd.uniform(1, DAY) for attempt, life in lives.items()}
    lost = {attempt: rnd.uniform(0, ends[attempt]) for attempt in lives if rnd.random() < 0.3}
    times = sorted(
        [*(life.start for life in lives.values()), *ends.values(), *(rnd.uniform(0, 2 * DAY) for _ in range(9))]
    )
    return times, lambda time: {key: life for key, life in lives.items() if life.start <= time < ends[key]}, lost


@pytest.mark.parametrize("seed", range(10))
def test_change_of_the_process_at_any_time_changes_no_use(seed):
    times, running, lost = history(seeded(seed))
    whole, taken_over = Accounts({}, 0.0, {}), Accounts({}, 0.0, {})
    for time in times:
        whole.advance(time, running(time), lost)
        taken_over.advance(time, running(time), lost)
        # All that the next process knows is a total, its time, and what runs.
        taken_over = Accounts(taken_over.used(time), time, running(time))

        for group, used in whole.used(time).items():
            assert taken_over.used(time)[group] == pytest.approx(used)


def test_process_that_was_down_charges_what_went_on_meanwhile():
    accounts = Accounts({"a": charge_for(0.25, 100.0)}, 100.0, {one(): held()})
    accounts.advance(5000.0, {one(): held()}, {})

    assert accounts.used(5000.0)["a"] == pytest.approx(charge_for(0.25, 5000.0))
