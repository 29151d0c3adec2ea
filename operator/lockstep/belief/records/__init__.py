"""Makes records of gangs from changes of their statuses, and keeps them until they are handed over."""
