"""How things look on the wire: the client, and one module a kind that reads and writes it."""
