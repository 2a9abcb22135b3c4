"""Settings: one frozen `Config`, merged from defaults, .ragit.toml, git config, environment and
flags.

Runs no git and reads no terminal: it gets mappings and bytes, and tells the origin of every value.
"""

from ragit.config.knobs import Knob, fingerprint, value_of
from ragit.config.layers import Loaded, SettingRow, TomlFile, describe, load, readable, select
from ragit.config.sections import (
    KNOBS,
    Config,
    selection_fingerprint,
)
from ragit.config.server_sections import (
    NO_MINIMUM,
    Description,
    Embedding,
    ImageDescription,
    LanguageModel,
    QueryRewriting,
    Reranking,
    Service,
)
from ragit.config.toml import FILE_NAME, read_file
from ragit.config.toml import parse as parse_toml
from ragit.config.values import expected
