"""What the readers of checkpoints can come upon. They name it, measure it and say where; what it means is the rules' part."""

from collections.abc import Mapping
from enum import Enum, auto

from trainproof_ci.typed import NamedTuple


class Seen(Enum):
    """The kinds of what can be come upon. A test holds every one of them to be told by exactly one rule."""

    # the file as a whole
    NO_BYTES = auto()
    POINTER = auto()
    BARE_PICKLE = auto()
    OLD_TAR = auto()
    OTHER_FORMAT = auto()
    OTHER_ARCHIVE = auto()
    FIRST_BYTES_ONLY = auto()
    ZEROS = auto()
    MARKUP = auto()
    TEXT = auto()
    NO_TORCH_BYTES = auto()
    UNKNOWN_BYTES = auto()
    # the end records and the central directory of an archive
    NO_FIRST_MEMBER = auto()
    NO_END = auto()
    TRAILING_BYTES = auto()
    BYTES_BETWEEN = auto()
    CUT_COMMENT = auto()
    ENDS_DIFFER = auto()
    SEVERAL_DISKS = auto()
    END64_BEYOND = auto()
    END64_SHORT = auto()
    END64_RANGE = auto()
    DIRECTORY_OUTSIDE = auto()
    DIRECTORY_LARGE = auto()
    DIRECTORY_ENCRYPTED = auto()
    NO_ENTRIES = auto()
    RECORD_DAMAGED = auto()
    RECORD_CUT = auto()
    MEMBER_SIZES = auto()
    MEMBER_DISK = auto()
    MEMBER_OUTSIDE = auto()
    EXTRA_FIELD = auto()
    EXTRA_SHORT = auto()
    DOUBLED_NAMES = auto()
    # its members
    HEADER_BEYOND = auto()
    HEADER_DAMAGED = auto()
    BYTES_BEYOND = auto()
    HEADERS_DIFFER = auto()
    ENCRYPTED = auto()
    UNKNOWN_METHOD = auto()
    FOLDER_WITH_BYTES = auto()
    MEMBERS_OVERLAP = auto()
    DIRECTORY_OVERLAPPED = auto()
    STREAM_DAMAGED = auto()
    STREAM_LONGER = auto()
    STREAM_SHORTER = auto()
    STREAM_CUT = auto()
    TOO_LARGE = auto()
    CHECKSUM_DIFFERS = auto()
    NO_CHECKSUMS = auto()
    # what torch puts into it
    NO_FOLDER = auto()
    OUTSIDE_ROOT = auto()
    LEADS_OUT = auto()
    NO_PICKLE = auto()
    PICKLE_REFUSED = auto()
    PICKLE_ENDLESS = auto()
    NO_VERSION = auto()
    UNKNOWN_VERSION = auto()
    UNKNOWN_ORDER = auto()
    NO_NUMBER = auto()
    STORAGE_MISSING = auto()
    STORAGE_SIZE = auto()
    TENSOR_BEYOND = auto()
    # a safetensors file
    LENGTH_CUT = auto()
    LENGTH_RANGE = auto()
    HEADER_CUT = auto()
    HEADER_LARGE = auto()
    HEADER_NO_JSON = auto()
    HEADER_NO_OBJECT = auto()
    HEADER_METADATA = auto()
    NAME_TWICE = auto()
    NO_OFFSETS = auto()
    NO_SHAPE = auto()
    UNKNOWN_TYPE = auto()
    SHAPE_OVERFLOWS = auto()
    TENSORS_OVERLAP = auto()
    TENSORS_APART = auto()
    TENSOR_SIZE = auto()
    TENSORS_CUT = auto()
    BYTES_BEHIND = auto()
    # a folder
    NO_METADATA = auto()
    METADATA_LARGE = auto()
    METADATA_DAMAGED = auto()
    PIECES_MISSING = auto()
    PIECE_SHORT = auto()
    NO_MODEL_STATES = auto()
    RANKS_MISSING = auto()
    LATEST_MISSING = auto()
    NO_WEIGHTS = auto()
    NO_TRAINER_STATE = auto()
    INDEX_UNREADABLE = auto()
    SHARDS_MISSING = auto()
    TENSORS_ASTRAY = auto()
    TOTAL_DIFFERS = auto()


LOADABLE = frozenset(
    {
        Seen.BARE_PICKLE, Seen.OLD_TAR, Seen.NO_CHECKSUMS, Seen.TOO_LARGE,
        Seen.TRAILING_BYTES, Seen.BYTES_BETWEEN, Seen.CUT_COMMENT, Seen.ENDS_DIFFER,
    }
)  # fmt: skip
"""What says nothing against the bytes themselves."""


class Sighting(NamedTuple):
    """Something the reader came upon and no rule has judged yet.

    `measured` is what stands there, `wanted` what the format or the checkpoint itself asks for; `offset` is the byte,
    `path` the file where it is another than the one being read; `told` are more facts that a message may quote.
    `unread` says that it concerns nothing that a reader of checkpoints looks at.
    """

    what: Seen
    measured: str
    wanted: str
    offset: int | None = None
    path: str | None = None
    told: Mapping[str, object] = {}
    unread: bool = False

    @property
    def damages(self) -> bool:
        """Whether the bytes are then not what was saved, or are not here."""
        return not self.unread and self.what not in LOADABLE


class Broken(Exception):  # noqa: N818 - a state of the file, named as the field names it
    """Reading cannot go on beyond this; what was read so far stands."""

    def __init__(self, sighting: Sighting) -> None:
        super().__init__(sighting.what.name)
        self.sighting = sighting
