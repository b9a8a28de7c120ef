"""A checkpoint that is not what was saved: cut short, altered, incomplete, or none at all."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.checkpoint.facts import Checkpoint
from trainproof_ci.readers.checkpoint.sightings import Seen
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.checkpoint.sighted import PREVIOUS, Words, advised, fired

EMPTY: Words = {Seen.NO_BYTES: "the checkpoint is empty: it was created and never written"}

CUT: Words = {
    Seen.FIRST_BYTES_ONLY: "the file ends after its first bytes: the save was cut short",
    Seen.ZEROS: "the file begins with zeros only: space was set aside and the save never wrote it",
    Seen.NO_END: "the archive breaks off: it has local headers and no central directory, so the save was cut short or killed midway"
    + PREVIOUS,
    Seen.LENGTH_CUT: "the file ends inside the length of its header",
    Seen.HEADER_CUT: "the file ends inside its header",
    Seen.TENSORS_CUT: "the file ends before its tensors do: the save or the download was cut short",
    Seen.NO_METADATA: "there is no .metadata, which is written last: the save was killed before it was whole",
    Seen.PIECE_SHORT: "a piece is shorter than .metadata says: its rank was killed while it wrote",
}

UNREAD_MEMBER = "a member of {size} bytes cannot be read: "
BAD_STREAM = "a deflated member does not match its checksum: "

ALTERED: Words = {
    Seen.NO_FIRST_MEMBER: "the archive does not begin with a member",
    Seen.SEVERAL_DISKS: "the archive is split over several disks",
    Seen.END64_BEYOND: "the ZIP64 end record lies beyond the end",
    Seen.END64_SHORT: "the ZIP64 end record is too short",
    Seen.END64_RANGE: "the ZIP64 end record is out of range",
    Seen.DIRECTORY_OUTSIDE: "the central directory does not lie inside the file",
    Seen.DIRECTORY_ENCRYPTED: "the central directory is encrypted",
    Seen.NO_ENTRIES: "the archive holds no file",
    Seen.RECORD_DAMAGED: "a record of the central directory is damaged",
    Seen.RECORD_CUT: "a record of the central directory breaks off",
    Seen.MEMBER_SIZES: "the sizes of a member contradict each other",
    Seen.MEMBER_DISK: "a member lies on another disk",
    Seen.MEMBER_OUTSIDE: "a member does not lie inside the file",
    Seen.EXTRA_FIELD: "the extra field of a member is damaged",
    Seen.EXTRA_SHORT: "the ZIP64 field of a member is too short",
    Seen.DOUBLED_NAMES: "two members have the same name: two readers can see two different checkpoints",
    Seen.HEADER_BEYOND: UNREAD_MEMBER + "its local header lies beyond the end of the file",
    Seen.HEADER_DAMAGED: UNREAD_MEMBER + "its local header is damaged",
    Seen.BYTES_BEYOND: UNREAD_MEMBER + "its bytes reach beyond the end of the file",
    Seen.HEADERS_DIFFER: "the local and the central header of a member disagree on its {field}; torch reads the central one",
    Seen.FOLDER_WITH_BYTES: "a member with bytes is marked as a folder, so that torch would load uninitialised memory",
    Seen.MEMBERS_OVERLAP: "a member overlaps another member: one of the two is not what was written",
    Seen.DIRECTORY_OVERLAPPED: "a member overlaps the central directory: one of the two is not what was written",
    Seen.STREAM_DAMAGED: BAD_STREAM + "its stream is damaged",
    Seen.STREAM_LONGER: BAD_STREAM + "it holds more bytes than its header says",
    Seen.STREAM_SHORTER: BAD_STREAM + "it holds fewer bytes than its header says",
    Seen.STREAM_CUT: BAD_STREAM + "its stream breaks off",
    Seen.CHECKSUM_DIFFERS: "the checksum of a member of {size} bytes differs: its bytes are not those that were saved",
    Seen.LEADS_OUT: "a member leads out of the folder it is unpacked in; torch refuses such an archive",
    Seen.OUTSIDE_ROOT: "a member lies outside the archive's one root folder; torch refuses such an archive",
    Seen.NAME_TWICE: "a name stands twice in the header",
    Seen.TENSORS_OVERLAP: "two tensors overlap, or one ends before it begins",
    Seen.TENSORS_APART: "two tensors leave a hole between them, or one ends before it begins",
    Seen.TENSOR_SIZE: "the bytes of a tensor are not its shape times its type",
    Seen.SHAPE_OVERFLOWS: "the shape of a tensor overflows",
    Seen.BYTES_BEHIND: "bytes behind the last tensor belong to none",
}

LACKING: Words = {
    Seen.STORAGE_MISSING: "a storage that data.pkl names is not in the archive",
    Seen.STORAGE_SIZE: "a storage is not of the size that data.pkl says",
    Seen.TENSOR_BEYOND: "a tensor reaches beyond the end of its storage",
}

OTHER_ZIP = "this ZIP is no torch checkpoint: "

NONE_AT_ALL: Words = {
    Seen.MARKUP: "this is an HTML or XML page, saved under the name of a checkpoint",
    Seen.TEXT: "this is text, not a checkpoint",
    Seen.NO_TORCH_BYTES: "the file begins like no checkpoint: torch would refuse it",
    Seen.ENCRYPTED: "a member is marked as encrypted; torch reads no encrypted archive",
    Seen.NO_FOLDER: OTHER_ZIP + "its first member lies in no folder",
    Seen.NO_PICKLE: OTHER_ZIP + "it has no data.pkl",
    Seen.NO_VERSION: OTHER_ZIP + "it has no version member",
    Seen.PICKLE_REFUSED: "data.pkl is no pickle that torch could read: {reason}",
    Seen.UNKNOWN_VERSION: "torch does not know the version of this archive",
    Seen.UNKNOWN_ORDER: "the byte order of the archive is neither little nor big",
    Seen.NO_NUMBER: "a member that holds a number holds none",
    Seen.LENGTH_RANGE: "the length of its header is out of bounds, so this is no safetensors file",
    Seen.HEADER_NO_JSON: "the header is no JSON that safetensors could read",
    Seen.HEADER_NO_OBJECT: "the header is no JSON object",
    Seen.HEADER_METADATA: "the metadata of the header is no map of texts",
    Seen.NO_OFFSETS: "a tensor of the header has no valid offsets",
    Seen.NO_SHAPE: "a tensor of the header has no valid shape",
    Seen.UNKNOWN_TYPE: "a tensor of the header has a type that safetensors does not know",
    Seen.METADATA_DAMAGED: "the .metadata is damaged or cut short",
}

BEYOND_THE_END: Words = {
    Seen.TRAILING_BYTES: "{over} bytes follow the end of the archive",
    Seen.BYTES_BETWEEN: "{over} bytes stand between the directory of the archive and its end: where a second save was appended, torch loads the first",
    Seen.CUT_COMMENT: "the archive's comment is cut short",
    Seen.ENDS_DIFFER: "the two end records of the archive contradict each other; torch reads the ZIP64 one",
}


@rule("TP-CKPT-EMPTY", Severity.FAIL)
def empty_file(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The checkpoint has no bytes.

    Why: it was created and never written, or a disk was full; `torch.load` raises EOFError.
    Fix: resume from the previous checkpoint; look at the disk and at what killed the save.
    Stands down: never.
    """
    yield from advised(checkpoint, fired(checkpoint, EMPTY))


@rule("TP-CKPT-TRUNCATED", Severity.FAIL)
def cut_short(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The checkpoint breaks off: the save was killed midway, or a copy was.

    Why: an archive has its directory at its end, so a save that was killed leaves local headers and no directory;
    the weights that are there belong to no whole state.
    Fix: resume from the previous checkpoint. Save to a temporary name and rename, so that a kill leaves the old one.
    Stands down: never.
    """
    yield from advised(checkpoint, fired(checkpoint, CUT))


@rule("TP-CKPT-CORRUPT", Severity.FAIL)
def altered(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The bytes of the checkpoint are not those that were saved, or readers can disagree on them.

    Why: torch compares no checksums, so a flipped bit in a weight loads without a word. Members that overlap or share
    a name, or leave their folder, let two tools see two different checkpoints.
    Fix: take another copy, or the previous checkpoint; compare its SHA-256 where it came from.
    Stands down: never. It only warns of what no reader of checkpoints looks at, such as a local header that
    disagrees with the central one, unless the pickle also imports what it should not.
    """
    crafted = any(file.imports for file in checkpoint.files)
    for firing in advised(checkpoint, fired(checkpoint, ALTERED)):
        yield firing._replace(severity=Severity.FAIL) if crafted else firing


@rule("TP-CKPT-INCOMPLETE", Severity.FAIL)
def incomplete(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """A storage that the checkpoint names is missing, or is shorter than its tensors.

    Why: `data.pkl` names every storage with its type and size; the archive can be a valid ZIP and still lack one.
    Fix: save again, or resume from the previous checkpoint.
    Stands down: never.
    """
    yield from advised(checkpoint, fired(checkpoint, LACKING))


@rule("TP-CKPT-UNREADABLE", Severity.FAIL)
def unreadable(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """No checkpoint that torch or safetensors could load.

    Why: an error page saved under its name, a ZIP of something else, a pickle that is none, an encrypted member.
    Fix: the message says what it is; fetch or save the checkpoint again.
    Stands down: never.
    """
    yield from fired(checkpoint, NONE_AT_ALL)


@rule("TP-CKPT-TRAILING", Severity.WARN)
def trailing(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """Something follows the end of the archive, or its end records disagree.

    Why: torch loads it, and other readers may find another end; a copy that appended is the usual cause.
    Fix: save or copy it again.
    Stands down: never.
    """
    yield from fired(checkpoint, BEYOND_THE_END)
