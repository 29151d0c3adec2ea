"""Where members come from: makes, finds and removes the pods of a reservation."""
