"""Whether forgetting is an existing agent's problem, found out from a trace of its messages."""
