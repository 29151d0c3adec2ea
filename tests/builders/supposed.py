"""Files that ask about gangs, and the Gangs that they make."""

import yaml

from builders.owners import bare_pod
from lockstep.answers.supposing.in_snapshot import suppose_alone
from lockstep.answers.supposing.manifests import read_manifests
from lockstep.answers.supposing.supposed_gangs import supposed
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import Source

NOW = 1_800_000_000.0
EVERY = frozenset(Source)
LABEL, GROUP_LABEL = "lockstep.dev/member-of", "scheduling.x-k8s.io/pod-group"
KUEUE_LABEL = "kueue.x-k8s.io/pod-group-name"


def ask(*objects, sources=EVERY):
    """What these objects ask about."""
    text = yaml.dump_all(objects, Dumper=yaml.SafeDumper)
    return supposed(read_manifests(text, namespace="team"), sources, NOW)


def facts(*objects):
    """Each Gang as the planner knows it."""
    return {object_name(gang.key): suppose_alone(gang, NOW) for gang in ask(*objects).gangs}


def sizes(*objects):
    """The least and the most pods of each role of each Gang."""
    return {
        name: sorted((role.sizes.minimum, role.sizes.maximum) for role in fact.spec.roles)
        for name, fact in facts(*objects).items()
    }


def group_of_kueue(count, names, **more):
    """Describe the pods of a group of Kueue."""
    pods = [bare_pod(name, labels={KUEUE_LABEL: "heat"}, **more) for name in names]
    for pod in pods:
        pod["metadata"]["annotations"] = {"kueue.x-k8s.io/pod-group-total-count": str(count)}
    return pods
