"""Policies choose the jobs that start now, and their nodes: Lockstep's planner, and others to compare it with."""
