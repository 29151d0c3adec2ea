"""What users are told: conditions, events, metrics."""
