"""The best run that a timeline has for one gang, by the kind of gang."""
