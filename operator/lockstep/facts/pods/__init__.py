"""Facts about pods: requests, outcomes, failures, disruption budgets."""
