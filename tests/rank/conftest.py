"""The golden repository's files are data: its tests are not ours."""

collect_ignore = ["repository"]
