"""Lockstep as an AdmissionCheck of Kueue: what it says of Workloads, and when."""
