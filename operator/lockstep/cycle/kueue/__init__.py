"""Lockstep as the controller of AdmissionChecks of Kueue: what it writes to Workloads, and when."""
