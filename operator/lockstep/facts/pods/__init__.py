"""Facts of pods: requests, outcomes, failures, disruption budgets."""
