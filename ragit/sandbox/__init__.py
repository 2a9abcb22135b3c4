"""Run child processes that read untrusted input, with limits on memory, time and output."""

from __future__ import annotations

from ragit.sandbox.child_process import ChildProcess
from ragit.sandbox.exit_with_parent import end_with_parent
from ragit.sandbox.rlimits import confine, has_room
from ragit.sandbox.spares import Spares
