"""Tools that the whole cache uses: work in turns, queues of changed keys, and remembered answers."""
