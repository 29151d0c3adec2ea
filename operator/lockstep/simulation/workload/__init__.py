"""Where simulated jobs come from: a published model, or a log."""
