"""How things look on the wire: the client, and one module for each kind, which reads it and writes it."""
