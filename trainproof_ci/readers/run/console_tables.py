"""Tables in console text: a header with a loss in it, and the rows below; and the headerless rows of old YOLO."""

import re
from collections.abc import Iterable

from trainproof_ci.readers.run.records import number
from trainproof_ci.readers.run.stand_ins import tells_of_training
from trainproof_ci.readers.run.vocabulary import is_loss
from trainproof_ci.typed import NamedTuple

_CELL = re.compile(r"[A-Za-z_#][\w ./%()\-#@*]{0,31}")
_LIST = re.compile(r"\w+(?:,[\w/\-]+){1,63}")
_BARS = str.maketrans("┃│", "||")
_WIDE = re.compile(r"\s{2,}")
_SHARED = re.compile(r"LOSS (?=TOK2VEC|TRANSF)")
"""The layers below the others have no loss of their own: what spaCy prints for them grows while the others fall."""
_MATLAB = re.compile(r"\|\s+\|\s+\|\s+\(hh:mm:ss\)\s+(?:\|\s+(?:Accuracy|RMSE|Loss)\s+)+\|\s+Rate\s+\|")
"""The lower of the two lines of the header of MATLAB's `trainNetwork`; the one above says the same of every run."""
_FIRST = frozenset({"epoch", "step", "iter", "iteration", "global_step", "steps", "epochs", "round"})
_YOLO = {
    "box": "box_loss",
    "obj": "obj_loss",
    "cls": "cls_loss",
    "dfl": "dfl_loss",
    "total": "loss",
    "giou": "giou_loss",
}
_OF = re.compile(r"\s+\d+/\d+\s+\d+/\d+\s+")


class Table(NamedTuple):
    """The header in force: its names and what separates the cells."""

    names: tuple[str, ...]
    separator: str

    def row(self, line: str) -> "list[tuple[str, float]] | None":
        """The (name, number) pairs of a row, or None when the line is no row of this table."""
        cells = cells_of(line.translate(_BARS), self.separator)
        if len(cells) != len(self.names) and not (self.separator == " " and len(cells) > len(self.names)):
            return None
        found = [(name, number(cell.rstrip(":%"))) for name, cell in zip(self.names, cells, strict=False)]
        known = [(name, value) for name, value in found if value is not None]
        if not known or found[0][1] is None or len(known) * 2 < len(found):
            return None
        return known


def cells_of(line: str, separator: str) -> list[str]:
    """The cells of a line; an empty first and last cell of a table with borders do not count."""
    if separator == " ":
        return line.split()
    stripped = line.strip().strip("|") if separator == "|" else line.strip("\r\n")
    return [cell.strip() for cell in stripped.split(separator)]


def header(line: str) -> Table | None:
    """The table that a line without numbers opens, if a loss is among its columns."""
    if _MATLAB.fullmatch(line.rstrip()) is not None:
        return _of_matlab(line)
    if len(line) > 512 or ":" in line or "=" in line or not line.strip():
        return None
    line = line.translate(_BARS)
    separator = next((mark for mark in ("|", "\t") if mark in line.strip()), " ")
    if separator == " " and _LIST.fullmatch(line.strip()):
        separator = ","
    wide = separator == " " and _WIDE.search(line.strip()) is not None
    cells = _WIDE.split(line.strip()) if wide else cells_of(line, separator)
    if separator == " " and any(_first(cell.split()[0]) and " " in cell for cell in cells[:1] if cell):
        cells = line.split()
    if len(cells) < 2 or not all(_CELL.fullmatch(cell) for cell in cells):
        return None
    if "gpu_mem" in (cells[1].lower(), cells[0].lower()):
        cells = [_YOLO.get(cell.lower(), cell) for cell in cells]
    elif cells[:2] == ["E", "#"]:
        cells = ["epoch", "step", *(_SHARED.sub("", cell) for cell in cells[2:])]  # spaCy
    elif cells[0] == "#":
        del cells[0]  # a header that is a comment, as NumPy writes it
    if not (any(map(is_loss, cells)) or tells_of_training(cells)) or not (_first(cells[0]) or separator in "|\t"):
        return None
    return Table(tuple(cells), separator)


def _of_matlab(line: str) -> Table:
    """The columns of MATLAB's `trainNetwork`: of two of one name, the second is of the validation."""
    names = ["Epoch", "Iteration", "Time Elapsed"]
    for cell in cells_of(line, "|")[3:-1]:
        names.append(f"Validation {cell}" if cell in names else cell)
    return Table((*names, "Learning Rate"), "|")


def _first(cell: str) -> bool:
    return cell.lower().lstrip("#") in _FIRST


def headerless(line: str) -> Iterable[tuple[str, float]]:
    """The losses of a row `0/272 18/7328 nan nan nan 116 0.273`: epoch, batch, then numbers up to the first integer."""
    if not _OF.match(f" {line}"):
        return []
    found: list[tuple[str, float]] = []
    for cell in line.split()[2:]:
        value = number(cell)
        if value is None or cell.isdigit():
            break
        found.append((f"loss/{len(found) + 1}", value))
    return found if len(found) >= 3 else []
