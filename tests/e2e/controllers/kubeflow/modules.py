"""``python -m e2e.controllers.kubeflow.modules``: have the modules at hand in which the kinds of Kubeflow are.

Afterwards those are installed also where nothing can be loaded, as on real kubelets.
"""

from e2e.controllers.kinds import POD_GROUPS_MODULE
from e2e.controllers.module_folder import module_folder
from sandbox.binaries import Tool


def main() -> None:
    """Load what is not there."""
    for tool in (Tool.MPI_OPERATOR, Tool.TRAINING_OPERATOR):
        module_folder(tool)
        module_folder(tool, POD_GROUPS_MODULE)


if __name__ == "__main__":
    main()
