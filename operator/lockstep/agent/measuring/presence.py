"""Detects whether the node owner is present: by sessions of logind, by input at terminals, or else by local load.

Only times and the kinds of sessions are read, never a name, an address or input. The files of logind are internal and
may change; a file that can't be parsed counts as no session. The files do not show a locked screen, so an active
graphical session counts as a present owner.
"""

from pathlib import Path

from lockstep.agent.measuring.measured import Usage
from lockstep.agent.measuring.small_files import is_folder, names_in, read_text

IDLE_SECONDS = 15 * 60
"""A user who has typed nothing at a terminal for longer than this counts as absent."""
ENOUGH_SECONDS = 120.0
"""Load counts as the owner's only after these seconds of measurements: the start of the agent causes load, too."""
OWNER_CORES, OWNER_SHARE = 0.5, 0.1
"""The least load outside of pods that counts as the owner's, without other signs.

It is the larger of these two: the first is in cores, and the second is a share of the node's cores. The kubelet and its
runtime use 0.1 core on a small node, and more on a large one.
"""
GRAPHICAL = ("x11", "wayland", "mir")
MOST = 1000
"""The most sessions and the most terminals that are read."""


def owner_is_there(root: Path, own_wall: float, lately: Usage | None) -> bool | None:
    """Return whether the node owner is present; None if that is not known yet.

    The answer comes from files below ``root`` and from recent usage. ``own_wall`` is the time by the node's own clock:
    the access times of terminals are by that clock too. ``lately`` is the recent usage; None until enough seconds are
    measured.
    """
    sessions = _sessions(root / "run" / "systemd" / "sessions")
    typed = _typed_lately(root / "dev", own_wall)
    if sessions is None:
        return typed or _is_owner_s_load(lately)
    if any(session.get("TYPE") in GRAPHICAL for session in sessions):
        return True
    return bool(sessions) and typed is not False


def _sessions(folder: Path) -> list[dict[str, str]] | None:
    """Return the active sessions of people; None if there is no logind.

    Names that end in ``.ref`` are pipes, not sessions.
    """
    if not is_folder(folder):
        return None
    names = [name for name in names_in(folder) if not name.endswith(".ref")][:MOST]
    sessions = [_settings(read_text(folder / name) or "") for name in names]
    return [session for session in sessions if _is_of_a_person(session)]


def _settings(text: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {name: value for name, equals, value in pairs if equals}


def _is_of_a_person(session: dict[str, str]) -> bool:
    """Whether a person uses the session. A greeter does not count, nor do cron and scp, which have no terminal."""
    active = session.get("STATE", "active") == "active" and session.get("ACTIVE", "1") == "1"
    return (
        active and session.get("CLASS", "user").startswith("user") and bool({"TTY", "SEAT", "DISPLAY"} & set(session))
    )


def _is_owner_s_load(lately: Usage | None) -> bool | None:
    return None if lately is None else lately.cores_host >= max(OWNER_CORES, OWNER_SHARE * lately.cores_total)


def _typed_lately(devices: Path, own_wall: float) -> bool | None:
    """Whether there was input at a terminal within 15 minutes; None if there are no terminals.

    The kernel's time of the input may be eight seconds old. A time in the future is from before the clock was set back.
    """
    consoles = [devices / name for name in names_in(devices) if name.startswith("tty") and name[3:4].isalnum()]
    others = [devices / "pts" / name for name in names_in(devices / "pts") if name.isdigit()]
    read = [when for path in [*others, *consoles][:MOST] if (when := _read_at(path)) is not None]
    return any(-60 < own_wall - when < IDLE_SECONDS for when in read) if read else None


def _read_at(path: Path) -> float | None:
    """Return the access time. Input at a terminal changes it, and output does not."""
    try:
        return path.stat().st_atime
    except (OSError, ValueError):
        return None
