"""Describes chunks of code and images with a language model, if the user configured one.

Takes texts, bytes and a `remote` chat, and returns descriptions: it knows no git, path or store.
`index` decides what is described and stores the results. Nothing is imported here: a search needs
only `task`, which names the stored descriptions.
"""
