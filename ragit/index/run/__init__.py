"""One run of indexing: batches, worker processes, deferred files, statistics and the dry run."""
