"""What the operator does about dealers: it makes the key of each attempt, reads what is settled, and keeps that."""
