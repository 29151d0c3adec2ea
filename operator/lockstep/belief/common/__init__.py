"""Work in turns, queues of changed keys, and remembered answers, which all of the cache shares."""
