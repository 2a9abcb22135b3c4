"""Describes chunks of code and images with a language model, if configured.

Takes texts, bytes and a `remote` chat, and returns descriptions; knows no git, path or store.
`index` decides what is described and stores the results. Modules are imported on first use: a
search needs only `task`, which names the stored descriptions.
"""

from __future__ import annotations

TYPE_CHECKING = False


if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.describe import code, estimate, image
    from ragit.describe.code import with_description
    from ragit.describe.describer import Describer, DescriptionRequest, DescriptionResult
    from ragit.describe.task import CHUNK_PROMPT, IMAGE_PROMPT, DescriptionTask
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "code": ["with_description"],
            "describer": ["Describer", "DescriptionRequest", "DescriptionResult"],
            "task": ["CHUNK_PROMPT", "DescriptionTask", "IMAGE_PROMPT"],
        },
    )
