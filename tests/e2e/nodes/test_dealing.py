"""Pieces that are dealt while members run: whatever is killed, every piece has its effect."""

from e2e.nodes.conftest import FAST, SLOTS, SLOW, SPEEDS
from e2e.nodes.dealt import DEALER, Effects, kill, pieces_job
from e2e.nodes.jobs import size

EVERYWHERE = SLOTS * len(SPEEDS)
# Minutes of work, unless the members are asked to hurry: no machine is too slow to kill what deals them meanwhile.
PIECES = 2000
ALIKE = {FAST: 1.0, SLOW: 1.0}


def test_every_piece_has_its_effect_though_a_member_and_the_dealer_are_killed(cluster, nodes, jobs, tmp_path, measured):
    effects = Effects(tmp_path / "done")
    jobs.submit_job(pieces_job("dealt", effects, ALIKE, size=size(EVERYWHERE), pieces=PIECES, dealing="WhileRunning"))
    jobs.started_by_rank("dealt", EVERYWHERE)
    cluster.until(lambda: jobs.status("dealt").get("pieces"))

    kill(cluster, nodes, "dealt-1-1", "member")
    kill(cluster, nodes, "dealt-1-0", DEALER)
    before = len(effects.lengths)
    cluster.until(lambda: len(effects.lengths) > before + 2 * EVERYWHERE)
    effects.hurry()
    jobs.until("dealt", "Complete", "True", "Succeeded")

    assert effects.are_of(PIECES)
    assert jobs.status("dealt")["pieces"] == {"done": PIECES, "failed": 0}
    assert (jobs.status("dealt")["attempt"], jobs.status("dealt").get("restarts", 0)) == (1, 0)
    measured.say(f"{PIECES} pieces were begun {len(effects.tries)} times")
