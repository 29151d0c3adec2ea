"""The dealer as a real process over real HTTP: its members, its key, its restart, and its last words."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread

import pytest

from eventually import eventually
from lockstep.cli.in_pods.next import next as next_command
from lockstep.dealer import requests
from lockstep.dealer.asking import Asker, DealerError, next_pieces
from lockstep.dealer.deal import Deal
from lockstep.facts.piece_states import counted, packed, parse_counts
from sandbox.ports import KeptPort

KEY = "a-key"
LIGHT = """
import sys, lockstep.cli.in_pods.dealer, lockstep.cli.in_pods.next
print({'kopf', 'numpy', 'aiohttp', 'asyncio'} & set(sys.modules))
"""


# A test on a busy machine may need longer for a report than members do.
LINGERS = """
import lockstep.cli, lockstep.dealer.process
lockstep.dealer.process._LINGER_SECONDS = 600.0
lockstep.cli.main()
"""


class RunningDealer:
    """The command of a sidecar, which can be killed and started anew."""

    def __init__(self, folder, pieces, program):
        self._kept_port = KeptPort()
        self.port = self._kept_port.number
        self.folder, self.pieces, self.program = folder, pieces, program
        self.start()

    def start(self):
        files = [f"--{name}={self.folder / name}" for name in ("kept", "journal", "last-words")]
        options = [f"--pieces={self.pieces}", f"--port={self.port}", *files]
        command = [sys.executable, *self.program, "dealer", *options]
        self.process = subprocess.Popen(command, env={**os.environ, "LOCKSTEP_DEALER_KEY": KEY})
        eventually(self.answers)

    def answers(self):
        try:
            return self.request("GET", "/states").status == 200
        except OSError:
            return False

    def request(self, method, path, body=None, key=KEY, headers=None):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, {"Authorization": f"Bearer {key}", **(headers or {})})
        answer = connection.getresponse()
        answer.body = answer.read()
        return answer

    def next(self, rank, done=(), failed=()):
        return self.request("POST", "/next", f"rank={rank}&done={' '.join(map(str, done))}&failed={'+'.join(failed)}")

    def member(self, rank):
        return Asker(f"http://127.0.0.1:{self.port}", KEY, rank)


@pytest.fixture
def deals(tmp_path):
    """Starts dealers, and ends them."""
    started = []

    def start(pieces, program=("-m", "lockstep")):
        started.append(RunningDealer(tmp_path, pieces, program))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


def work(asker, effects, stops_after=None):
    """A member's loop; returns how many pieces it did."""
    done = ()
    for turn in count():
        done = next_pieces(asker, done=done, patience=60, sleep=lambda _: time.sleep(0.01), monotonic=time.monotonic)
        effects += [(asker.rank, piece) for piece in done]
        if not done or turn == stops_after:
            return


def test_members_do_every_piece_once_and_leave(deals):
    dealer, effects = deals(300), []
    with ThreadPoolExecutor(6) as pool:
        [*pool.map(lambda rank: work(dealer.member(rank), effects), range(6))]

    assert sorted(piece for _, piece in effects) == [*range(300)]
    assert counted(dealer.request("GET", "/states").body).done == 300


def test_dealer_that_is_killed_goes_on_where_it_was(deals):
    dealer = deals(40)
    first = [*map(int, dealer.next(1).body.split())]
    second = [*map(int, dealer.next(1, done=first).body.split())]
    dealer.process.kill()
    dealer.process.wait()
    dealer.start()

    effects = []
    work(dealer.member(0), effects)

    assert {piece for _, piece in effects} == {*range(40)} - {*first}
    assert set(second) <= {piece for _, piece in effects}, "what was dealt since is dealt again"


def test_dealer_goes_on_from_the_states_of_an_earlier_attempt(deals, tmp_path):
    (tmp_path / "kept").write_bytes(packed(bytes([1, 0, 2, 1, 0])))
    dealer, effects = deals(5), []
    work(dealer.member(0), effects)

    assert effects == [(0, 1), (0, 4)]


@pytest.mark.parametrize("bits", [b"nonsense", packed(bytes([1] * 50))])
def test_states_of_other_pieces_count_as_none(deals, tmp_path, bits):
    (tmp_path / "kept").write_bytes(bits)
    (tmp_path / "journal").write_text("1 0\n1 77\nx\n2 2\n1 4")
    dealer = deals(5)

    assert dealer.request("GET", "/states").body == packed(bytes([1, 0, 2, 0, 0]))


def test_last_words_have_the_counts(deals, tmp_path):
    dealer = deals(3)
    dealer.next(0, done=[0, 2], failed=["1"])
    dealer.process.send_signal(signal.SIGTERM)

    assert dealer.process.wait(timeout=300) == 0
    assert (tmp_path / "last-words").read_text() == "done 2, failed 1: 1"
    assert parse_counts("done 2, failed 1: 1").first_failed == (1,)


def test_other_members_report_while_a_dealer_ends_before_all_is_over(deals, tmp_path):
    dealer = deals(2, program=("-c", LINGERS))
    dealer.process.send_signal(signal.SIGTERM)
    dealer.next(1, done=[0, 1])

    assert dealer.process.wait(timeout=300) == 0
    assert (tmp_path / "last-words").read_text() == "done 2, failed 0:"


def test_waiting_member_gets_the_time_to_ask_again(deals):
    dealer = deals(1)
    dealer.next(0)
    answer = dealer.next(1)

    assert (answer.status, answer.headers["Retry-After"], answer.body) == (503, "1", b"")


def test_pieces_of_members_that_the_operator_does_not_name_are_dealt_again(deals):
    dealer = deals(3)
    assert [dealer.next(rank).body for rank in (0, 1)] == [b"0\n", b"1\n"]

    dealer.request("GET", "/states", headers={"Lockstep-Ranks": "0,2-5"})

    assert [dealer.next(rank).body for rank in (0, 2, 3)] == [b"0\n", b"1\n", b"2\n"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/states"), ("POST", "/next")])
@pytest.mark.parametrize("key", ["", "another", KEY + "x"])
def test_without_the_key_nothing_is_answered(deals, method, path, key):
    dealer = deals(2)

    assert dealer.request(method, path, "rank=0", key).status == 401
    assert dealer.next(0).body == b"0\n"


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ("", b"rank: write the member's rank, as in rank=$LOCKSTEP_RANK\n"),
        ("rank=-1", b"rank: write numbers with blanks between them\n"),
        ("rank=10000", b"rank: write the member's rank, as in rank=$LOCKSTEP_RANK\n"),
        ("rank=1 2", b"rank: write the member's rank, as in rank=$LOCKSTEP_RANK\n"),
        ("rank=1&done=x", b"done: write numbers with blanks between them\n"),
        ("rank=1&failed=7", b"piece 7 is not one of 0 to 6\n"),
    ],
)
def test_nonsense_gets_one_sentence_that_names_the_field(deals, form, says):
    answer = deals(7).request("POST", "/next", form)

    assert (answer.status, answer.body) == (400, says)


@pytest.mark.parametrize(
    ("program", "prints", "settled"), [("echo", "0\n1\n", 2), ("false", "", 0)], ids=["works", "fails"]
)
def test_loop_in_the_help_reports_what_the_program_has_done(deals, program, prints, settled):
    dealer = deals(2)
    environment = {
        **os.environ,
        "LOCKSTEP_DEALER": f"http://127.0.0.1:{dealer.port}",
        "LOCKSTEP_DEALER_KEY": KEY,
        "LOCKSTEP_RANK": "0",
    }
    [loop] = re.findall("In a loop: (.*)", next_command.help)
    loop = loop.replace("lockstep", '"$0" -m lockstep').replace("./work", program)
    ran = subprocess.run(
        ["sh", "-c", loop, sys.executable], env=environment, check=False, capture_output=True, text=True, timeout=300
    )

    assert (ran.returncode == 0, ran.stdout) == (settled > 0, prints)
    assert counted(dealer.request("GET", "/states").body).settled == settled


class SlowFailures(BaseHTTPRequestHandler):
    """Closes each connection without an answer, after half a minute on the member's clock."""

    def do_POST(self):
        self.server.clock.seconds += 30.0
        self.server.requests += 1


class Clock:
    """A member's clock, which moves while it sleeps."""

    def __init__(self):
        self.seconds = 1_000.0

    def monotonic(self):
        return self.seconds

    def sleep(self, seconds):
        self.seconds += seconds


@pytest.fixture
def silent_dealer():
    with ThreadingHTTPServer(("127.0.0.1", 0), SlowFailures) as server:
        server.clock, server.requests = Clock(), 0
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def ask(url, key=KEY, clock=None):
    clock = clock or Clock()
    return next_pieces(Asker(url, key, 0), patience=300, sleep=clock.sleep, monotonic=clock.monotonic)


def test_member_gives_up_a_dealer_that_is_gone():
    with pytest.raises(DealerError, match="has not answered for 300 s"):
        ask("http://127.0.0.1:1")


def test_member_gives_up_after_its_patience_though_each_request_takes_long(silent_dealer):
    with pytest.raises(DealerError, match="has not answered for 300 s"):
        ask(f"http://127.0.0.1:{silent_dealer.server_port}", clock=silent_dealer.clock)

    assert silent_dealer.requests == 10
    assert silent_dealer.clock.seconds == 1_000 + 10 * 30 + 9 * 1


class BrokenOffOnce(BaseHTTPRequestHandler):
    """Breaks the first answer off, as a dealer that is killed between two packets."""

    def do_POST(self):
        pieces = b"12\n134\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(pieces)))
        self.end_headers()
        self.wfile.write(pieces if self.server.was_killed else pieces[: self.server.arrives])
        self.server.was_killed = True


@pytest.mark.parametrize("arrives", [0, 5], ids=["nothing", "a part of a number"])
def test_answer_that_breaks_off_is_neither_the_end_nor_other_pieces(arrives):
    with ThreadingHTTPServer(("127.0.0.1", 0), BrokenOffOnce) as server:
        server.was_killed, server.arrives = False, arrives
        Thread(target=server.serve_forever, daemon=True).start()

        assert ask(f"http://127.0.0.1:{server.server_port}") == (12, 134)
        server.shutdown()


def test_member_with_a_wrong_key_ends_with_a_sentence(deals):
    with pytest.raises(DealerError, match="answers 401: the key of this attempt is required"):
        ask(deals(1).member(0).url, key="other")


def test_dealer_and_member_import_nothing_that_takes_long():
    done = subprocess.run([sys.executable, "-c", LIGHT], check=True, capture_output=True, text=True)

    assert done.stdout.strip() == "set()"


def test_connections_without_a_key_are_bounded_and_members_are_served_again_after_them(monkeypatch):
    monkeypatch.setattr(requests, "_MOST_CONNECTIONS", 2)
    server = requests.make_server(requests.Dealing(Deal(bytearray(4)), NoJournal(), KEY), 0)
    Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]
    eventually(lambda: is_closed_at_once(port))

    for one in idle:
        one.close()
    asker = Asker(f"http://127.0.0.1:{port}", KEY, 0)
    assert len(next_pieces(asker, patience=60, sleep=time.sleep, monotonic=time.monotonic)) >= 1
    server.shutdown()
    server.server_close()


class NoJournal:
    """A dealer that need not remember."""

    def add(self, pieces, state):
        """Forget it."""


def is_closed_at_once(port):
    """Whether the dealer closes a connection without a word."""
    with socket.create_connection(("127.0.0.1", port)) as third:
        third.settimeout(1)
        try:
            return third.recv(1) == b""
        except TimeoutError:
            return False


@pytest.mark.parametrize("length", ["65537", "9" * 5_000], ids=["too long", "too many digits"])
def test_large_request_is_refused_unread(deals, length):
    with socket.create_connection(("127.0.0.1", deals(4).port)) as connection:
        head = f"POST /next HTTP/1.1\r\nAuthorization: Bearer {KEY}\r\nContent-Length: {length}\r\n\r\n"
        connection.sendall(head.encode())
        assert b" 413 " in connection.recv(200)


@pytest.mark.parametrize("arrives", ["rank=1&done=1", "rank=1&failed=1", "rank=1"])
def test_request_that_breaks_off_settles_no_piece_and_takes_none(deals, arrives):
    dealer = deals(20)
    with socket.create_connection(("127.0.0.1", dealer.port)) as connection:
        head = f"POST /next HTTP/1.1\r\nAuthorization: Bearer {KEY}\r\nContent-Length: 40\r\n\r\n"
        connection.sendall(f"{head}{arrives}".encode())
        connection.shutdown(socket.SHUT_WR)
        assert b" 400 " in connection.recv(200)

    assert dealer.request("GET", "/states").body == packed(bytes(20))
    assert dealer.next(0).body == b"0\n"


@pytest.mark.parametrize(("error", "is_shown"), [(BrokenPipeError(), False), (ValueError("ours"), True)])
def test_only_errors_of_our_own_are_logged(error, is_shown, capsys):
    server = requests.make_server(requests.Dealing(Deal(bytearray(4)), NoJournal(), KEY), 0)
    try:
        raise error
    except type(error):
        server.handle_error(None, ("127.0.0.1", 1))
    server.server_close()
    assert ("ours" in capsys.readouterr().err) is is_shown
