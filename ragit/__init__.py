"""Code search that lives in your git repository: content-addressed, branch-aware, offline."""

__version__ = "0.1.0"
