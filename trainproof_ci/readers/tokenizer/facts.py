"""What is known of a tokenizer: its files, its special tokens wherever they are written, its ids, what lies beside."""

import os
from collections.abc import Mapping

from trainproof_ci.model import Chart
from trainproof_ci.readers.tokenizer.companions import TEMPLATES, VOCABULARIES, Beside, Dataset, datasets_beside, listed
from trainproof_ci.readers.tokenizer.json_file import JsonFile, read_json
from trainproof_ci.typed import Any, NamedTuple

CONFIG, SPECIAL, WHOLE, GENERATION = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "generation_config.json",
)
NAMES = (CONFIG, SPECIAL, WHOLE, GENERATION)
ADDED, VOCABULARY = "added_tokens.json", "vocab.json"
"""What a tokenizer is made from where there is no `tokenizer.json`."""
ENCODER_TOKENS = ("cls_token", "sep_token", "mask_token")


class Special(NamedTuple):
    """A special token as one file writes it: its text (None for null), or that it is no token at all."""

    text: str | None
    file: JsonFile
    key: str
    valid: bool = True


class Tokenizer(NamedTuple):
    """The files of one folder that make a tokenizer, and what lies beside them."""

    path: str
    folder: str
    files: Mapping[str, JsonFile]
    beside: frozenset[str]
    model: Mapping[str, Any]
    companions: Beside

    @property
    def datasets(self) -> tuple[Dataset, ...]:
        """The datasets beside, by their first rows."""
        return self.companions.datasets

    def special(self, name: str) -> Special | None:
        """The token `name` ("eos_token"): where it has a text, else where it is written without one, else None."""
        found = [
            _special(self.files[file], name)
            for file in (CONFIG, SPECIAL)
            if file in self.files and name in self.files[file].value
        ]
        return next((special for special in found if special.text is not None), found[0] if found else None)

    @property
    def config(self) -> JsonFile | None:
        """tokenizer_config.json where it is there and whole."""
        file = self.files.get(CONFIG)
        return file if file is not None and file.problem is None and not file.pointer else None

    @property
    def encoder(self) -> bool:
        """Whether these are the tokens of an encoder, which marks no end of text: cls, sep or mask and no eos."""
        return any(self.special(name) is not None for name in ENCODER_TOKENS)

    @property
    def by_class(self) -> bool:
        """Whether the special tokens may be the defaults of a class that another file names."""
        config = self.config
        named = config is not None and isinstance(config.value.get("tokenizer_class"), str)
        generic = (
            named
            and config is not None
            and config.value["tokenizer_class"]
            in {"PreTrainedTokenizerFast", "PreTrainedTokenizer", "TokenizersBackend"}
        )
        return (named and not generic) or "model_type" in self.model or not VOCABULARIES.isdisjoint(self.beside)

    @property
    def eos_ids(self) -> bool:
        """Whether generation or model configuration names an end-of-text id."""
        generation = self.files.get(GENERATION)
        return any(
            values.get("eos_token_id") is not None for values in (generation.value if generation else {}, self.model)
        )

    @property
    def has_template(self) -> bool:
        """Whether a chat template is there, in the configuration or beside it."""
        config = self.config
        return (config is not None and bool(config.value.get("chat_template"))) or not TEMPLATES.isdisjoint(self.beside)

    def lacks(self, need: str) -> str | None:
        """Why `need` is not there: "config", "dataset", "ids"."""
        if need == "config" and self.config is None:
            return "no whole tokenizer_config.json"
        if need == "dataset" and not self.datasets:
            return "no dataset beside the tokenizer"
        whole = self.files.get(WHOLE)
        if (
            need == "ids"
            and (whole is None or whole.problem is not None)
            and self.config is None
            and GENERATION not in self.files
        ):
            return "no file that gives ids to tokens"
        return None

    def summary(self) -> Mapping[str, object]:
        """The files, and which special tokens are set; no token is printed."""
        tokens = [
            name
            for name in ("bos_token", "eos_token", "pad_token", "unk_token")
            if (token := self.special(name)) and token.text
        ]
        facts: dict[str, object] = {
            "files": sorted(os.path.basename(file.path) for file in self.files.values()),
            "special_tokens": tokens,
            "chat_template": self.has_template,
        }
        if self.companions.looked_at < self.companions.found:
            facts["datasets_beside"] = f"{self.companions.looked_at} of {self.companions.found} looked into"
        return facts

    def charts(self) -> tuple[Chart, ...]:
        """None: a tokenizer is no series."""
        return ()


def _special(file: JsonFile, name: str) -> Special:
    value = file.value[name]
    text = value.get("content") if isinstance(value, dict) else value
    if isinstance(text, str) and text:
        return Special(text, file, name)
    return Special(None, file, name, valid=value is None)


def tokenizer_in(path: str) -> Tokenizer:
    """The tokenizer whose file is `path`, with the files beside it. Raises `Unreadable` when one cannot be opened."""
    folder = os.path.dirname(path)
    names = NAMES if os.path.isfile(os.path.join(folder, WHOLE)) else (*NAMES, ADDED, VOCABULARY)
    found = {name: read_json(os.path.join(folder, name).replace(os.sep, "/")) for name in names}
    files = {name: file for name, file in found.items() if file is not None}
    own = os.path.basename(path)
    if own not in files and (file := read_json(path)) is not None:
        files[CONFIG] = file
    model = read_json(os.path.join(folder, "config.json"))
    return Tokenizer(
        path, folder, files, frozenset(listed(folder)), model.value if model else {}, datasets_beside(folder)
    )
