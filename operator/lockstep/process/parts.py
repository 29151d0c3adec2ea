"""Makes the parts of the operator and connects them."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from time import monotonic, time
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, ProcessCollector, disable_created_metrics

from lockstep.act.capacity.node_requests import NodeRequests
from lockstep.act.dealing.dealer_reads import DealerReads
from lockstep.act.requests.deletions import Deletions
from lockstep.act.requests.services import Services
from lockstep.act.requests.window import AttemptWindow
from lockstep.act.suspending.suspensions import Suspensions
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration
from lockstep.api.client.fence import Fence
from lockstep.api.client.instance import instance_name
from lockstep.api.client.rights import Rights
from lockstep.api.names import BIDS, GANGS
from lockstep.api.pool import Pool
from lockstep.belief.lost_nodes import LostNodes
from lockstep.belief.state import State
from lockstep.cycle.clockwork.wake_event import WakeEvent
from lockstep.cycle.cycle import Cycle
from lockstep.cycle.kueue.active_checks import ActiveChecks
from lockstep.cycle.planning.holds import HoldPolicy
from lockstep.cycle.planning.planning import PlanOptions
from lockstep.cycle.planning.sizing import SizingPolicy
from lockstep.cycle.sweeps.following import SweepFollower
from lockstep.facts.gang.source import Source
from lockstep.process.answers_guard import keep_dead_answers_unregistered
from lockstep.process.leading import Leadership, Work, make_elector
from lockstep.process.pages.health import Health
from lockstep.process.start.memory_limit import memory_limit_bytes
from lockstep.process.start.rights import noting_watches
from lockstep.process.stores.record_store import RecordStore
from lockstep.process.stores.run_time_store import RunTimeStore
from lockstep.process.stores.settings import Settings
from lockstep.process.stores.settings_store import SettingsStore, published
from lockstep.process.timeline import Pictures
from lockstep.report.metrics.gauges import refreshing
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.shares.share_status import ShareKeeper
from lockstep.report.status.writer import StatusWriter
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.watch.informer import Informer
from lockstep.watch.kinds import watched_for
from lockstep.watch.kubernetes_kinds import WATCHED
from lockstep.watch.streams import Streams

if TYPE_CHECKING:
    from lockstep.watch.kind import WatchedKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The client of the API server, the fence and the rights that can block its writes, and the metrics."""

    client: KubeClient
    fence: Fence
    rights: Rights
    metrics: Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The watches, the cache and the cycle. ``streams`` watch our own kinds, ``informers`` all others."""

    access: Access
    state: State
    services: Services
    cycle: Cycle
    informers: tuple[Informer[Any], ...]
    streams: Streams


def make_access(settings: Settings, configuration: Configuration) -> Access:
    """The access to the API server. If there is an election, writes are blocked until this process has won it."""
    metrics = _make_metrics()
    fence = Fence(open_until=float("inf") if settings.election is None else 0.0)
    rights = Rights()
    client = KubeClient(
        configuration,
        concurrency=settings.concurrency,
        observer=metrics.api.request_answered,
        fence=fence,
        rights=rights,
    )
    return Access(client=client, fence=fence, rights=rights, metrics=metrics)


def make_parts(settings: Settings, access: Access) -> Parts:
    """The watches, the cache and the cycle. None of them runs yet."""
    woken = WakeEvent(monotonic=monotonic)
    state = _make_state(settings, access.metrics, woken)
    services = _make_services(settings, access, state)
    return Parts(
        access=access,
        state=state,
        services=services,
        cycle=_make_cycle(settings, services, access.metrics, woken),
        informers=_make_informers(settings, access, state),
        streams=_make_streams(access),
    )


def make_health(parts: Parts) -> Health:
    """The sources of the pages' contents."""
    cycle = parts.cycle
    return Health(
        unready=partial(_why_unready, parts),
        decided=lambda: cycle.decided,
        refresh=partial(_refresh, parts),
        metrics=parts.access.metrics,
        pictures=Pictures(parts.state, lambda: cycle.decided, now=time, monotonic=monotonic),
    )


async def make_leadership(stack: AsyncExitStack, settings: Settings, parts: Parts) -> Leadership:
    """The leadership of this process. Its connections are closed with ``stack``."""
    access = parts.access
    return Leadership(
        elector=await make_elector(stack, settings.election, access.client, access.fence, access.metrics),
        fence=access.fence,
        client=access.client,
        state=parts.state,
        cycle=parts.cycle,
        metrics=access.metrics,
        run_times=_make_run_time_store(settings, access, parts.state),
        records=_make_record_store(settings, access, parts.state),
        dealers=DealerReads(parts.services),
        works=tuple(_works(settings, parts)),
    )


def _works(settings: Settings, parts: Parts) -> Iterator[Work]:
    """Further tasks of the leader that options ask for."""
    access, services = parts.access, parts.services
    if (store := _make_settings_store(settings, access, parts.state)) is not None:
        yield store.keep_published
    if (node_requests := _make_node_requests(settings, services)) is not None:
        yield node_requests.keep_asked
    if settings.tenant_answers:
        yield partial(keep_dead_answers_unregistered, access.client, monotonic)
    if Source.WORKLOAD in settings.sources:
        yield ActiveChecks(services).keep_active
    if settings.sweeps:
        yield SweepFollower(services, access.metrics.sweeps).run
    if settings.fair_shares:
        yield ShareKeeper(access.client, parts.state.shares, time).keep_written


def _make_metrics() -> Metrics:
    """The operator's metrics, and the metrics of the Python process itself."""
    # Nothing needs the creation times of series, and they would double the number of series.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    metrics = Metrics(CollectorRegistry())
    ProcessCollector(registry=metrics.registry)
    return metrics


def _make_state(settings: Settings, metrics: Metrics, woken: WakeEvent) -> State:
    """The empty cache of a process that stands by."""
    pool = Pool(selector=settings.node_selector, taints=settings.pool_taint)
    state = State(
        woken.set,
        count_parse_failure=metrics.api.object_not_understood,
        pool=pool,
        gate_image=settings.gate_image,
        sizing=settings.sizing,
        run_time_quantile=settings.run_time_quantile,
    )
    state.sources, state.has_shares = settings.sources, settings.fair_shares
    state.stand_by()
    return state


def _make_services(settings: Settings, access: Access, state: State) -> Services:
    """The services that the cycle uses."""
    client, metrics = access.client, access.metrics
    writer = StatusWriter(client, state, instance=instance_name(), now=time, count_refused=metrics.status_refused)
    lost_nodes = LostNodes(state, unreachable_after=settings.unreachable_after, monotonic=monotonic)
    return Services(
        client=client,
        state=state,
        writer=writer,
        deletions=Deletions(client, monotonic=monotonic, now=time),
        lost_nodes=lost_nodes,
        cutter=SnapshotCutter(state),
        now=time,
        monotonic=monotonic,
        provision_timeout=settings.provision_timeout,
        quota_wait=settings.quota_wait,
        window=AttemptWindow(monotonic),
        suspensions=Suspensions(client, state, writer, lost_nodes),
        count_binding=metrics.binding_answered,
        count_refused=metrics.status_refused,
        count_given_up=metrics.gang_given_up,
    )


def _make_cycle(settings: Settings, services: Services, metrics: Metrics, woken: WakeEvent) -> Cycle:
    """The cycle with these settings."""
    plans = PlanOptions(
        holds=HoldPolicy(seconds=settings.keep_nodes_free_for, gangs=settings.keep_nodes_free_gangs),
        sizing=SizingPolicy(sizing=settings.sizing, factor=settings.price_factor),
        promises=settings.promises,
    )
    return Cycle(services, metrics, woken=woken, plans=plans)


def _make_informers(settings: Settings, access: Access, state: State) -> tuple[Informer[Any], ...]:
    """The watches of all kinds except GangJobs and NodeBids. The settings choose some kinds, such as Gangs and Jobs."""
    heard = access.metrics.api.watch_heard
    optional = watched_for(settings.sources, sweeps=settings.sweeps, fair_shares=settings.fair_shares)
    makers: list[Callable[[State], WatchedKind[Any]]] = [*WATCHED, *optional]
    return tuple(Informer(access.client, make_kind(state), heard=heard) for make_kind in makers)


def _make_streams(access: Access) -> Streams:
    """The watches of GangJobs and NodeBids, by kopf. Metrics count their requests, and ``rights`` records denials."""
    metrics = access.metrics
    observer = noting_watches(access.rights, metrics.api.request_answered)
    return Streams((GANGS, BIDS), heard=metrics.api.watch_heard, observer=observer)


def _why_unready(parts: Parts) -> str:
    """Why the process is not ready, in one sentence; '' if it is ready.

    It is not ready if its credentials are refused, if it may not write, or if a first list is not in the cache yet.
    """
    access = parts.access
    trouble = access.client.credentials.trouble or access.rights.trouble
    if trouble:
        return trouble
    delivered = [parts.streams.delivered, *(informer.synced for informer in parts.informers)]
    return "" if all(one.is_set() for one in delivered) else "the first lists are still coming in"


def _refresh(parts: Parts) -> Generator[None, None, None]:
    """Update the gauges, a part of them in each step."""
    access, cycle, metrics = parts.access, parts.cycle, parts.access.metrics
    metrics.memory_limit.set(memory_limit_bytes())
    metrics.api.rights_denied.set(len(access.rights.denied))
    metrics.api.writes_forbidden.set(1 if access.rights.trouble else 0)
    metrics.api.credentials_refused.set(1 if access.client.credentials.trouble else 0)
    decisions = () if cycle.decided is None else cycle.decided.plan.decisions
    yield from refreshing(metrics, parts.state, time(), decisions)
    metrics.cycle_lag.set(cycle.lag)


def _make_run_time_store(settings: Settings, access: Access, state: State) -> RunTimeStore | None:
    """The store of learned run times, in the lease's namespace; None without a lease, or if none are learned."""
    if settings.election is None or not settings.run_time_quantile:
        return None
    return RunTimeStore(access.client, access.fence, state.past_runs, settings.election)


def _make_settings_store(settings: Settings, access: Access, state: State) -> SettingsStore | None:
    """The store that publishes the settings, in the lease's namespace; None without a lease."""
    if settings.election is None:
        return None
    yielding = state.pod_gangs.yielding
    return SettingsStore(access.client, settings.election, lambda: published(settings, yielding.allowed))


def _make_record_store(settings: Settings, access: Access, state: State) -> RecordStore | None:
    """The store of the recorder's records, in the lease's namespace; None without a lease, or if none are kept."""
    if settings.election is None or not settings.record:
        return None
    return RecordStore(access.client, access.fence, state, settings.election, has_users=settings.record_users)


def _make_node_requests(settings: Settings, services: Services) -> NodeRequests | None:
    """The requests for nodes to an autoscaler; None if the settings name no autoscaler."""
    return NodeRequests(services, settings.provisioning_requests) if settings.provisioning_requests else None
