"""How long a gang runs, by how its work is divided among its members."""
