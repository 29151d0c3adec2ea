"""ResourceFlavors of Kueue: a flavor selects the nodes for pods that have quota in it."""

from lockstep.api.client.answer import Target
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.kueue import KUEUE_VERSION
from lockstep.facts.document import Document
from lockstep.facts.gang.workload import Flavor

ALL_FLAVORS = Target(f"/apis/{KUEUE_VERSION}/resourceflavors", "resourceflavors")
_TERMS = ("nodeLabels", "tolerations")


def parse_flavor(flavor: Manifest) -> Flavor:
    """Parse any ResourceFlavor."""
    spec = flavor.get("spec") or {}
    terms = {field: spec[field] for field in _TERMS if field in spec}
    return Flavor(flavor["metadata"]["name"], Document.of({"spec": terms}))
