"""The subcommands of ``lockstep simulate``: a file for each."""
