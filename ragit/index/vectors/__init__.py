"""The vectors of chunks: the embedder, the embedded texts, and the reuse of stored vectors."""
