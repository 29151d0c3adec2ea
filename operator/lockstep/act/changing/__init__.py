"""Changes running gangs: adds members, and changes the files, gates, notices and resources of members."""
