"""The nodes of the graph and the pure functions they are made of."""
