"""One repository as a library object: its settings, the trees that a caller names, and every operation on them."""
