"""Pods that are more urgent than others: for them kube-scheduler makes room, which others then leave alone."""

from random import Random

from differential.draft import REQUIRED, Draft, Feature, container


def preempts(rnd: Random) -> Feature:
    """A pod for which another one has to go, and does not yet go."""
    cpu, wants = rnd.choice(("2", "3")), rnd.choice(("2500m", "3800m"))

    def apply(draft: Draft) -> None:
        if draft.preemptors:
            return
        victim = draft.add_pod(priorityClassName="lowest")
        victim["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu}}
        here = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [draft.case]}]}
        spec = {
            "priorityClassName": "high",
            "affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [here]}}},
            "containers": [container("main", resources={"requests": {"cpu": wants}})],
        }
        name = f"{draft.case}-preemptor-{len(draft.preemptors)}"
        draft.preemptors.append({"metadata": {"name": name, "namespace": "ours"}, "spec": spec})

    return Feature(f"a pod with cpu {cpu} has to go for one with {wants}", apply)


def is_urgent(rnd: Random) -> Feature:
    """The template's priority."""
    name = rnd.choice(("lowest", "high", "highest", "highest"))

    def apply(draft: Draft) -> None:
        draft.spec["priorityClassName"] = name

    return Feature(f"the template's priority class is {name}", apply)


PRIORITIES = (preempts, is_urgent)
