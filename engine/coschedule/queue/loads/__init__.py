"""How long a gang runs, by the way in which its work is divided among its members."""
