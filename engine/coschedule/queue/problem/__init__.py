"""The input and output of a plan: nodes, gangs, releases, decisions, refusals."""
