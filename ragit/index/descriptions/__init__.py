"""Descriptions of chunks and images that a language model wrote: which are wanted, stored or still
to be requested.
"""
