"""The agent of a node: it measures what gangs meet there. The standard library only: it has to stay small."""
