"""Asks a dealer for the next pieces, as ``lockstep next`` does in a member; uses only the standard library."""

import http.client
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

_TIMEOUT_SECONDS = 30.0
_PAUSE_SECONDS = 1.0
_MOST_BYTES = 64 * 1024


class DealerError(Exception):
    """The dealer refuses the request, or does not answer; a sentence says why."""


class Asker(NamedTuple):
    """A member: the dealer's address, the key of the attempt, and the member's rank."""

    url: str
    key: str
    rank: int


def next_pieces(
    asker: Asker,
    *,
    done: Iterable[int] = (),
    failed: Iterable[int] = (),
    patience: float,
    sleep: Callable[[float], None],
    monotonic: Callable[[], float],
) -> tuple[int, ...]:
    """Report results, wait for the next pieces and return them; () if every piece is settled. Raises ``DealerError``.

    If the dealer does not answer, the request is repeated for ``patience`` seconds, as the dealer may be starting.
    """
    body = f"rank={asker.rank}&done={_joined(done)}&failed={_joined(failed)}".encode()
    request = Request(f"{asker.url}/next", body, {"Authorization": f"Bearer {asker.key}"})  # noqa: S310 - the pod's own
    silent_since = monotonic()
    while True:
        answer = _asked(request)
        if not isinstance(answer, _Pause):
            return answer
        if answer.why and monotonic() - silent_since >= patience:
            raise DealerError(f"{asker.url} has not answered for {patience:g} s: {answer.why}")
        sleep(answer.seconds)
        if not answer.why:
            silent_since = monotonic()


class _Pause(NamedTuple):
    """Wait before the next request. ``why`` says why there was no answer; '' if the dealer asks for the pause."""

    seconds: float
    why: str = ""


def _asked(request: Request) -> tuple[int, ...] | _Pause:
    # No proxy: a proxy for other programs of the pod does not lead to the pods of the gang.
    opener = build_opener(ProxyHandler({}))
    try:
        with opener.open(request, timeout=_TIMEOUT_SECONDS) as answer:
            body = answer.read(_MOST_BYTES)
            # If the dealer dies while it answers, the rest of the body is missing. An empty body would mean that every
            # piece is settled.
            if answer.length:
                return _Pause(_PAUSE_SECONDS, "its answer is incomplete")
            return tuple(map(int, body.split()))
    except HTTPError as error:
        return _refused(error)
    except (URLError, OSError, http.client.HTTPException) as error:
        return _Pause(_PAUSE_SECONDS, str(error) or type(error).__name__)


def _refused(error: HTTPError) -> _Pause:
    if error.code != HTTPStatus.SERVICE_UNAVAILABLE:
        says = error.read(200).decode("utf-8", "replace").strip()
        raise DealerError(f"{error.url} answers {error.code}: {says}")
    pause = error.headers.get("Retry-After", "")
    return _Pause(float(pause) if pause.isdecimal() else _PAUSE_SECONDS)


def _joined(pieces: Iterable[int]) -> str:
    return "+".join(map(str, pieces))
