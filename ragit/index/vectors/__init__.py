"""Choose and make the vectors of chunks: the embedder, its texts, and stored vectors to reuse."""
