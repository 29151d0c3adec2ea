"""Computes and writes what users read: statuses, conditions, events, metrics and the timeline."""
