"""Choose refs by patterns, and find which of them contain a piece of code."""

from __future__ import annotations

from ragit.refs.file_map import FileMap, extended, load, save
from ragit.refs.held import MOST_ELSEWHERE, Held, Piece, trees_with
from ragit.refs.lines import line_of
from ragit.refs.names import Ref, listed, matching, spans, version_key
