"""One repository as a library object: its settings, its trees, and the operations on them."""
