"""All metrics, each of which is declared once. ``docs/metrics.md`` lists them in this order.

No label has a pod, a gang, a node or a UID, and only some namespaces and priorities have a series. So the number of
series does not grow with the cluster. Series of enumerated labels exist from the start, so that rates start from zero.
"""

import platform

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from coschedule import Reason as PlanReason
from lockstep import __version__
from lockstep.facts.gang.policies import Action
from lockstep.facts.gang.way_back import WayBack
from lockstep.facts.reason_meanings import FAILURES, UNDONE_REASONS
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.metrics.api_metrics import ApiMetrics
from lockstep.report.metrics.bid_metrics import BidMetrics
from lockstep.report.metrics.capacity_metrics import CapacityMetrics
from lockstep.report.metrics.finish_metrics import FinishMetrics
from lockstep.report.metrics.learning_metrics import LearningMetrics
from lockstep.report.metrics.pace_metrics import PaceMetrics
from lockstep.report.metrics.prediction_metrics import WAIT_BUCKETS, Predictions
from lockstep.report.metrics.promise_metrics import PromiseMetrics
from lockstep.report.metrics.queue_metrics import QueueMetrics
from lockstep.report.metrics.share_metrics import ShareMetrics
from lockstep.report.metrics.size_change_metrics import SizeChangeMetrics
from lockstep.report.metrics.sweep_metrics import SweepMetrics
from lockstep.report.metrics.usage_metrics import UsageMetrics

STAGES = ("snapshot", "plan", "act", "report")
GANG_ERROR_STAGES = ("follow", "plan")
CYCLE_RESULTS = ("ok", "error", "idle")
GANG_STATES = ("refused", "suspended", "pending", "reserved", "placed", "complete")
BINDING_RESULTS = ("bound", "refused", "error")
REFUSED_WRITES = ("reservation", "release", "report")
SIZE_CHANGES = ("grow", "shrink")
END_REASONS = (Reason.SUCCEEDED, *FAILURES)
OUTCOMES = (*PlanReason, Reason.QUOTA_EXCEEDED, Reason.STARTS_LATER, Condition.PLACED)

_CYCLE_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The operator's metrics, in the given registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._declare_process(registry)
        self._declare_cycle(registry)
        self._declare_plans(registry)
        self._declare_gangs(registry)
        self._declare_pool(registry)
        self._declare_attempts(registry)
        self.queue = QueueMetrics(registry)
        self._declare_ends(registry)
        self._declare_size_changes(registry)
        self._declare_preemptions(registry)
        self.capacity = CapacityMetrics(registry)
        self.predictions = Predictions(registry)
        self.learning = LearningMetrics(registry)
        self.promises = PromiseMetrics(registry)
        self.finishes = FinishMetrics(registry)
        self.bids = BidMetrics(registry)
        self.pace = PaceMetrics(registry)
        self.resizing = SizeChangeMetrics(registry)
        self.sweeps = SweepMetrics(registry)
        self.shares = ShareMetrics(registry)
        self.usage = UsageMetrics(registry)
        self._declare_refused_writes(registry)
        self.api = ApiMetrics(registry)

    def _declare_process(self, registry: CollectorRegistry) -> None:
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
            "Price of one second of a member in the last plan, in seconds of delay for other gangs; 0 if no "
            "others count.",
            registry=registry,
        )

    def _declare_gangs(self, registry: CollectorRegistry) -> None:
        self.decisions = Counter(
            "lockstep_decisions", "Decisions reported to users, by outcome.", ["outcome"], registry=registry
        )
        self.gangs = Gauge("lockstep_gangs", "Gangs by state.", ["state"], registry=registry)
        self.gang_wait = Histogram(
            "lockstep_gang_wait_seconds",
            "Time from a gang's creation until all of its members were bound for the first time.",
            buckets=WAIT_BUCKETS,
            registry=registry,
        )
        self.oldest_pending = Gauge(
            "lockstep_oldest_pending_gang_seconds",
            "Age of the oldest waiting gang, counted from the end of its last suspension if it was suspended. A Gang "
            "whose pods do not wait is not counted.",
            registry=registry,
        )
        self.start_overdue = Gauge(
            "lockstep_start_overdue_seconds",
            "Largest time since the first planned start of a gang that was never placed; 0 if no gang is late.",
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
            "lockstep_attempts_undone", "Attempts that were torn down, by reason.", ["reason"], registry=registry
        )
        self.given_up = Counter(
            "lockstep_gangs_given_up",
            "Objects of the kind Gang whose pods were bound in part or had to leave a node, by what happened to the "
            "pods: their owner was suspended, their Workload was queued again, they were evicted, or they were kept.",
            ["result"],
            registry=registry,
        )
        self.assumed_pods = Gauge(
            "lockstep_assumed_pods",
            "Members that Lockstep counts on a node before the watch shows them there.",
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
        for action in Action:
            self.failures.labels(action)
        for reason in END_REASONS:
            self.ended.labels(reason)

    def _declare_size_changes(self, registry: CollectorRegistry) -> None:
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

    def _declare_preemptions(self, registry: CollectorRegistry) -> None:
        self.preemptions = Counter(
            "lockstep_gangs_preempted", "Gangs that were evicted for more urgent gangs.", registry=registry
        )
        self.preempted_member_seconds = Counter(
            "lockstep_preempted_member_seconds",
            "Work lost by preemption: the run time of evicted gangs, multiplied by their members.",
            registry=registry,
        )

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

    def preempted(self, *, seconds: float, members: int) -> None:
        """Count one gang that was evicted after its ``members`` had run for ``seconds``."""
        self.preemptions.inc()
        self.preempted_member_seconds.inc(max(0.0, seconds) * members)

    def binding_answered(self, result: str) -> None:
        """Count one binding."""
        self.binds.labels(result).inc()

    def gang_given_up(self, result: str) -> None:
        """Count one Gang that was bound in part or had to leave a node, by what happens to its pods."""
        self.given_up.labels(result).inc()

    def status_refused(self, write: str) -> None:
        """Count one refused status."""
        self.statuses_refused.labels(write).inc()
