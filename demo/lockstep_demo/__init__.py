"""The demo: a control plane, the operator as users run it, and gangs that land while one watches."""
