"""Makes records of gangs from changes of their statuses, and keeps the records until they are handed over."""
