"""Child processes that read untrusted input, with limits on memory, time and output."""
