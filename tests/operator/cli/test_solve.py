import json
import subprocess
import sys

TWO_IDLE_NODES = {"id": 1, "problem": "equal", "nodes": [{}, {}], "work": {"serial": 600}, "size": {"min": 1, "max": 2}}


def solve(*lines: str) -> list[dict]:
    run = subprocess.run(
        [sys.executable, "-m", "lockstep", "solve"], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_solve_answers_line_by_line_and_goes_on_after_an_error():
    [answer, error, again] = solve(json.dumps(TWO_IDLE_NODES), "{", json.dumps({**TWO_IDLE_NODES, "id": 2}))

    assert (answer["id"], answer["finish"], answer["members"]) == (1, 300, [0, 1])
    assert error["error"]["reason"] == "InvalidRequest"
    assert (again["id"], again["finish"]) == (2, 300)
