"""Reads git repositories: revisions, trees, blobs, the staged tree and uncommitted work.

The only package that runs `git` or imports pygit2. `git` finds the repository and resolves names:
it opens every repository (reftable, sha256, all extensions) and costs 2 ms. pygit2, 100 ms to
import, only reads objects in bulk, never for a query. Its index and status are not used: they are
wrong for split and sparse indexes, filters, encodings and GIT_INDEX_FILE.

Nothing here writes to the user's objects, refs, index or working tree. Objects of uncommitted work
are written to a private directory, `<common dir>/ragit/objects`. Only `Repo.fetch` uses the
network.

Trust: reading a repository trusts what `git status` trusts in it. git refuses a repository of
another user (safe.directory); in one's own, `git status` may run the clean filters and the
fsmonitor that its configuration names, and so may `Repo.start_status`. Hooks are never run.

    command     one git process: arguments, environment, errors
    layout      the folders of a path's repository
    private     the private object directory and temporary indexes
    objects     headers and contents, by `git cat-file` or by libgit2
    uncommitted the staged tree and the working tree as tree objects
    refs        names to commits and trees: branches, worktrees, reflogs
    attributes  .gitattributes of a tree
    ignores     .ragitignore of a tree
    empty       an empty repository, in which git matches these two
    patterns    runs the matching with a time limit
    credential  passwords in the user's credential helper
    ancestry    the history of one file
    removals    commits that took a word away
    commits     author, date and changes of single commits
    diff_tree   a running git diff-tree, for both
    raw         parses what git writes with --raw
    history     the log, with the paths that each commit changed
    first_parents  changes of some paths, commit by commit
    ranges      A..B and A...B to two trees
    pager       the pager that git uses
    tree_objects  the files of many trees at once
    repo        the interface to all of it
"""

from __future__ import annotations

from ragit.git.attributes import is_attributes
from ragit.git.command import OLDEST, clean_env, local_env_vars, version
from ragit.git.ignores import is_ignore
from ragit.git.layout import GITLINK, SYMLINK
from ragit.git.objects import Objects, ObjectsRecipe, libgit2_version
from ragit.git.refs import Revision, Worktree
from ragit.git.repo import Repo
from ragit.git.uncommitted import GitStatus

TYPE_CHECKING = False


if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.git.ancestry import Ancestry, FileHistory, Node
    from ragit.git.credential import password_for
    from ragit.git.first_parents import Step
    from ragit.git.history import Logged
    from ragit.git.pager import pager_command
    from ragit.git.raw import ChangedIn
    from ragit.git.removals import Removals
    from ragit.git.tree_objects import FilesOfTrees
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "ancestry": ["Ancestry", "FileHistory", "Node"],
            "credential": ["password_for"],
            "first_parents": ["Step"],
            "history": ["Logged"],
            "pager": ["pager_command"],
            "raw": ["ChangedIn"],
            "removals": ["Removals"],
            "tree_objects": ["FilesOfTrees"],
        },
    )
