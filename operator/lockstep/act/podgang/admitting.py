"""Says to Kueue that the pods of a Workload may come, since places are reserved for all of them."""

from lockstep.act.podgang.check_writes import write_checks
from lockstep.act.requests.services import Services
from lockstep.api.kueue.check_entries import CheckEntry
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.workload import CheckState, Workload
from lockstep.report.text.sentences import n_pods


async def admit_workload(services: Services, workload: Workload, size: int) -> str:
    """Say so for that many pods; returns why it can't be said, as a clause, or ''. Raises ``ApiUnavailableError``."""
    if size != workload.pods:
        return f"Workload {workload.name} has quota for {n_pods(workload.pods)} by now, and not for {size}"
    message = f"Places are reserved for {n_pods(size)}."
    return await write_checks(
        services, workload, CheckEntry(CheckState.READY, message, gang=object_name(workload.gang))
    )
