"""Changes running gangs: their members, and the files, gates, notices and resources of these."""
