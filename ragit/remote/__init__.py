"""Talks HTTP to services on other machines, or to a server on this one.

`client` posts JSON and returns answers or typed failures, `transport` holds the connections within
limits, `error_meaning` reads errors, `parallel` makes several calls at once, `chat` and `rerank`
speak to models, `presets` lists the providers, `secrets` redacts what is sent. Reads no settings.
Nothing is imported here: a search without a server loads none of it.
"""
