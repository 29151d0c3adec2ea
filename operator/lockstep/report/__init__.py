"""What users read: conditions, events, metrics."""
