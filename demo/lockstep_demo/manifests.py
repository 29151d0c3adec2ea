"""The manifests of the repository that the demo applies."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
BIDS = EXAMPLES / "01-bids.yaml"
# In the order in which they are applied: first the kinds, then the operator's rights.
INSTALLED = (
    ROOT / "crds" / "gangjobs.yaml",
    ROOT / "crds" / "gangs.yaml",
    ROOT / "crds" / "nodebids.yaml",
    ROOT / "operator" / "rbac.yaml",
)
