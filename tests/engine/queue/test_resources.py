"""Resources of every kind and size."""

from coschedule.queue.problem.refusals import NotEnoughRoom, Scarcest
from engine.builders import NOW, gang, node, nodes_taken, only, release


def test_every_resource_counts():
    nodes = [node("n1", free=(8, 1)), node("n2", free=(1, 8)), node("n3", free=(2, 2))]

    placement = only(nodes, gang(size=2, serial=8, request=(1, 2)), resources=("cpu", "memory"))

    assert nodes_taken(placement) == (("n2", 1), ("n3", 1))


def test_resource_that_is_not_requested_does_not_count():
    placement = only([node("n1", free=(1, -4))], gang(serial=8, request=(1, 0)), resources=("cpu", "memory"))

    assert nodes_taken(placement) == (("n1", 1),)


def test_gang_that_requests_nothing_fits_on_one_node():
    placement = only([node("n1", free=0)], gang(size=3, serial=9, request=(0,)))

    assert nodes_taken(placement) == (("n1", 3),)


def test_amounts_of_many_nodes_do_not_wrap_around():
    nodes = [node(f"n{index:04}", free=2**53 - index) for index in range(1025)]

    assert only(nodes, gang(size=1025, serial=2, request=(2**53 - 1024,))).start == NOW


def test_amounts_that_come_back_do_not_wrap_around():
    back = [release(0, NOW + index, 2**61) for index in range(8)] + [release(0, NOW + 9, 2**70)]
    found = only([node("n1", free=-(2**61))], gang(size=3, serial=3, request=(2**59,)), releases=back)

    assert found.start == NOW + 1
    refused = only([node("n1", free=-1)], gang(size=3, request=(2**62 - 1,)), releases=back)
    scarcest = Scarcest(resource="slots", each=2**62 - 1, fit=1)
    assert refused.refusal == NotEnoughRoom(needed=3, fit=1, passing=1, nodes=1, short=(), scarcest=scarcest)
