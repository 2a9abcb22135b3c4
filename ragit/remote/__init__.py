"""Services on other machines (or on this one, behind a port): everything that ragit says over HTTP. Owns HTTP, TLS
and the keys in use; decides nothing about what is sent, and reads no settings.

`client` sends JSON and waits, `refusal` knows what a server means by an error, `side_by_side` makes several calls at
once, `wire` holds the connections, `chat` speaks to language models, `presets` knows the providers, `secrets` takes
out of each text what must not leave the machine. Nothing is imported here: a search without a server pays for none of
it.
"""
