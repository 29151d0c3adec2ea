"""When a gang ends or restarts, as its spec says: one policy a file, each a pure function of facts."""
