"""Whether the node's owner is there: sessions of logind, input at terminals, or else local load.

Only times, and the kinds of sessions, are looked at: never a name, an address or what is typed. The files of logind are
its own and may change; what is not understood is no session. They do not say that a screen is locked, so an active
graphical session is an owner who is there.
"""

from pathlib import Path

from lockstep.agent.measuring.measured import Usage
from lockstep.agent.measuring.small_files import is_folder, names_in, read_text

IDLE_SECONDS = 15 * 60
"""Without input for longer than that, whoever is logged in at a terminal is not there."""
ENOUGH_SECONDS = 120.0
"""For so long load has to be measured before it tells of an owner: a start of the agent is no owner's work."""
OWNER_CORES, OWNER_SHARE = 0.5, 0.1
"""What an owner at work uses at least outside of pods, where nothing else tells: cores, and a share of the node.

The kubelet and its runtime use 0.1 core on a small node, and more on a large one.
"""
GRAPHICAL = ("x11", "wayland", "mir")
MOST = 1000
"""Sessions and terminals that are looked at."""


def owner_is_there(root: Path, own_wall: float, lately: Usage | None) -> bool | None:
    """Tell from what there is below ``root``, and who ``lately`` used the processors; None where nothing tells yet.

    ``own_wall`` is now by the node's own clock, as the access times of its terminals are. ``lately`` is None until it
    is the mean of enough seconds.
    """
    sessions = _sessions(root / "run" / "systemd" / "sessions")
    typed = _typed_lately(root / "dev", own_wall)
    if sessions is None:
        return typed or _is_owner_s_load(lately)
    if any(session.get("TYPE") in GRAPHICAL for session in sessions):
        return True
    return bool(sessions) and typed is not False


def _sessions(folder: Path) -> list[dict[str, str]] | None:
    """Return the active sessions of people; None where there is no logind. Pipes beside them end in ``.ref``."""
    if not is_folder(folder):
        return None
    names = [name for name in names_in(folder) if not name.endswith(".ref")][:MOST]
    sessions = [_settings(read_text(folder / name) or "") for name in names]
    return [session for session in sessions if _is_of_a_person(session)]


def _settings(text: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {name: value for name, equals, value in pairs if equals}


def _is_of_a_person(session: dict[str, str]) -> bool:
    """Whether somebody sits there: not a greeter, and not cron or a copy of files, which have no terminal."""
    active = session.get("STATE", "active") == "active" and session.get("ACTIVE", "1") == "1"
    return (
        active and session.get("CLASS", "user").startswith("user") and bool({"TTY", "SEAT", "DISPLAY"} & set(session))
    )


def _is_owner_s_load(lately: Usage | None) -> bool | None:
    return None if lately is None else lately.cores_host >= max(OWNER_CORES, OWNER_SHARE * lately.cores_total)


def _typed_lately(devices: Path, own_wall: float) -> bool | None:
    """Whether a terminal was read from within fifteen minutes; None where there are no terminals.

    The kernel keeps the time to eight seconds. One in the future is from before the clock was set back.
    """
    consoles = [devices / name for name in names_in(devices) if name.startswith("tty") and name[3:4].isalnum()]
    others = [devices / "pts" / name for name in names_in(devices / "pts") if name.isdigit()]
    read = [when for path in [*others, *consoles][:MOST] if (when := _read_at(path)) is not None]
    return any(-60 < own_wall - when < IDLE_SECONDS for when in read) if read else None


def _read_at(path: Path) -> float | None:
    """Return the access time: input moves it. The other times of a terminal are moved by output."""
    try:
        return path.stat().st_atime
    except (OSError, ValueError):
        return None
