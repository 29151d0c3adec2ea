"""What an administrator may set. Every field is an option of ``lockstep run`` and documented there."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of one operator process; ``unreachable_after`` in seconds."""

    kubeconfig: str | None
    context: str | None
    listen_host: str
    listen_port: int
    debug_listen_host: str
    debug_listen_port: int
    concurrency: int
    unreachable_after: float
    log_level: str
    hold_for: float
    holding_gangs: int
