"""The demo: a control plane, the operator as users run it, and gangs that are placed while a person watches."""
