"""Gangs with a dealer on a fake API server, and a dealer that says what a test wants."""

from base64 import b64decode

from builders.served import gang
from fake_cluster.jumping import now
from fake_cluster.rig import DEFAULT, set_phase
from fake_cluster.store import Place
from lockstep.act.dealing.dealer_reads import DealerReads
from lockstep.facts.piece_states import packed

PIECES = 8


def dealt_gang(name="g", *, pieces=PIECES, **spec):
    """A gang of two members, whose pieces are dealt while it runs."""
    return gang(name, spec={"load": "Pieces", "pieces": pieces, "dealing": "WhileRunning", **spec})


def bits(text):
    """Two bits a piece, from a digit a piece."""
    return packed(bytes(map(int, text)))


def kept(api, gang="g"):
    """The ConfigMap with the states of the pieces: its data, and the states."""
    found = api.store.get(Place("configmaps", DEFAULT, f"{gang}-pieces"))
    return found["data"], b64decode(found.get("binaryData", {}).get("states", ""))


def run_members(api, *names, address="10.0.0.7"):
    """Let these members run, with their dealer if they have one."""
    for name in names:
        set_phase(api, name, "Running", podIP=address)


def end_member(api, name, says=None, phase="Succeeded"):
    """Let a member end; ``says`` are the last words of its dealer."""
    ended = {"name": "lockstep-dealer", "state": {"terminated": {"exitCode": 0, "message": says}}}
    set_phase(api, name, phase, initContainerStatuses=[ended] if says else [])


class ScriptedDealer:
    """What dealers answer, by the URL; ``asked`` has the requests with their times, ``ranks`` those of the last one."""

    def __init__(self, answer=None):
        self.answer, self.asked, self.ranks = answer, [], None

    async def states(self, url, key, *, most_bytes, ranks=""):
        self.asked.append((url, key, most_bytes, now()))
        self.ranks = ranks
        return self.answer


def reads_of(parts):
    """What reads the dealers of an operator."""
    return DealerReads(parts.services)
