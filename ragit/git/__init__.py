"""The room that knows git: repositories, revisions, trees, blobs, the staged tree and uncommitted work.

It is the only room that runs the `git` command or imports pygit2. `git` finds the repository and says what a name
means, because it opens whatever git opens (reftable, sha256, every extension) and costs 2 ms; pygit2, 100 ms to import,
only reads objects in bulk and is never loaded for a query. Its index and status are not used at all: they are wrong for
split and sparse indexes, filters, encodings and GIT_INDEX_FILE.

Nothing here writes to the user's objects, refs, index or working tree. What must be written to name uncommitted work
goes to a private object directory, `<common dir>/ragit/objects`. Nothing here reaches the network, except `Repo.fetch`.

Trust: reading a repository trusts what `git status` trusts in it. git refuses one that belongs to another user
(safe.directory); in one's own, `git status` may run the clean filters and the fsmonitor that its configuration names,
and so may `Repo.start_status`. Hooks are never run.

    command     one git process: environment, errors
    place       where a path's repository is
    private     the private object directory and temporary indexes
    objects     headers and contents, by `git cat-file` or by libgit2
    uncommitted the staged tree and the working tree as tree objects
    refs        names to commits and trees: branches, worktrees, reflogs
    attributes  .gitattributes of a tree
    ignores     .ragitignore of a tree
    empty       the empty repository in which git is asked about these two
    patterns    asks it there, in bounded time
    credential  passwords that the user's credential helper keeps
    history     the log, with the paths that each commit changed
    repo        the face of it all
"""

from __future__ import annotations

from ragit.git.attributes import is_attributes
from ragit.git.command import OLDEST, clean_env, local_env_vars, version
from ragit.git.ignores import is_ignore
from ragit.git.objects import Objects, ObjectsRecipe, libgit2_version
from ragit.git.place import GITLINK, SYMLINK
from ragit.git.refs import Reflogged, Revision, Worktree
from ragit.git.repo import Repo
from ragit.git.uncommitted import GitStatus, WorkingTree

__all__ = [
    "GITLINK",
    "OLDEST",
    "SYMLINK",
    "GitStatus",
    "Objects",
    "ObjectsRecipe",
    "Reflogged",
    "Repo",
    "Revision",
    "WorkingTree",
    "Worktree",
    "clean_env",
    "is_attributes",
    "is_ignore",
    "libgit2_version",
    "local_env_vars",
    "version",
]
