"""Describe chunks and images with a language model: find, store and request descriptions."""
