"""Changes the sizes of running gangs: which members join or leave, when, and which notice they get."""
