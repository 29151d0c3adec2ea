"""Why a reservation can't be carried out as it stands, in a clause with names and numbers."""

from lockstep.belief.misfits import ChecksFail, Misfit, NodesGone, NodesNotInPool, TooLittleRoom, WindowClosed
from lockstep.report.sentences import listed


def misfit_in_words(misfit: Misfit) -> str:
    """``n2 has room for 0 of 1 members: cpu is short``."""
    match misfit:
        case NodesGone(nodes=nodes):
            return f"there is no node {listed(nodes)}"
        case NodesNotInPool(nodes=nodes):
            return f"the operator's node pool has no node {listed(nodes)}"
        case ChecksFail(nodes=nodes, check=check):
            return f"its constraints do not hold on {listed(nodes)}: {check}"
        case TooLittleRoom(node=node, fit=fit, wanted=wanted, resource=resource):
            return f"{node} has room for {fit} of {wanted} members: {resource} is short"
        case WindowClosed():
            return _closed(misfit)


def _closed(misfit: WindowClosed) -> str:
    if not misfit.open_seconds:
        return f"{misfit.node} is not open to gangs now"
    open_for = f"{misfit.node} is open for {misfit.open_seconds:.0f} s more only"
    if misfit.needed_seconds is None:
        return f"{open_for}, and the run time is unknown"
    return f"{open_for}, and the gang ends in {misfit.needed_seconds:.0f} s"
