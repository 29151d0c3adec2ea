"""The agent of a node: measures what members get there. It uses the standard library only, to stay small."""
