"""The running operator: watches, the cycle and the pages, put together and taken apart in order."""

import asyncio
import logging
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import AsyncExitStack
from functools import partial
from time import monotonic, time
from typing import Any

from prometheus_client import CollectorRegistry, ProcessCollector, disable_created_metrics

from lockstep.act.deletions import Deletions
from lockstep.act.node_requests import NodeRequests
from lockstep.act.services import Services
from lockstep.api.client import KubeClient
from lockstep.api.configuration import Configuration
from lockstep.api.credentials import Credentials
from lockstep.api.fence import Fence
from lockstep.api.instance import instance_name
from lockstep.api.names import BIDS, GANGS
from lockstep.api.pool import Pool
from lockstep.api.rights import Rights
from lockstep.belief.lost_nodes import LostNodes
from lockstep.belief.snapshots import SnapshotCutter
from lockstep.belief.state import State
from lockstep.cycle.cycle import Cycle
from lockstep.cycle.holds import HoldPolicy
from lockstep.cycle.planning import PlanOptions
from lockstep.cycle.sizing import SizingPolicy
from lockstep.cycle.woken import Woken
from lockstep.process.collector import collect_seldom
from lockstep.process.first_answer import check_api
from lockstep.process.health import Health
from lockstep.process.leading import Leadership, make_elector
from lockstep.process.listening import start_pages
from lockstep.process.loop_watch import watch_loop
from lockstep.process.rights import keep_rights_judged, noting_watches
from lockstep.process.run_time_store import RunTimeStore
from lockstep.process.settings import Settings
from lockstep.process.side_by_side import ended_before, until_first_ends
from lockstep.process.timeline import Pictures
from lockstep.report.gauges import refreshing
from lockstep.report.metrics import Metrics
from lockstep.report.writer import StatusWriter
from lockstep.watch.handlers import watch_own_kinds
from lockstep.watch.informer import Informer
from lockstep.watch.kinds import WATCHED
from lockstep.watch.own_lists import keep_own_kinds_listed, list_own_kinds_at_last
from lockstep.watch.streams import Streams

log = logging.getLogger(__name__)


async def serve(settings: Settings, configuration: Configuration) -> None:
    """Run until SIGTERM or SIGINT.

    Raises ``StartError`` where it can't begin, ``LeaseLostError`` where another process leads from now on, and whatever
    ended a watch that must not end.
    """
    stop = stop_on_signals()
    metrics = make_metrics()
    fence = Fence(open_until=float("inf") if settings.election is None else 0.0)
    rights = Rights()
    async with (
        KubeClient(
            configuration,
            concurrency=settings.concurrency,
            observer=metrics.request_answered,
            fence=fence,
            rights=rights,
        ) as client,
        AsyncExitStack() as stack,
    ):
        if not await ended_before(stop, check_api(client, configuration)):
            return
        woken = Woken(monotonic=monotonic)
        state = make_state(settings, metrics, woken)
        services = make_services(settings, client, state, metrics)
        cycle = make_cycle(settings, services, metrics, woken)
        informers = [Informer(client, make_kind(state), heard=metrics.watch_heard) for make_kind in WATCHED]
        observer = noting_watches(rights, metrics.request_answered)
        streams = Streams((GANGS, BIDS), heard=metrics.watch_heard, observer=observer)
        delivered = [streams.delivered, *(informer.synced for informer in informers)]
        unready = partial(why_unready, delivered, client.credentials, rights)
        show = partial(refresh, metrics, state, cycle, client.credentials, rights)
        await start_pages(stack, settings, make_health(metrics, state, cycle, unready, show), client)
        elector = await make_elector(stack, settings.election, client, fence, metrics)
        leadership = Leadership(
            elector=elector,
            fence=fence,
            client=client,
            state=state,
            cycle=cycle,
            metrics=metrics,
            run_times=make_run_time_store(settings, client, fence, state),
            node_requests=make_node_requests(settings, services),
        )
        stack.push_async_callback(leadership.end)
        await until_first_ends(
            stop,
            *(informer.run() for informer in informers),
            keep_own_kinds_listed(client, state, streams),
            watch_own_kinds(state, client, streams, stop),
            lead_when_ready(leadership, informers),
            keep_rights_judged(client, rights),
            watch_loop(metrics.loop_held.observe),
        )


def make_metrics() -> Metrics:
    """The operator's metrics, and those of the process itself."""
    # When a series began is nobody's question here, and would double the number of series.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    metrics = Metrics(CollectorRegistry())
    ProcessCollector(registry=metrics.registry)
    return metrics


def make_state(settings: Settings, metrics: Metrics, woken: Woken) -> State:
    """Belief without a fact, of a process that stands by."""
    pool = Pool(selector=settings.node_selector, taints=settings.pool_taint)
    state = State(
        woken.set,
        count_doubt=metrics.object_not_understood,
        pool=pool,
        gate_image=settings.gate_image,
        sizing=settings.sizing,
        run_time_quantile=settings.run_time_quantile,
    )
    state.stand_by()
    return state


def make_run_time_store(settings: Settings, client: KubeClient, fence: Fence, state: State) -> RunTimeStore | None:
    """Where run times are kept: beside the lease; None without a lease, or where nothing is learnt of them."""
    if settings.election is None or not settings.run_time_quantile:
        return None
    return RunTimeStore(client, fence, state.past_runs, settings.election)


def why_unready(delivered: Sequence[asyncio.Event], credentials: Credentials, rights: Rights) -> str:
    """Why the process is not ready, in one sentence.

    Nobody lets it in, it may write nothing, or not all of ``delivered`` are set.
    """
    trouble = credentials.trouble or rights.trouble
    if trouble:
        return trouble
    return "" if all(one.is_set() for one in delivered) else "the first lists are still coming in"


def make_health(
    metrics: Metrics,
    state: State,
    cycle: Cycle,
    unready: Callable[[], str],
    show: Callable[[], Generator[None, None, None]],
) -> Health:
    """What the pages ask."""
    return Health(
        unready=unready,
        decided=lambda: cycle.decided,
        refresh=show,
        metrics=metrics,
        pictures=Pictures(state, lambda: cycle.decided, now=time, monotonic=monotonic),
    )


def make_services(settings: Settings, client: KubeClient, state: State, metrics: Metrics) -> Services:
    """What the cycle works with, and what goes on beside it."""
    return Services(
        client=client,
        state=state,
        writer=StatusWriter(client, state, instance=instance_name(), now=time, count_refused=metrics.status_refused),
        deletions=Deletions(client, monotonic=monotonic),
        lost_nodes=LostNodes(state, unreachable_after=settings.unreachable_after, monotonic=monotonic),
        cutter=SnapshotCutter(state),
        now=time,
        monotonic=monotonic,
        provision_timeout=settings.provision_timeout,
        count_binding=metrics.binding_answered,
        count_refused=metrics.status_refused,
    )


def make_cycle(settings: Settings, services: Services, metrics: Metrics, woken: Woken) -> Cycle:
    """The cycle, as the settings have it."""
    plans = PlanOptions(
        holds=HoldPolicy(seconds=settings.hold_for, gangs=settings.holding_gangs),
        sizing=SizingPolicy(sizing=settings.sizing, factor=settings.price_factor),
        promises=settings.promises,
    )
    return Cycle(services, metrics, woken=woken, plans=plans)


def make_node_requests(settings: Settings, services: Services) -> NodeRequests | None:
    """What asks an autoscaler for nodes; None where nobody is to be asked."""
    return NodeRequests(services, settings.provisioning_requests) if settings.provisioning_requests else None


def refresh(
    metrics: Metrics, state: State, cycle: Cycle, credentials: Credentials, rights: Rights
) -> Generator[None, None, None]:
    """Bring the gauges up to date."""
    metrics.rights_denied.set(len(rights.denied))
    metrics.writes_forbidden.set(1 if rights.trouble else 0)
    metrics.credentials_refused.set(1 if credentials.trouble else 0)
    decisions = () if cycle.decided is None else cycle.decided.plan.decisions
    yield from refreshing(metrics, state, time(), decisions)
    metrics.cycle_lag.set(cycle.lag)


async def lead_when_ready(leadership: Leadership, informers: list[Informer[Any]]) -> None:
    """Wait for every first list, then take part in leading. Nothing may be decided on half of the facts."""
    state = leadership.state
    await list_own_kinds_at_last(leadership.client, state)
    for informer in informers:
        await informer.synced.wait()
    collect_seldom()
    log.info("ready: %d nodes, %d pods, %d gangs", len(state.nodes), len(state.pods), len(state.gangs))
    await leadership.take_part()


def stop_on_signals() -> asyncio.Event:
    """An event that SIGTERM and SIGINT set."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop
