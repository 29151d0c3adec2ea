"""The settings of the operator. Every field is an option of ``lockstep run`` and documented there."""

from dataclasses import dataclass

from coschedule import Promises, Taint
from lockstep.facts.gang.source import Source
from lockstep.facts.sizing import Sizing
from lockstep.logs.formats import LogFormat
from lockstep.process.election.elector import ElectionTerms


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of one operator process; times are in seconds.

    Without ``election`` this process leads without a lease.
    """

    kubeconfig: str | None
    context: str | None
    listen_host: str
    listen_port: int
    debug_listen_host: str
    debug_listen_port: int
    metrics_secure: bool
    metrics_listen_port: int
    metrics_cert_dir: str | None
    concurrency: int
    unreachable_after: float
    provision_timeout: float
    quota_wait: float
    provisioning_requests: str
    sources: frozenset[Source]
    sweeps: bool
    fair_shares: bool
    tenant_answers: bool
    record: bool
    record_users: bool
    log_level: str
    log_format: LogFormat
    keep_nodes_free_for: float
    keep_nodes_free_gangs: int
    sizing: Sizing
    price_factor: float
    promises: Promises
    run_time_quantile: float
    node_selector: tuple[tuple[str, str], ...]
    pool_taint: tuple[Taint, ...]
    gate_image: str
    election: ElectionTerms | None
