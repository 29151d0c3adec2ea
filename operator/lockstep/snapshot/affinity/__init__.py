"""Affinity and anti-affinity: between other pods and a gang's members, and among the members."""
