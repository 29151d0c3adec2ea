"""The dealer's process: it serves until it is asked to end, and then writes the counts of pieces for the kubelet."""

from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from lockstep.dealer.deal import Deal
from lockstep.dealer.kept_states import Journal, read_states
from lockstep.dealer.requests import Dealing, make_server
from lockstep.facts.piece_states import counted, format_counts

# Other members may still report results while they end too. The wait is shorter than the usual grace period of a pod.
_LINGER_SECONDS = 5.0
_POLL_SECONDS = 0.1


class DealerFiles(NamedTuple):
    """``kept`` has the states from earlier pods, ``journal`` has this pod's, and ``final_counts`` gets the counts."""

    kept: Path
    journal: Path
    final_counts: Path


def run_dealer(pieces: int, port: int, key: str, files: DealerFiles, stop: Event) -> None:
    """Deal until ``stop`` is set, and for up to 5 s more if pieces are open. Then write the counts."""
    deal = Deal(read_states(pieces, files.kept, files.journal))
    dealing = Dealing(deal, Journal(files.journal), key)
    server = make_server(dealing, port)
    serving = Thread(target=server.serve_forever, daemon=True)
    serving.start()
    stop.wait()
    _linger(dealing)
    server.shutdown()
    files.final_counts.write_text(format_counts(counted(dealing.states())), encoding="ascii")


def _linger(dealing: Dealing) -> None:
    wait = Event()
    for _ in range(int(_LINGER_SECONDS / _POLL_SECONDS)):
        if dealing.is_over:
            return
        wait.wait(_POLL_SECONDS)
