"""What an administrator may set. Every field is an option of ``lockstep run`` and documented there."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of one operator process."""

    kubeconfig: str | None
    context: str | None
    listen_host: str
    listen_port: int
    concurrency: int
    log_level: str
