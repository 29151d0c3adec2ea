"""By which options the leader plans stands in a ConfigMap, as one types them; it is written only where it differs."""

import asyncio
from contextlib import asynccontextmanager

import click
import pytest
import pytest_asyncio

from coschedule import Promises, Taint
from fake_cluster.api import POST, PUT, FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import end
from fake_cluster.store import Place
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.published_settings import USUAL_PLACE, parse_published
from lockstep.cli.explain import explain
from lockstep.cli.options import settings_options
from lockstep.cli.options.election_options import take_election_terms
from lockstep.cli.plan import plan
from lockstep.cli.run import run
from lockstep.facts.gang.source import Source
from lockstep.facts.sizing import Sizing
from lockstep.process.election.elector import ElectionTerms
from lockstep.process.stores.settings import Settings
from lockstep.process.stores.settings_store import SettingsStore, published

TERMS = ElectionTerms(namespace="lockstep-system", name="lease", lease_duration=15, renew_deadline=10, retry_period=2)
PLACE = Place("configmaps", TERMS.namespace, "lease-settings")
TYPED = (
    ("--keep-nodes-free-for", "1h30m"),
    ("--keep-nodes-free-gangs", "7"),
    ("--sizing", "Fewest"),
    ("--price-factor", "2.5"),
    ("--promises", "EASY"),
    ("--fair-shares", "true"),
    ("--run-time-quantile", "0.75"),
    ("--node-selector", "pool=gangs,zone=a"),
    ("--pool-taint", "pool=gangs:NoSchedule"),
    ("--pool-taint", "owned:NoExecute"),
    ("--gate-image", "example.com/lockstep:1"),
    ("--sources", "pods,job"),
)
# What a person says about the answer, or about the way to the API server, and no operator has.
# What the operator finds out by itself, so it is no option of ``run``.
FOUND = frozenset({Source.JOB, Source.JOB_SET})
ONES_OWN = {"file", "snapshot", "namespace", "kubeconfig", "context", "settings", "output", "gang", "help"}


def options_of(command, *arguments):
    """What a command makes of its arguments."""
    with command.make_context(command.name, list(arguments)) as context:
        return dict(context.params)


def settings_of(*arguments):
    options = options_of(run, *arguments)
    return Settings(election=take_election_terms(options), **options)


def taken(settings):
    """What ``explain`` takes for options that are not given."""
    with explain.make_context("explain", ["gj/a"]) as context, context.scope():
        return {**context.params, **settings_options.taken(context, published(settings, FOUND))}


@pytest.mark.parametrize(
    "typed",
    [(), sum(TYPED, ()), ("--keep-nodes-free-for", "0"), ("--keep-nodes-free-for", "1ms"), ("--price-factor", "1e-3")],
    ids=str,
)
def test_options_come_back_as_they_were_typed(typed):
    settings = settings_of(*typed)

    typed_ones = {name: value for name, value in taken(settings).items() if name not in ONES_OWN}
    assert typed_ones.pop("yielding") == FOUND
    assert typed_ones == {name: getattr(settings, name) for name in typed_ones}


def test_all_is_another_one_than_the_default():
    settings = settings_of(*sum(TYPED, ()))

    assert (settings.keep_nodes_free_for, settings.sizing, settings.promises) == (5400, Sizing.FEWEST, Promises.EASY)
    assert Taint("owned", "", "NoExecute") in settings.pool_taint
    assert {
        name for name, text in published(settings, FOUND).items() if text == published(settings_of(), ())[name]
    } == set()


@pytest.mark.parametrize("command", [explain, plan], ids=lambda command: command.name)
def test_every_option_by_which_a_command_plans_is_published(command):
    planned_by = {
        one.opts[0].removeprefix("--") for one in command.params if one.expose_value and one.name not in ONES_OWN
    }

    assert published(settings_of(), ()).keys() == planned_by


def test_option_that_is_given_wins(monkeypatch):
    monkeypatch.setenv("LOCKSTEP_EXPLAIN_PROMISES", "None")
    arguments = ["gj/a", "--gate-image", "mine"]
    with explain.make_context("explain", arguments, auto_envvar_prefix="LOCKSTEP_EXPLAIN") as context, context.scope():
        values = settings_options.taken(context, published(settings_of(*sum(TYPED, ())), FOUND))

    assert "gate_image" not in values
    assert "promises" not in values
    assert values["price_factor"] == 2.5


def test_old_names_go_on_working_and_say_so(monkeypatch, capsys):
    monkeypatch.setenv("LOCKSTEP_RUN_HOLDING_GANGS", "2")
    with run.make_context("run", ["--hold-for", "90s"], auto_envvar_prefix="LOCKSTEP_RUN") as context:
        options = dict(context.params)

    assert (options["keep_nodes_free_for"], options["keep_nodes_free_gangs"]) == (90, 2)
    assert sorted(capsys.readouterr().err.splitlines()) == [
        "--hold-for is the old name of --keep-nodes-free-for, and is still accepted.",
        "--holding-gangs is the old name of --keep-nodes-free-gangs, and is still accepted.",
    ]


@pytest.mark.parametrize(
    "typed",
    [("--hold-for", "1m", "--keep-nodes-free-for", "2m"), ("--keep-nodes-free-for", "2m", "--hold-for", "1m")],
    ids=["old first", "new first"],
)
def test_new_name_of_an_option_wins(typed):
    assert settings_of(*typed).keep_nodes_free_for == 120


def test_option_that_is_given_under_its_old_name_wins_over_the_operators():
    with explain.make_context("explain", ["gj/a", "--hold-for", "1m"]) as context, context.scope():
        values = settings_options.taken(context, published(settings_of(), FOUND))

    assert "keep_nodes_free_for" not in values
    assert values["keep_nodes_free_gangs"] == 4


def test_old_names_that_an_older_operator_publishes_are_understood():
    with explain.make_context("explain", ["gj/a"]) as context, context.scope():
        assert settings_options.taken(context, {"hold-for": "5m"}) == {"keep_nodes_free_for": 300}


def test_what_makes_no_sense_is_refused_and_not_half_taken():
    with explain.make_context("explain", ["gj/a"]) as context, context.scope(), pytest.raises(click.BadParameter):
        settings_options.taken(context, {"sizing": "Huge", "gate-image": "a"})


@pytest.mark.parametrize(
    "data", [None, [], {"sizing": 1}, {"sizing": "x" * 20_000}], ids=["none", "list", "number", "long"]
)
def test_what_no_leader_wrote_says_nothing(data):
    assert parse_published({"data": data}) == {}


def test_usual_place_is_that_of_the_usual_lease():
    terms = settings_of().election

    assert f"{terms.namespace}/{terms.name}-settings" == USUAL_PLACE


@pytest_asyncio.fixture
async def api():
    async with FakeApi(now) as api:
        yield api


@asynccontextmanager
async def leading(api, *typed, yielding=()):
    """A leader with these options, which publishes them."""
    async with KubeClient(api.configuration, concurrency=2, observer=lambda *_: None) as client:
        task = asyncio.create_task(
            SettingsStore(client, TERMS, lambda: published(settings_of(*typed), yielding)).keep_published()
        )
        try:
            yield task
        finally:
            await end([task])


def stands(api):
    manifest = api.store.get(PLACE)
    return manifest and parse_published(manifest)


@pytest.mark.asyncio
async def test_leader_writes_what_differs_and_nothing_else(api):
    async with leading(api) as task:
        await until(lambda: stands(api) == published(settings_of(), ()))
        await asyncio.sleep(60)
        assert not task.done()
    api.requests.clear()
    async with leading(api):
        await asyncio.sleep(60)
    assert api.writes == []
    async with leading(api, "--gate-image", "b"):
        await until(lambda: stands(api)["gate-image"] == "b")


@pytest.mark.asyncio
async def test_leader_writes_what_has_changed(api):
    yielding = set()
    async with leading(api, yielding=yielding):
        await until(lambda: stands(api))
        yielding.add(Source.JOB)
        await until(lambda: stands(api)["yielding"] == "job", seconds=60)


@pytest.mark.asyncio
@pytest.mark.parametrize("verb", [POST, PUT])
async def test_leader_tries_again_until_it_stands_and_says_so_once(api, verb, caplog):
    if verb is PUT:
        api.store.create("configmaps", {"metadata": {"namespace": PLACE.namespace, "name": PLACE.name}, "data": {}})
    refusals = iter([Refusal(code=422)] * 3)
    api.fault = lambda request: next(refusals, None) if request.verb == verb else None
    async with leading(api):
        await until(lambda: stands(api) == published(settings_of(), ()), seconds=60)

    assert len([one for one in caplog.records if "can't be published" in one.getMessage()]) == 1


@pytest.mark.asyncio
async def test_leader_says_an_error_again_that_comes_back_after_the_settings_stood(api, caplog):
    yielding, refusals = set(), [Refusal(code=422)]
    api.fault = lambda request: refusals.pop() if refusals and request.verb in {POST, PUT} else None
    async with leading(api, yielding=yielding):
        await until(lambda: stands(api), seconds=60)
        refusals.append(Refusal(code=422))
        yielding.add(Source.JOB)
        await until(lambda: stands(api)["yielding"] == "job", seconds=60)

    assert len([one for one in caplog.records if "can't be published" in one.getMessage()]) == 2
