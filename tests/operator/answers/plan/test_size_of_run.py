"""What ``explain`` says about the sizes of gangs that run."""

from functools import partial

import pytest

from builders.served import at, container, node
from fake_cluster.elastic import (
    FIVE,
    FOUR,
    ask_for,
    beside_a_blocker,
    elastic,
    free_the_room,
    in_a_long_change,
    launched_beside_a_blocker,
    rigid,
    run,
    until_attempt,
    with_launcher,
)
from fake_cluster.jumping import now, until
from fake_cluster.looking import key, read_state, rules
from fake_cluster.rig import api_with, gang_place, is_placed, running_operator, set_phases, status_of
from lockstep.answers.plan.chart import ASCII
from lockstep.answers.plan.document import unplanned_document, waiting_document
from lockstep.answers.plan.planned import plan_now
from lockstep.answers.plan.size_of_run import answer_with_size, why_this_size
from lockstep.answers.plan.text import unplanned_lines, waiting_lines
from lockstep.answers.plan.waiting import answer_about

pytestmark = pytest.mark.asyncio

HOUR = 3600.0


async def runs_alone(api):
    await run(api, elastic())


async def runs_with_many(api):
    await run(api, elastic(least=32, most=33, work={"serialTime": "4000h"}))


async def runs_for_an_hour(api):
    await run(api, elastic(work={"serialTime": "1h"}))


async def does_not_run_yet(api):
    api.store.create("gangjobs", elastic())
    await until(lambda: is_placed(api))


async def changes_its_size(api):
    await in_a_long_change(api)


async def is_asked_for_more(api):
    await run(api, elastic(asked=2))
    await run(api, rigid("beside", size=2, takes="400h"), "beside")
    ask_for(api, 4)


async def runs_without_work(api):
    await run(api, elastic(work=None))


async def runs_without_work_and_room(api):
    await run(api, rigid("beside", size=2, takes="400h"), "beside")
    await run(api, elastic(work=None, most=6))


async def reports_progress(api):
    await run(api, elastic(work=None))
    api.store.change(gang_place("g"), status={"unitTimes": [{"size": 2, "seconds": 90}, {"size": 4, "seconds": 60}]})


async def has_given_back(api):
    await beside_a_blocker(api, work=None)
    free_the_room(api)
    await until_attempt(api, 2)
    set_phases(api, "g", "Running")
    await until(lambda: status_of(api).get("startedAt"))


async def is_asked_without_work(api):
    await run(api, rigid("beside", size=2, takes="400h"), "beside")
    await run(api, elastic(work=None))
    ask_for(api, 4)


async def meets_its_deadline(api):
    await run(api, elastic(deadline="300h"))


async def gets_the_fewest(api):
    await run(api, elastic(sizing="Fewest"))


async def is_not_elastic(api):
    await run(api, rigid("g", size=2, takes="400h"))


async def seen(api, life, *, then=lambda _: None):
    """The state that a reader gets after an operator has stopped that brought gangs so far."""
    async with running_operator(api):
        await life(api)
    then(api)
    return await read_state(api)


async def test_gang_that_is_about_to_grow_says_to_what_and_what_it_gains():
    async with api_with(*FOUR) as api:
        state = await seen(api, beside_a_blocker, then=free_the_room)

    answer = answer_with_size(state, rules(), state.gangs[key("g")], now() + HOUR)
    [change] = plan_now(state, rules(), now() + HOUR, asked=()).changes
    assert (change.gang, change.was, len(change.nodes)) == (key("g"), 2, 4)
    assert answer.why_this_size.startswith(
        "With the next plan it grows from 2 to 4 members: there is room for 2 more; it "
    )
    assert answer.why_this_size.endswith(" sooner; the change takes about 2 min.")
    assert unplanned_document(answer)["whyThisSize"] == answer.why_this_size
    assert "grows from 2 to 4 members" in " ".join(unplanned_lines(answer))


@pytest.mark.parametrize(
    ("mode", "interval", "want"),
    [
        pytest.param(
            "Members", "1h", "the change takes about 2 min and loses about 30 min of work.", id="a small loss"
        ),
        pytest.param("Members", "48h", "gangs change their size only if at least", id="more than the change gains"),
        pytest.param("Restart", "48h", "the change takes about 2 min.", id="it saves its work on SIGTERM"),
    ],
)
async def test_what_a_gang_loses_since_its_last_checkpoint_counts(mode, interval, want):
    async def runs_beside_a_blocker(api):
        await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
        saves = {"interruptible": "Checkpointed", "checkpointInterval": interval}
        await run(api, elastic(mode=mode, **saves))

    async with api_with(*FOUR) as api:
        state = await seen(api, runs_beside_a_blocker, then=free_the_room)

    assert want in why_this_size(state, rules(), state.gangs[key("g")], now() + HOUR)


@pytest.mark.parametrize(
    ("namespace", "want"),
    [
        pytest.param("default", "the change takes about 5 min.", id="of its namespace"),
        pytest.param("others", "the change takes about 2 min.", id="of another namespace"),
    ],
)
async def test_gang_that_never_changed_expects_the_time_that_another_one_of_its_template_took(namespace, want):
    def has_ended(api):
        complete = {
            "type": "Complete",
            "status": "True",
            "reason": "Succeeded",
            "message": "",
            "lastTransitionTime": at(0),
        }
        status = {"conditions": [complete], "lastChange": {"beganAt": at(0), "seconds": 300}}
        ended = elastic("earlier")
        api.store.create(
            "gangjobs", {**ended, "metadata": {**ended["metadata"], "namespace": namespace}, "status": status}
        )
        free_the_room(api)

    async with api_with(*FOUR) as api:
        state = await seen(api, beside_a_blocker, then=has_ended)

    why = why_this_size(state, rules(), state.gangs[key("g")], now() + HOUR)

    assert why.startswith("With the next plan it grows from 2 to 4 members")
    assert why.endswith(want)


@pytest.mark.parametrize(
    ("life", "later", "want"),
    [
        pytest.param(
            runs_alone,
            HOUR,
            "It keeps its size: in the room that is free, no other size that it may have, from",
            id="the best size",
        ),
        pytest.param(
            runs_for_an_hour, 60, "and gangs change their size only if at least", id="too little work is left"
        ),
        pytest.param(does_not_run_yet, 0, "not all of its members run", id="members that do not run"),
        pytest.param(changes_its_size, 0, None, id="a change that is under way"),
        pytest.param(
            is_asked_for_more, HOUR, "It changes to 4 members, as elastic.size asks, as soon as", id="no room yet"
        ),
        pytest.param(is_not_elastic, HOUR, None, id="not elastic"),
        pytest.param(
            meets_its_deadline, HOUR, "It keeps its size: it ends by its deadline, 20", id="a deadline that is met"
        ),
        pytest.param(gets_the_fewest, HOUR, "its sizing is Fewest, so it no longer grows", id="the fewest members"),
        pytest.param(
            runs_without_work,
            HOUR,
            "its end is unknown, and it may have at most 4 members now",
            id="all that it may",
        ),
        pytest.param(
            runs_without_work_and_room, HOUR, "Its end is unknown: it grows only onto idle nodes", id="without work"
        ),
        pytest.param(
            reports_progress, HOUR, "and its speed is known at 2 of its sizes, by the progress", id="measured speeds"
        ),
        pytest.param(has_given_back, 60, "It keeps its size until 20", id="without work, just changed"),
        pytest.param(
            is_asked_without_work, HOUR, "It changes to 4 members, as elastic.size asks, as soon as", id="asked"
        ),
    ],
)
async def test_gang_that_keeps_its_size_says_why(life, later, want):
    async with api_with(*FOUR) as api:
        state = await seen(api, life)

    why = why_this_size(state, rules(), state.gangs[key("g")], now() + later)

    assert (why and want in why) if want else why is None


async def test_gang_that_leaves_room_to_short_gangs_says_so():
    async with api_with(*(node(f"n{number:02}", cpu="1") for number in range(33))) as api:
        state = await seen(api, runs_with_many)

    gang = state.gangs[key("g")]
    why = why_this_size(state, rules(), gang, now() + HOUR)
    assert gang.status.size == 32
    assert why.endswith("for all gangs together; room on 1 node is left to gangs that run for 15 minutes or less.")


async def test_gang_without_work_that_is_about_to_grow_says_why():
    async with api_with(*FOUR) as api:
        state = await seen(api, partial(beside_a_blocker, work=None), then=free_the_room)

    answer = answer_with_size(state, rules(), state.gangs[key("g")], now() + HOUR)

    assert answer.why_this_size == (
        "With the next plan it grows from 2 to 4 members: nodes are idle and no gang waits for them; "
        "its end is unknown; the change takes about 2 min."
    )


async def test_gang_that_waits_for_room_that_is_given_back_says_who_shrinks_for_it():
    async with api_with(*FOUR) as api:
        waits = rigid("waits", size=1)
        state = await seen(api, has_given_back, then=lambda api: api.store.create("gangjobs", waits))

    answer = answer_about(plan_now(state, rules(), now() + HOUR, asked=[key("waits")]), key("waits"))

    said = " ".join(line.strip() for line in waiting_lines(answer, ASCII))
    assert (
        "In the same plan, default/g shrinks from 4 to 3 members: default/waits waits, and starts on the nodes that"
        in said
    )
    [change] = waiting_document(answer)["sizeChanges"]
    assert (change["was"], change["size"], change["endsSoonerSeconds"]) == (4, 3, None)


async def test_gang_that_waits_starts_beside_one_that_shrinks_and_the_answer_names_it():
    async with api_with(*FOUR) as api:
        short = rigid("short", size=1, takes="1m")
        state = await seen(api, runs_alone, then=lambda api: api.store.create("gangjobs", short))

    answer = answer_about(plan_now(state, rules(), now() + HOUR, asked=[key("short")]), key("short"))
    assert answer.starts_now
    assert "In the same plan, default/g shrinks from 4 to 3 members: default/short waits, and starts on" in " ".join(
        line.strip() for line in waiting_lines(answer, ASCII)
    )
    [change] = waiting_document(answer)["sizeChanges"]
    assert (change["gang"]["name"], change["was"], change["size"]) == ("g", 4, 3)
    assert change["endsSoonerSeconds"] < 0


def in_pool(pool):
    """Describe an elastic gang of one or two members that has the name of the pool whose nodes it selects."""
    containers = [container(requests={"cpu": "1"})]
    return elastic(pool, most=2, template={"spec": {"containers": containers, "nodeSelector": {"pool": pool}}})


async def test_gang_says_that_others_whose_members_require_something_else_change_first():
    first, more = ([node(f"{pool}{one}", cpu="1", labels={"pool": pool}) for pool in "ab"] for one in (1, 2))

    async def two_pools(api):
        for pool in "ab":
            await run(api, in_pool(pool), pool)

    async with api_with(*first) as api:
        state = await seen(api, two_pools, then=lambda api: api.store.add("nodes", *more))

    [grows, waits] = (why_this_size(state, rules(), state.gangs[key(pool)], now() + HOUR) for pool in "ab")
    assert grows.startswith("With the next plan it grows from 1 to 2 members")
    assert waits.startswith("It keeps its size in the next plan: gangs whose members have other requirements")


async def launcher_is_asked_for_more(api):
    await run(api, with_launcher(asked=3))
    await run(api, rigid("beside", size=2, takes="400h"), "beside")
    ask_for(api, 5)


async def launcher_has_given_back(api):
    await launched_beside_a_blocker(api, work=None, most=6)
    free_the_room(api)
    await until_attempt(api, 2)
    set_phases(api, "g", "Running")
    await until(lambda: status_of(api).get("startedAt"))


@pytest.mark.parametrize(
    ("life", "want"),
    [
        pytest.param(
            partial(run, manifest=with_launcher()),
            "no other size that it may have, from 2 to 5, is better for all gangs together",
            id="best",
        ),
        pytest.param(launcher_is_asked_for_more, "It changes to 5 members, as elastic.size asks", id="asked"),
        pytest.param(
            partial(run, manifest=with_launcher(work=None)), "it may have at most 5 members now", id="largest"
        ),
        pytest.param(launcher_has_given_back, "gives members back to gangs that wait, down to 3 members", id="grown"),
    ],
)
async def test_numbers_are_those_of_launcher_and_workers(life, want):
    async with api_with(*FIVE) as api:
        state = await seen(api, life)

    assert want in why_this_size(state, rules(), state.gangs[key("g")], now() + HOUR)


async def test_change_of_workers_has_the_numbers_of_the_gang_in_the_document_too():
    async with api_with(*FIVE) as api:
        short = rigid("short", size=1, takes="1m")
        alone = partial(run, manifest=with_launcher())
        state = await seen(api, alone, then=lambda api: api.store.create("gangjobs", short))

    answer = answer_about(plan_now(state, rules(), now() + HOUR, asked=[key("short")]), key("short"))

    [change] = waiting_document(answer)["sizeChanges"]
    assert (change["gang"]["name"], change["was"], change["size"]) == ("g", 5, 4)
