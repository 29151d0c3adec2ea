"""Asks an autoscaler for nodes."""
