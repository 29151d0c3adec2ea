"""The requests of members and of the operator to a dealer, over HTTP.

POST /next    rank=3&done=7 8&failed=9   the next pieces, one a line; 204 when all is over; 503 with Retry-After
GET  /states                             two bits a piece; the header Lockstep-Ranks has the ranks of all members

Both requests need the key of the attempt as a bearer token. The operator sends GET /states with that header.
"""

import hmac
import math
import sys
import time
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6, IPPROTO_IPV6, IPV6_V6ONLY, has_dualstack_ipv6
from threading import BoundedSemaphore, Lock
from typing import Any, NamedTuple, assert_never
from urllib.parse import parse_qs

from lockstep.dealer.deal import Answer, Deal, Dealt, Later, Over
from lockstep.dealer.kept_states import Journal
from lockstep.facts.piece_states import PieceState
from lockstep.facts.pods.dealer import RANKS_HEADER
from lockstep.facts.ranks import MOST_RANKS, has_rank, parse_ranks, ranks_in

_MOST_BYTES = 64 * 1024
_MOST_DIGITS = len(str(_MOST_BYTES))
# Each connection has a thread. Clients without the key may connect too, and the dealer has 64 MiB of memory.
_MOST_CONNECTIONS = 256
# A connection on which nothing arrives for this number of seconds is closed.
_SILENCE_SECONDS = 10.0


class Reply(NamedTuple):
    """An answer over HTTP. ``retry_after`` is in whole seconds."""

    status: HTTPStatus
    body: bytes = b""
    retry_after: int | None = None


class Report(NamedTuple):
    """The rank and the results of a member that asks for the next pieces."""

    member: int
    done: tuple[int, ...]
    failed: tuple[int, ...]


class Dealing:
    """Answers requests about one gang's deal, one at a time. Results are in the journal before the answer is sent."""

    def __init__(self, deal: Deal, journal: Journal, key: str) -> None:
        self._deal = deal
        self._journal = journal
        self._key = f"Bearer {key}".encode()
        self._lock = Lock()

    @property
    def is_over(self) -> bool:
        """Whether every piece is settled."""
        return self._deal.is_over

    def is_allowed(self, authorization: str) -> bool:
        """Whether the header ``Authorization`` has the key."""
        return hmac.compare_digest(authorization.encode("utf-8", "replace"), self._key)

    def states(self, ranks: str | None = None) -> bytes:
        """Return the states, two bits a piece. ``ranks`` has the ranks of all members, None if unknown.

        Pieces of members that are not in ``ranks`` are dealt again.
        """
        with self._lock:
            if ranks is not None:
                members = parse_ranks(ranks)
                self._deal.keep_only(partial(has_rank, members))
                self._deal.expect(ranks_in(members))
            return self._deal.bits

    def next(self, body: bytes) -> Reply:
        """Record the results in a member's request; return the reply, such as the next pieces."""
        try:
            report = parse_report(body)
            self._deal.check((*report.done, *report.failed))
        except ValueError as error:
            return Reply(HTTPStatus.BAD_REQUEST, f"{error}\n".encode())
        now = time.monotonic()
        with self._lock:
            changed = self._deal.report(report.member, now, done=report.done, failed=report.failed)
            self._journal.add(sorted(changed & {*report.done}), PieceState.DONE)
            self._journal.add(sorted(changed - {*report.done}), PieceState.FAILED)
            return _reply(self._deal.next(report.member, now))


def parse_report(body: bytes) -> Report:
    """Read the form of a member. Raises ``ValueError`` with a message that says what is invalid."""
    form = parse_qs(body.decode("ascii"), max_num_fields=3)
    ranks = _numbers(form, "rank")
    if len(ranks) != 1 or ranks[0] >= MOST_RANKS:
        raise ValueError("rank: write the member's rank, as in rank=$LOCKSTEP_RANK")
    return Report(ranks[0], _numbers(form, "done"), _numbers(form, "failed"))


def make_server(dealing: Dealing, port: int) -> ThreadingHTTPServer:
    """Return a server on all addresses of the pod."""

    class Handler(_DealerHandler):
        deals = dealing

    return _DealerServer(("", port), Handler)


def _numbers(form: dict[str, list[str]], field: str) -> tuple[int, ...]:
    words = " ".join(form.get(field, ())).split()
    if not all(word.isascii() and word.isdecimal() and len(word) <= 9 for word in words):
        raise ValueError(f"{field}: write numbers with blanks between them")
    return tuple(map(int, words))


def _reply(answer: Answer) -> Reply:
    match answer:
        case Dealt(pieces):
            return Reply(HTTPStatus.OK, "".join(f"{piece}\n" for piece in pieces).encode())
        case Later(seconds):
            return Reply(HTTPStatus.SERVICE_UNAVAILABLE, b"", math.ceil(seconds))
        case Over():
            return Reply(HTTPStatus.NO_CONTENT)
        case _:
            assert_never(answer)


class _DealerServer(ThreadingHTTPServer):
    # A node may have no IPv6.
    address_family = AF_INET6 if has_dualstack_ipv6() else AF_INET
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._free = BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__(*arguments, **options)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread. If there are too many connections, close this one; the member asks again."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error of our own code. A client that breaks off its connection is no such error."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)

    def server_bind(self) -> None:
        if self.address_family == AF_INET6:
            self.socket.setsockopt(IPPROTO_IPV6, IPV6_V6ONLY, 0)
        super().server_bind()


class _DealerHandler(BaseHTTPRequestHandler):
    deals: Dealing
    timeout = _SILENCE_SECONDS

    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "")
        if not self._may_go_on("/next"):
            return
        if not (size.isascii() and size.isdecimal() and len(size) <= _MOST_DIGITS) or int(size) > _MOST_BYTES:
            self._send(Reply(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {_MOST_BYTES} bytes\n".encode()))
            return
        body = self.rfile.read(int(size))
        # If a member dies while it sends, its last number may be cut off, and then means another piece.
        is_whole = len(body) == int(size)
        self._send(self.deals.next(body) if is_whole else Reply(HTTPStatus.BAD_REQUEST, b"the request breaks off\n"))

    def do_GET(self) -> None:
        if self._may_go_on("/states"):
            self._send(Reply(HTTPStatus.OK, self.deals.states(self.headers.get(RANKS_HEADER))))

    def _may_go_on(self, path: str) -> bool:
        """Whether the request has the key and is for that path. If not, send the answer with the error."""
        if not self.deals.is_allowed(self.headers.get("Authorization", "")):
            self._send(Reply(HTTPStatus.UNAUTHORIZED, b"the key of this attempt is required\n"))
            return False
        if self.path != path:
            self._send(Reply(HTTPStatus.NOT_FOUND))
            return False
        return True

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        if reply.retry_after is not None:
            self.send_header("Retry-After", str(reply.retry_after))
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *_: Any) -> None:
        """Log no requests: there is one for each chunk."""
