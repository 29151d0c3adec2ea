"""The life of a gang, as the log has it at the level ``debug``."""

import asyncio
import logging
import re

import pytest

from builders.served import gang, node
from fake_cluster.jumping import until
from fake_cluster.rig import condition, gang_place, is_placed, operator_over, pods_of, set_phases
from lockstep.logs.formats import TextFormat

pytestmark = pytest.mark.asyncio

SECRET = "s3cr3t-of-a-tenant"


def lines_about(caplog, key):
    """The lines that ``grep 'KEY: '`` finds, from the key on."""
    written = [TextFormat().format(one) for one in caplog.records if one.name.startswith("lockstep")]
    return [line[line.index(f" {key}: ") + 1 :] for line in written if f" {key}: " in line]


def appear_in_order(patterns, lines):
    """The patterns that are not found, each behind the one before it."""
    left = iter(lines)
    return [pattern for pattern in patterns if not any(re.search(pattern, line) for line in left)]


async def test_log_has_the_life_of_a_gang_in_order_to_its_end(caplog):
    caplog.set_level(logging.DEBUG, logger="lockstep")
    async with operator_over(gangs=[gang("other")]) as (api, _):
        api.store.create("gangjobs", gang("first", size=2))
        await until(lambda: is_placed(api, "first"))
        set_phases(api, "first", "Succeeded")
        await until(lambda: condition(api, "first", "Complete") == ("True", "Succeeded"))
        api.store.remove(gang_place("first"))
        await asyncio.sleep(1)

    status = r"PATCH /apis/lockstep.dev/v1alpha1/namespaces/default/gangjobs/first/status: 200 in \d+\.\d ms$"
    want_lines = [
        r"^default/first: the gang is new, with UID ",
        r"^default/first: the plan says: 2 members on n1",
        r"^default/first: attempt 1: " + status,
        r"^default/first: Planned is True",
        r"^default/first: attempt 1: POST /api/v1/namespaces/default/pods: 201 in ",
        r"^default/first: attempt 1: POST /api/v1/namespaces/default/pods: 201 in ",
        r"^default/first: attempt 1: POST /api/v1/namespaces/default/pods/first-1-\d/binding: 201 in ",
        r"^default/first: attempt 1: POST /api/v1/namespaces/default/pods/first-1-\d/binding: 201 in ",
        status,
        r"^default/first: Placed is True, Bound: ",
        status,
        r"^default/first: Complete is True, Succeeded: ",
        r"^default/first: the gang was deleted$",
    ]
    assert appear_in_order(want_lines, lines_about(caplog, "default/first")) == []


async def test_log_says_why_a_gang_waits_and_has_its_dry_run(caplog):
    caplog.set_level(logging.DEBUG, logger="lockstep")
    async with operator_over(node("n1"), gangs=[gang("large", size=9)]):
        await asyncio.sleep(60)

    want_lines = [
        r"the plan says: it needs 9 members, ",
        r"dry run of POST /api/v1/namespaces/default/pods: 201 in ",
        r"Planned is False, NotEnoughRoom: It needs 9 members",
    ]
    lines = lines_about(caplog, "default/large")
    assert [pattern for pattern in want_lines if not any(re.search(pattern, line) for line in lines)] == []


async def test_lines_of_one_gang_name_no_request_of_another(caplog):
    caplog.set_level(logging.DEBUG, logger="lockstep")
    names = ["a", "b", "c"]
    async with operator_over(gangs=[gang(name) for name in names]) as (api, _):
        await until(lambda: all(is_placed(api, name) for name in names))
        assert all(pods_of(api, name) for name in names)

    for name in names:
        asked = [line for line in lines_about(caplog, f"default/{name}") if "/gangjobs/" in line or "/pods/" in line]
        assert asked
        assert [line for line in asked if f"/gangjobs/{name}/" not in line and f"/pods/{name}-" not in line] == []


async def test_log_holds_no_value_that_a_tenant_keeps_secret(caplog):
    caplog.set_level(logging.DEBUG, logger="lockstep")
    manifest = gang("g", size=1)
    manifest["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "PASSWORD", "value": SECRET}]
    async with operator_over(gangs=[manifest]) as (api, _):
        await until(lambda: is_placed(api))
        [member] = pods_of(api, "g")

    assert SECRET in str(member)
    assert SECRET not in "\n".join(TextFormat().format(one) for one in caplog.records)


async def test_nothing_of_it_is_written_at_the_level_info(caplog):
    caplog.set_level(logging.INFO, logger="lockstep")
    async with operator_over(gangs=[gang("g")]) as (api, _):
        await until(lambda: is_placed(api))

    assert lines_about(caplog, "default/g") == []
