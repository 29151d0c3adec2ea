"""A crowd asks hundreds of questions, and some users read a byte a second or never: others are answered, and placed."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from time import time
from urllib.parse import urlsplit

import pytest

from builders.manifests import gang
from builders.records import ended
from eventually import eventually
from live.arena import Arena
from live.questions import Asking, Reader, Users, ask_all
from live.tenant_answers import API, HOUR, asked
from lockstep.recorder.database import RecordDatabase, Retention
from sandbox import KubectlError

CROWD = "crowd"
QUEUE, TIMELINE, HISTORY = (
    f"{API}/namespaces/{CROWD}/{path}" for path in ("queues/default", "timelines/default", "histories/default")
)
# More than buffers on the way take.
LONG = f"{HISTORY}?limit=1000"
TOO_OFTEN = "429: You ask too often: one request a second is answered."
SECONDS, PATIENCE = 5.0, 80.0
AT_ONCE = [
    Users("greedy", Reader.AT_ONCE, 1, 300, (QUEUE, TIMELINE, HISTORY), SECONDS, PATIENCE),
    Users("many", Reader.AT_ONCE, 60, 4, (QUEUE, TIMELINE, HISTORY), SECONDS, PATIENCE),
]
SLOW = [
    Users("slow", Reader.SLOWLY, 10, 8, (LONG,), SECONDS, SECONDS),
    Users("hung", Reader.NEVER, 10, 8, (LONG,), SECONDS, SECONDS),
]
# While a crowd asks, each user may have one question in hand.
CALM = Users("calm", Reader.AT_ONCE, 5, 1, (QUEUE,), SECONDS, PATIENCE)


@pytest.fixture(scope="module")
def asking(arena, recorder):
    """The users of the crowd may view a namespace with a long record."""
    cluster, place = arena.api, urlsplit(arena.api.server)
    cluster.create_namespace(CROWD)
    binding = ("create", "rolebinding", CROWD, "--clusterrole=view", f"--group={CROWD}", f"--namespace={CROWD}")
    cluster.kubectl(*binding)
    # The plan that is kept may be from before this namespace.
    eventually(lambda: is_planned(arena), every=1)
    record_many(recorder.database)
    return Asking(place.hostname, place.port, cluster.ca_file, cluster._site.admin, CROWD)


def is_planned(arena):
    try:
        return asked(arena, arena.api.kubeconfig, f"{CROWD}/queues/default")
    except KubectlError:
        return False


def record_many(path):
    now = round(time())
    database = RecordDatabase.open(path, Retention(records=1e12, users=1e12, most_bytes=2**30), now)
    held = {"began": now, "created": now, "namespace": CROWD, "message": "x" * 256}
    database.take_in([ended(f"crowd-{number}", now + 60, **held) for number in range(1000)], now)
    database.close()


@pytest.fixture
def beside(arena):
    """A namespace in which gangs are placed meanwhile."""
    arena.api.create_namespace("beside-crowd")
    beside = Arena(arena.api, "beside-crowd")
    beside.pool = arena.pool
    yield beside
    for one in beside.api.request("GET", beside.gangs)["items"]:
        beside.delete_gang(one["metadata"]["name"])
        eventually(lambda name=one["metadata"]["name"]: beside.is_gone(name))


def place(arena, name):
    arena.submit(gang(name, size=1, cpu="100m", **HOUR))
    arena.until_placed(name)


def codes_of(found, name):
    """How many questions of these users had which code."""
    codes = Counter()
    for (user, code), number in found.items():
        if user == name:
            codes[code.partition(":")[0]] += number
    return codes


def test_crowd_is_put_off_and_costs_others_neither_answers_nor_places(asking, beside, server):
    life = server.pid
    with ThreadPoolExecutor(1) as users:
        crowd = users.submit(ask_all, asking, [*AT_ONCE, *SLOW])
        calm = ask_all(asking, [CALM])
        place(beside, "first")
        calm += ask_all(asking, [CALM])
        place(beside, "second")
        found = crowd.result()

    assert calm == {("calm", "200"): 2 * CALM.number}, found
    for one in AT_ONCE:
        codes = codes_of(found, one.name)
        assert codes.keys() == {"200", "429"}, codes
        assert codes.total() == one.number * one.questions
    assert codes_of(found, "greedy")["429"] > codes_of(found, "greedy")["200"]
    assert found["greedy", TOO_OFTEN] > 0, found
    assert (server.pid, "Traceback" in server.log()) == (life, False)


def test_users_who_did_not_read_are_answered_again_later(asking):
    """Their places are theirs again, once their connections are closed."""
    ask_all(asking, SLOW)
    again = [Users(one.name, Reader.AT_ONCE, one.number, 1, (QUEUE,), 0.0, PATIENCE) for one in SLOW]

    eventually(lambda: {code for _, code in ask_all(asking, again)} == {"200"}, every=1)
