"""When a gang's life turns or ends, by what its owner has said: one policy a file, each a pure function of facts."""
