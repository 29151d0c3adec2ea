"""The subcommands of ``lockstep simulate``: one file for each."""
