"""Which numbers of members of several roles fit on given nodes together, exactly."""
