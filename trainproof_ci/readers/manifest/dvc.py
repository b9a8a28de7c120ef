"""`.dvc` files: the MD5 and size of a file or folder that DVC keeps elsewhere."""

from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.places import Location
from trainproof_ci.readers.manifest.entries import Broken, Entry, Malformed, checked_digest, inside
from trainproof_ci.typed import Any
from trainproof_ci.yaml_file import Node, load

FOLDER_MARK = ".dir"
OLD_TEXT_MD5 = "md5-dos2unix"
"""Before DVC 3 the MD5 of a text was made with its CRLF turned into LF; such a file names no `hash`."""


def entries(data: bytes, path: str) -> list[Entry | Malformed]:
    """The outputs that the `.dvc` file at `path` describes. Raises `Unreadable` for what is no such file."""
    try:
        root = load(data, "the .dvc file")
    except UsageError as error:
        raise _broken(str(error), path) from None
    outs = root.value.get("outs") if isinstance(root.value, dict) else None
    if outs is None or not isinstance(outs.value, list) or not outs.value:
        raise _broken("the .dvc file names no outputs", path)
    found: list[Entry | Malformed] = []
    for out in outs.value:
        try:
            found.append(_entry(out))
        except Broken as broken:
            found.append(Malformed(out.line, broken.problem, broken.found))
    return found


def _entry(out: Node) -> Entry:
    if not isinstance(out.value, dict):
        raise Broken("an output must be a mapping", "something else")
    plain: dict[str, Any] = {key: node.value for key, node in out.value.items()}
    md5 = plain.get("md5")
    folder = isinstance(md5, str) and md5.endswith(FOLDER_MARK)
    digest = checked_digest("md5", str(md5).removesuffix(FOLDER_MARK)) if md5 is not None else ""
    line = out.value["md5"].line if "md5" in out.value else out.line
    return Entry(
        path=inside(plain.get("path")),
        line=line,
        algorithm=None if md5 is None else "md5" if plain.get("hash") == "md5" else OLD_TEXT_MD5,
        digest=digest,
        bytes=_count(plain.get("size")),
        files=_count(plain.get("nfiles")) if folder else None,
    )


def _count(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Broken("a size must be a whole number from 0", "something else")
    return value


def _broken(why: str, path: str) -> Unreadable:
    return Unreadable(
        why, rule="TP-MANIFEST-SYNTAX", measured="no readable outputs", limit="a whole .dvc file",
        location=Location(path, line=1),
    )  # fmt: skip
