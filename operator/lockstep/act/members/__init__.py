"""Creates, binds, finds and removes the pods of a reservation."""
