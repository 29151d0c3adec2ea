"""Every metric, declared once. ``docs/metrics.md`` is generated from here.

No label has a pod, a gang, a node or a UID, and only some namespaces and priorities have a series. So the number of
series does not grow with the cluster. Series of enumerated labels exist from the start, so that rates start from zero.
"""

import platform
from time import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from coschedule import Reason as PlanReason
from lockstep import __version__
from lockstep.facts.gang.policies import Action
from lockstep.facts.gang.way_back import WayBack
from lockstep.facts.reason_meanings import FAILURES, UNDONE_REASONS
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.metrics.bid_metrics import BidMetrics
from lockstep.report.metrics.finish_metrics import FinishMetrics
from lockstep.report.metrics.learning_metrics import LearningMetrics
from lockstep.report.metrics.pace_metrics import PaceMetrics
from lockstep.report.metrics.prediction_metrics import WAIT_BUCKETS, Predictions
from lockstep.report.metrics.promise_metrics import PromiseMetrics
from lockstep.report.metrics.queue_metrics import QueueMetrics
from lockstep.report.metrics.share_metrics import ShareMetrics
from lockstep.report.metrics.sweep_metrics import SweepMetrics
from lockstep.report.metrics.usage_metrics import UsageMetrics

STAGES = ("snapshot", "plan", "act", "report")
WATCHED_RESOURCES = (
    "gangjobs",
    "nodebids",
    "nodes",
    "pods",
    "priorityclasses",
    "persistentvolumeclaims",
    "persistentvolumes",
    "namespaces",
    "csinodes",
    "volumeattachments",
    "storageclasses",
    "csidrivers",
    "csistoragecapacities",
    "poddisruptionbudgets",
    "resourcequotas",
)
GANG_ERROR_STAGES = ("follow", "plan")
CYCLE_RESULTS = ("ok", "error", "idle")
GANG_STATES = ("refused", "suspended", "pending", "reserved", "placed", "complete")
NODE_STATES = ("in_use", "promised", "free", "closed")
SLOT_STATES = ("in_use", "promised", "free")
AMOUNT_STATES = ("in_use", "promised", "others", "free", "closed")
# A token or a right that is missing: two series for each verb and resource in use. All rights in operator/ name 160
# verbs of resources, so there are at most 320 such series.
REFUSALS = ("401", "403")
BINDING_RESULTS = ("bound", "refused", "error")
REFUSED_WRITES = ("reservation", "release", "report")
SIZE_CHANGES = ("grow", "shrink")
END_REASONS = (Reason.SUCCEEDED, *FAILURES)
OUTCOMES = (*PlanReason, Reason.QUOTA_EXCEEDED, Reason.STARTS_LATER, Condition.PLACED)

_CYCLE_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_REQUEST_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30)


class Metrics:
    """The operator's metrics, on the registry that is given."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        build = Gauge(
            "lockstep_build_info", "The running build; always 1.", ["version", "python_version"], registry=registry
        )
        build.labels(__version__, platform.python_version()).set(1)
        self.leader = Gauge(
            "lockstep_leader",
            "Whether this process leads: 1 for the leader, 0 for a process that stands by.",
            registry=registry,
        )
        self.memory_limit = Gauge(
            "lockstep_memory_limit_bytes",
            "Memory limit of the process: the limit of its container, or the memory of the machine if that is less.",
            registry=registry,
        )
        self._declare_cycle(registry)
        self._declare_plans(registry)
        self._declare_gangs(registry)
        self._declare_pool(registry)
        self._declare_attempts(registry)
        self.queue = QueueMetrics(registry)
        self._declare_ends(registry)
        self._declare_capacity(registry)
        self.predictions = Predictions(registry)
        self.learning = LearningMetrics(registry)
        self.promises = PromiseMetrics(registry)
        self.finishes = FinishMetrics(registry)
        self.bids = BidMetrics(registry)
        self.pace = PaceMetrics(registry)
        self.sweeps = SweepMetrics(registry)
        self.shares = ShareMetrics(registry)
        self.usage = UsageMetrics(registry)
        self._declare_refused_writes(registry)
        self._declare_watches(registry)
        self._declare_requests(registry)

    def _declare_cycle(self, registry: CollectorRegistry) -> None:
        self.cycles = Counter("lockstep_cycles", "Cycles, by result.", ["result"], registry=registry)
        self.cycle_duration = Histogram(
            "lockstep_cycle_duration_seconds",
            "Time that one cycle spent in each stage.",
            ["stage"],
            buckets=_CYCLE_BUCKETS,
            registry=registry,
        )
        self.gang_errors = Counter(
            "lockstep_gang_errors",
            "Errors that concern a single gang, by stage. The gang pauses; other gangs go on.",
            ["stage"],
            registry=registry,
        )
        for result in CYCLE_RESULTS:
            self.cycles.labels(result)
        for stage in STAGES:
            self.cycle_duration.labels(stage)
        for stage in GANG_ERROR_STAGES:
            self.gang_errors.labels(stage)

    def _declare_plans(self, registry: CollectorRegistry) -> None:
        self.cycle_lag = Gauge(
            "lockstep_cycle_lag_seconds",
            "Time since the current plan began, or since the first change that no cycle has read; 0 if there is "
            "neither.",
            registry=registry,
        )
        self.snapshot_nodes = Gauge(
            "lockstep_snapshot_nodes",
            "Nodes in the last snapshot. With a node pool, only its nodes count.",
            registry=registry,
        )
        self.planned_gangs = Gauge(
            "lockstep_planned_gangs", "Gangs that the last plan planned one by one.", registry=registry
        )
        self.loop_held = Histogram(
            "lockstep_event_loop_held_seconds",
            "Time for which the event loop was blocked or had no core, sampled 20 times a second.",
            buckets=_CYCLE_BUCKETS,
            registry=registry,
        )
        self.member_price = Gauge(
            "lockstep_member_price_seconds",
            "Price of one second of a member in the last plan, in seconds of delay for other gangs; 0 if there "
            "are none.",
            registry=registry,
        )

    def _declare_gangs(self, registry: CollectorRegistry) -> None:
        self.decisions = Counter(
            "lockstep_decisions", "Decisions reported to users, by outcome.", ["outcome"], registry=registry
        )
        self.gangs = Gauge("lockstep_gangs", "Gangs by state.", ["state"], registry=registry)
        self.gang_wait = Histogram(
            "lockstep_gang_wait_seconds",
            "Time from a gang's creation until all of its members were bound.",
            buckets=WAIT_BUCKETS,
            registry=registry,
        )
        self.oldest_pending = Gauge(
            "lockstep_oldest_pending_gang_seconds",
            "Age of the oldest waiting gang, counted from the end of its last suspension if it was suspended.",
            registry=registry,
        )
        self.start_overdue = Gauge(
            "lockstep_start_overdue_seconds",
            "Largest time since the first planned start of a gang that is not placed; 0 if no gang is late.",
            registry=registry,
        )
        for outcome in OUTCOMES:
            self.decisions.labels(outcome)
        for state in GANG_STATES:
            self.gangs.labels(state)

    def _declare_pool(self, registry: CollectorRegistry) -> None:
        self.pool_power = Gauge(
            "lockstep_pool_power",
            "Sum of the speeds of the pool's nodes by their bids, as a multiple of the fastest node's speed.",
            registry=registry,
        )
        self.pool_heterogeneity = Gauge(
            "lockstep_pool_heterogeneity",
            "Mean share by which the pool's nodes are slower than its fastest node; 0 if all are equally fast.",
            registry=registry,
        )

    def _declare_attempts(self, registry: CollectorRegistry) -> None:
        self.binds = Counter("lockstep_binds", "Bindings of members, by result.", ["result"], registry=registry)
        self.undone = Counter(
            "lockstep_attempts_undone", "Attempts that were undone, by reason.", ["reason"], registry=registry
        )
        self.given_up = Counter(
            "lockstep_gangs_given_up",
            "Objects of the kind Gang that were bound in part or had to leave a node, by what happened to their "
            "pods: their owner was suspended, their Workload was queued again, they were evicted, or they were kept.",
            ["result"],
            registry=registry,
        )
        self.assumed_pods = Gauge(
            "lockstep_assumed_pods",
            "Members that count on a node before the watch shows them there.",
            registry=registry,
        )
        for reason in UNDONE_REASONS:
            self.undone.labels(reason)
        for result in BINDING_RESULTS:
            self.binds.labels(result)
        for result in WayBack:
            self.given_up.labels(result)

    def _declare_ends(self, registry: CollectorRegistry) -> None:
        self.failures = Counter(
            "lockstep_gang_failures",
            "Failures of members, by the action of the gang's failure policy.",
            ["action"],
            registry=registry,
        )
        self.ended = Counter("lockstep_gangs_ended", "Gangs that ended, by reason.", ["reason"], registry=registry)
        self.size_changes = Counter(
            "lockstep_size_changes",
            "Changes of the size of running gangs, by direction.",
            ["direction"],
            registry=registry,
        )
        for direction in SIZE_CHANGES:
            self.size_changes.labels(direction)
        self.size_changes_dropped = Counter(
            "lockstep_size_changes_dropped",
            "Changes of size that were dropped, since the gang no longer fitted its new nodes or had changed.",
            registry=registry,
        )
        self.preemptions = Counter(
            "lockstep_gangs_preempted", "Gangs that were evicted for more urgent gangs.", registry=registry
        )
        self.preempted_member_seconds = Counter(
            "lockstep_preempted_member_seconds",
            "Work lost by preemption: the run time of evicted gangs, times their members.",
            registry=registry,
        )
        for action in Action:
            self.failures.labels(action)
        for reason in END_REASONS:
            self.ended.labels(reason)

    def _declare_capacity(self, registry: CollectorRegistry) -> None:
        self.nodes = Gauge(
            "lockstep_nodes",
            "Nodes by state: in_use has members; promised has later members, or a gang keeps it free; closed "
            "takes no new members.",
            ["state"],
            registry=registry,
        )
        self.slots = Gauge(
            "lockstep_slots",
            "Members on nodes, members with a promised later start, and free places on open nodes whose bids "
            "limit the number of members.",
            ["state"],
            registry=registry,
        )
        whose = "used by members, promised to gangs, used by other pods, left on open nodes, or left on closed nodes."
        self.cores = Gauge("lockstep_cores", f"Cores of the pool's nodes: {whose}", ["state"], registry=registry)
        self.gpus = Gauge("lockstep_gpus", f"GPUs of the pool's nodes: {whose}", ["state"], registry=registry)
        self.memory = Gauge(
            "lockstep_memory_bytes", f"Memory of the pool's nodes: {whose}", ["state"], registry=registry
        )
        for gauge in (self.cores, self.gpus, self.memory):
            for state in AMOUNT_STATES:
                gauge.labels(state)
        for state in NODE_STATES:
            self.nodes.labels(state)
        for state in SLOT_STATES:
            self.slots.labels(state)

    def _declare_refused_writes(self, registry: CollectorRegistry) -> None:
        self.conflicts = Counter(
            "lockstep_reservation_conflicts",
            "Reservations that the API server refused, since the gang had changed.",
            registry=registry,
        )
        self.statuses_refused = Counter(
            "lockstep_statuses_refused",
            "Statuses of gangs that the API server refused, by kind of write.",
            ["write"],
            registry=registry,
        )
        for write in REFUSED_WRITES:
            self.statuses_refused.labels(write)

    def _declare_watches(self, registry: CollectorRegistry) -> None:
        self.not_understood = Counter(
            "lockstep_objects_not_understood",
            "Objects that Lockstep could not read. It assumes the safe case for each.",
            ["resource"],
            registry=registry,
        )
        for resource in WATCHED_RESOURCES:
            self.not_understood.labels(resource)
        self.watch_last_event = Gauge(
            "lockstep_watch_last_event_timestamp_seconds",
            "Time of the last event of a watch or list. Before the first event, it is the start of the process.",
            ["resource"],
            registry=registry,
        )
        # Cached as for requests: thousands of pods change in a second.
        self._heard = {resource: self.watch_last_event.labels(resource) for resource in WATCHED_RESOURCES}
        for resource in WATCHED_RESOURCES:
            self.watch_heard(resource)

    def _declare_requests(self, registry: CollectorRegistry) -> None:
        self._request_series: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self.credentials_refused = Gauge(
            "lockstep_credentials_refused",
            "Whether the API server rejects the token of the process: 1 while the process can neither read nor write.",
            registry=registry,
        )
        self.rights_denied = Gauge(
            "lockstep_rights_denied",
            "Number of rights that the process needs and lacks. A right is a verb on a resource, in one namespace "
            "or in all.",
            registry=registry,
        )
        self.writes_forbidden = Gauge(
            "lockstep_writes_forbidden",
            "Whether the process lacks the right to write statuses: 1 while all writes wait for this right.",
            registry=registry,
        )
        self.api_requests = Counter(
            "lockstep_api_requests",
            "Requests that the API server answered, including watches.",
            ["verb", "resource", "code"],
            registry=registry,
        )
        self.api_request_duration = Histogram(
            "lockstep_api_request_duration_seconds",
            "Time until the API server answered, or until a watch was open.",
            ["verb", "resource"],
            buckets=_REQUEST_BUCKETS,
            registry=registry,
        )

    def request_answered(self, verb: str, resource: str, code: int, seconds: float) -> None:
        """Count one request to the API server."""
        key = (verb, resource, code)
        series = self._request_series.get(key)
        if series is None:
            for refusal in REFUSALS:
                # From zero, so that an increase counts the first refusal too.
                self.api_requests.labels(verb, resource, refusal)
            # Cached: to find a series by its labels costs more than to count in it.
            series = (
                self.api_requests.labels(verb, resource, str(code)),
                self.api_request_duration.labels(verb, resource),
            )
            self._request_series[key] = series
        count, duration = series
        count.inc()
        duration.observe(seconds)

    def preempted(self, *, seconds: float, members: int) -> None:
        """Count one gang that was evicted after so many seconds."""
        self.preemptions.inc()
        self.preempted_member_seconds.inc(max(0.0, seconds) * members)

    def object_not_understood(self, resource: str) -> None:
        """Count one version of an object that could not be parsed."""
        self.not_understood.labels(resource).inc()

    def watch_heard(self, resource: str) -> None:
        """Record that a watch sent something, if only a bookmark, or that a list was applied."""
        if resource not in self._heard:
            self._heard[resource] = self.watch_last_event.labels(resource)
        self._heard[resource].set(time())

    def binding_answered(self, result: str) -> None:
        """Count one binding."""
        self.binds.labels(result).inc()

    def gang_given_up(self, result: str) -> None:
        """Count one Gang that was bound in part, by what is done about its pods."""
        self.given_up.labels(result).inc()

    def status_refused(self, write: str) -> None:
        """Count one refused status."""
        self.statuses_refused.labels(write).inc()
