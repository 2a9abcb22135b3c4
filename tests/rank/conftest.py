"""Keep pytest from collecting the tests of the golden repository, which are data."""

collect_ignore = ["repository"]
