"""What a plan is asked and answers: nodes, gangs, releases, decisions, refusals."""
