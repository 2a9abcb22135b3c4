"""Vectors of chunks: the configured embedder, the text it is given, and which stored vectors can be
used again.
"""
