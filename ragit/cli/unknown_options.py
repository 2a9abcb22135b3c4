"""Hints for options of other search tools."""

from __future__ import annotations

HINTS = {
    "-n": "Lines are numbered anyway; -k N shows at most N hits",
    "--line-number": "Lines are numbered anyway",
    "-l": "`ragit search --format vimgrep QUERY | cut -d: -f1` lists files",
    "--files-with-matches": "`ragit search --format vimgrep QUERY | cut -d: -f1` lists files",
    "-t": "--language NAME searches one language",
    "--type": "--language NAME searches one language",
    "--lang": "--language NAME searches one language",
    "-g": "--path GLOB searches some paths",
    "--glob": "--path GLOB searches some paths",
    "--include": "--path GLOB searches some paths",
    "--exclude": "--path '!GLOB' leaves paths out",
    "--limit": "-k N shows at most N hits",
    "-m": "-k N shows at most N hits",
    "--max-count": "-k N shows at most N hits",
    "-i": "Case is ignored anyway, but a name in the query's case comes first",
    "--ignore-case": "Case is ignored anyway, but a name in the query's case comes first",
    "-A": "-C N shows N lines before and after",
    "-B": "-C N shows N lines before and after",
    "-e": "ragit searches words and meaning; `git grep -e` finds patterns",
    "-E": "ragit searches words and meaning; `git grep -E` finds patterns",
    "-F": "ragit searches words and meaning; `git grep -F` finds exact text",
    "-w": "ragit searches words and meaning; `git grep -w` finds exact words",
    "-r": "Folders are searched anyway",
    "-v": "ragit searches words and meaning; `git grep -v` finds lines without a match",
    "-c": "-c NAME=VALUE comes before the command; for a count of matches, use `git grep -c`",
    "-o": "ragit searches words and meaning; `git grep -o` prints matches only",
}
"""Hint by option."""
