"""What is kept of templates, beside a plain list of who was used when."""

from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep.belief.common import shared_verdicts
from lockstep.belief.common.shared_verdicts import SharedVerdicts

MOST_OF_A_NAMESPACE, MOST_IN_ALL = 3, 6
NAMESPACES, DIGESTS = "abcd", [bytes([number]) for number in range(5)]
STEPS = st.lists(
    st.tuples(st.sampled_from(["keep", "get", "drop"]), st.sampled_from(NAMESPACES), st.sampled_from(DIGESTS)),
    max_size=60,
)


class Plain:
    """All entries in one list, the least recently used first."""

    def __init__(self):
        self.entries = []

    def keep(self, namespace, digest):
        self.drop(namespace, digest)
        self.entries.append((namespace, digest))
        if len(self.of(namespace)) > MOST_OF_A_NAMESPACE:
            self.entries.remove(self.of(namespace)[0])
        if len(self.entries) > MOST_IN_ALL:
            # Of namespaces that have as many, any may give one up.
            return max(len(self.of(one)) for one in NAMESPACES)
        return None

    def get(self, namespace, digest):
        if (namespace, digest) in self.entries:
            self.entries.remove((namespace, digest))
            self.entries.append((namespace, digest))

    def drop(self, namespace, digest):
        self.entries = [one for one in self.entries if one != (namespace, digest)]

    def of(self, namespace):
        return [one for one in self.entries if one[0] == namespace]


@settings(max_examples=300)
@given(STEPS)
def test_oldest_of_the_largest_namespace_makes_way(steps):
    real, plain = SharedVerdicts(), Plain()
    with patch.multiple(shared_verdicts, MOST_OF_A_NAMESPACE=MOST_OF_A_NAMESPACE, MOST_IN_ALL=MOST_IN_ALL):
        for what, namespace, digest in steps:
            if what == "keep":
                largest = plain.keep(namespace, digest)
                real.keep(namespace, digest, digest)
                if largest is not None:
                    [gone] = [one for one in plain.entries if one not in kept(real)]
                    assert plain.of(gone[0])[0] == gone
                    assert len(plain.of(gone[0])) == largest
                    plain.entries.remove(gone)
            else:
                getattr(plain, what)(namespace, digest)
                getattr(real, what)(namespace, digest)
            assert sorted(kept(real)) == sorted(plain.entries)
            assert [one for one in NAMESPACES if real.knows(one)] == [one for one in NAMESPACES if plain.of(one)]


def kept(real):
    return [(namespace, digest) for namespace, own in real._by_namespace.items() for digest in own]
