"""Metrics of what the process exchanges with the API server: watches and requests."""

from time import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

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
REFUSALS = ("401", "403")
"""The codes of a refused token and of a missing right. Each verb and resource in use has a series for each code.

The operator has rights to fewer than 160 pairs of a verb and a resource, so there are fewer than 320 such series.
"""
_REQUEST_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30)


class ApiMetrics:
    """Metrics of watches, rights and requests."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._declare_watches(registry)
        self._declare_rights(registry)
        self._declare_requests(registry)

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
        # Cached, because thousands of pods may change in a second.
        self._heard = {resource: self.watch_last_event.labels(resource) for resource in WATCHED_RESOURCES}
        for resource in WATCHED_RESOURCES:
            self.watch_heard(resource)

    def _declare_rights(self, registry: CollectorRegistry) -> None:
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

    def _declare_requests(self, registry: CollectorRegistry) -> None:
        self._request_series: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self.requests = Counter(
            "lockstep_api_requests",
            "Requests that the API server answered, including watches.",
            ["verb", "resource", "code"],
            registry=registry,
        )
        self.request_duration = Histogram(
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
                # These series begin at 0, so that an increase over time counts the first refusal too.
                self.requests.labels(verb, resource, refusal)
            # Cached: to find a series by its labels costs more than to count in it.
            series = (
                self.requests.labels(verb, resource, str(code)),
                self.request_duration.labels(verb, resource),
            )
            self._request_series[key] = series
        count, duration = series
        count.inc()
        duration.observe(seconds)

    def object_not_understood(self, resource: str) -> None:
        """Count one version of an object that could not be parsed."""
        self.not_understood.labels(resource).inc()

    def watch_heard(self, resource: str) -> None:
        """Record that a watch of the resource sent an event or a bookmark, or that a list of it was applied."""
        if resource not in self._heard:
            self._heard[resource] = self.watch_last_event.labels(resource)
        self._heard[resource].set(time())
