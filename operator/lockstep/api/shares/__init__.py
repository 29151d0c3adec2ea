"""The FairShare of a cluster."""
