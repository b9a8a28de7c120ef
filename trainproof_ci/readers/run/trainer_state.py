"""`trainer_state.json` of the Hugging Face Trainer: `log_history`, each entry at the line it begins on."""

import re

from trainproof_ci.places import Location
from trainproof_ci.readers.run.alike import Alike
from trainproof_ci.readers.run.columns import Columns
from trainproof_ci.readers.run.documents import Document, not_a_log
from trainproof_ci.readers.run.facts import Reading
from trainproof_ci.readers.run.records import Records
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source

_HISTORY = re.compile(r'"log_history"\s*:\s*')
_KEYS = (b'"log_history"', b'"global_step"', b'"best_model_checkpoint"', b'"max_steps"', b'"num_train_epochs"')


def recognise(head: "Head") -> bool:
    """A JSON object with the Trainer's own keys; by its name also one that a killed save left empty or damaged."""
    if head.name == "trainer_state.json":
        return True
    start = head.start.lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"{") and sum(key in head.start for key in _KEYS) >= 2


def read(source: "Source", target: "Target") -> Reading:
    """Read the entries one by one: a history of 125,000 is never in memory as objects."""
    document = Document(source, target.path)
    found = _HISTORY.search(document.text)
    if found is None:
        raise not_a_log(target.path, "no log_history in this trainer_state.json")
    if not document.text.startswith("[", found.end()):
        here = Location(target.path, line=document.line_of(found.start()))
        raise not_a_log(target.path, "log_history is not a list", here)
    columns = Columns()
    records = Records(columns)
    for line, entry in document.entries(found.end(), Alike(records).take):
        if isinstance(entry, dict):
            records.add(entry, line)
    document.check_end()
    total = re.search(r'"max_steps"\s*:\s*(\d+)', document.text)
    return Reading(
        columns.series(), columns.odd, cut=document.cut, damage=document.damage,
        total_steps=float(total[1]) if total else None,
    )  # fmt: skip
