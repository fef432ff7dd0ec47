"""Methods: how tasks of one kind are done, learned from finished ones and handed to the next task of that kind."""
