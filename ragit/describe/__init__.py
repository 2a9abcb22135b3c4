"""What a language model says about a chunk of code or an image, and what asking it costs. Off unless a user wants it.

The room is handed texts and bytes and a chat of `remote`, and gives descriptions: it knows no git, no path and no
store. Whoever drives it (`index`) decides what is described, keeps what was said, and never asks twice. Nothing is
imported here: a search needs only the name under which descriptions are kept, which is in `task`.
"""
