"""Git hooks that wake a worker in the background. Only a head start: search is right without them.

A hook must never block, fail or talk: it notes that something changed, starts the worker and returns. Nothing here
reads or writes the working tree, and what a hook runs is a shell script, not Python.

    script   the shell text: what stands in a hook, and the dispatcher that it calls
    place    where git looks for each hook, and what stands there
    install  writing and removing it politely
    queue    what a hook decides, for callers that start Python anyway
    worker   one per store: indexes every worktree's HEAD, newest first
    failure  what a failed worker leaves for the next command in the foreground
"""
