"""The shapes of a record: which keys it has, what is asked, what is learned, and how its turns are told apart."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from trainproof_ci.readers.dataset.record import JSON_TYPES
from trainproof_ci.readers.dataset.vocabulary import (
    ABOUT,
    ANSWER,
    ANY,
    CHAT_EXTRA,
    COHERE_ROLES,
    GEMINI_ROLES,
    LIST,
    NOT_ONLY_ASKED,
    OBJECT,
    OPENAI_ROLES,
    SCALAR,
    SHAREGPT_ROLES,
    STRING,
    TAGS,
    TEXT,
    Types,
)
from trainproof_ci.typed import Any, NamedTuple


class Shape(NamedTuple):
    """One shape.

    `required` and `optional` give the JSON types a key may have; `prompts` are the keys of what the model is given,
    `targets` of what it learns, `turns` of its lists of messages, `pair` the two answers of a preference.
    `label` is the key of a class, `thumb` that of a truth value which says whether the answer is wanted.
    `roles` maps a role as written to system, user, assistant or tool. `strong` shapes are recognised in any `.json`.
    `media` are the keys that name a sound or an image beside the file; one record is one clip then.
    """

    name: str
    required: Mapping[str, Types]
    optional: Mapping[str, Types] = {}
    prompts: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    pair: tuple[str, ...] = ()
    label: str | None = None
    thumb: str | None = None
    roles: Mapping[str, str] = {}
    strong: bool = True
    media: tuple[str, ...] = ()
    foreign: frozenset[str] = frozenset()
    """Roles of another dialect that all records of a file use; `roles` says whose they are."""
    beside: tuple[str, ...] = ()
    """Columns of a table that may be part of what is asked."""
    habits: frozenset[str] = frozenset()
    """What the conversations of a file have in common: "answers-only", none has a question;
    "rejected_response", all have a worse answer beside them; "user says objects", and so for every role;
    "tokens", texts are written for a chat template."""
    closed: bool = False
    """Whether only records without any other key have the shape: of common words, such as `question` and `answer`."""
    usual: Mapping[str, Types] = {}
    """Keys that nearly all records of a file have, beside others of which nobody knows what they mean, with their types
    there. Where few records have nothing in one, something was lost; where many do, it is the way of the file."""
    filled: tuple[str, ...] = ()
    """Keys that are not learned, but empty in no record that has them by intention: who speaks, what a picture shows."""

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every key of the shape."""
        return frozenset((*self.required, *self.optional, *self.usual))

    @property
    def is_open(self) -> bool:
        """Whether a closed shape is told by its usual keys alone, so that little more than those can be judged."""
        return self.closed and bool(self.usual)

    @property
    def answers(self) -> tuple[str, ...]:
        """The keys of what answers a question: what is learned, the class, and whatever else is usual."""
        usual = (key for key in self.usual if key not in self.prompts)
        return tuple(dict.fromkeys((*self.targets, *([self.label] if self.label else []), *usual)))

    @property
    def counted(self) -> str | None:
        """The key whose values are counted: the class of a record, or whether its answer is wanted."""
        return self.thumb or self.label

    def renamed(self, fields: Mapping[str, str]) -> "Shape":
        """The shape with the names that a dataset gives its keys."""

        def name(key: str) -> str:
            return fields.get(key, key)

        return self._replace(
            required={name(key): types for key, types in self.required.items()},
            optional={name(key): types for key, types in self.optional.items()},
            usual={name(key): types for key, types in self.usual.items()},
            prompts=tuple(map(name, self.prompts)), targets=tuple(map(name, self.targets)),
            turns=tuple(map(name, self.turns)), pair=tuple(map(name, self.pair)),
            label=name(self.label) if self.label else None, thumb=name(self.thumb) if self.thumb else None, media=tuple(map(name, self.media)),
            filled=tuple(map(name, self.filled)),
        )  # fmt: skip


_SHAPES = (
    Shape(
        "openai-preference", {"input": OBJECT, "preferred_output": LIST, "non_preferred_output": LIST},
        prompts=("input",), pair=("preferred_output", "non_preferred_output"), roles=OPENAI_ROLES,
    ),
    Shape("openai-evals", {"input": TEXT, "ideal": (*TEXT, "integer", "number", "boolean")}, prompts=("input",), roles=OPENAI_ROLES),
    Shape(
        "gemini-contents", {"contents": LIST}, {"systemInstruction": ANY, "system_instruction": ANY, "tools": ANY, "generationConfig": ANY, "labels": ANY},
        turns=("contents",), roles=GEMINI_ROLES,
    ),
    Shape(
        "bedrock-converse", {"schemaVersion": STRING, "messages": LIST}, {"system": ANY, "toolConfig": ANY},
        turns=("messages",), roles=OPENAI_ROLES,
    ),
    Shape("cohere-chat", {"messages": LIST}, CHAT_EXTRA, turns=("messages",), roles=COHERE_ROLES),
    Shape(
        "stepwise", {"prompt": STRING, "completions": LIST, "labels": LIST}, prompts=("prompt",), targets=("completions",),
    ),
    Shape("preference", {"chosen": ANSWER, "rejected": ANSWER}, {"prompt": TEXT, "conversations": LIST, "messages": LIST, "instruction": STRING, "input": STRING, "question": STRING, "system": ANY, "history": ANY, **CHAT_EXTRA},
          prompts=("prompt", "instruction", "input", "question", "conversations", "messages"), pair=("chosen", "rejected"), roles=SHAREGPT_ROLES),
    Shape(
        "sharegpt", {"conversations": LIST}, {"chosen": ANY, "rejected": ANY, **CHAT_EXTRA},
        turns=("conversations",), roles=SHAREGPT_ROLES,
    ),
    Shape("messages", {"messages": LIST}, CHAT_EXTRA, turns=("messages",), roles=OPENAI_ROLES),
    Shape(
        "mistral-instruct", {"interactions": LIST}, {"available_tools": ANY, "tools": ANY, "system_prompt": ANY, "only_last": ANY},
        turns=("interactions",), roles=OPENAI_ROLES,
    ),
    Shape(
        "kto", {"prompt": TEXT, "completion": TEXT, "label": ("boolean",)}, CHAT_EXTRA,
        prompts=("prompt",), targets=("completion",), thumb="label", roles=OPENAI_ROLES,
    ),
    Shape(
        "prompt-completion", {"prompt": TEXT, "completion": TEXT}, CHAT_EXTRA,
        prompts=("prompt",), targets=("completion",), roles=OPENAI_ROLES,
    ),
    Shape(
        "alpaca", {"instruction": STRING, "output": STRING}, {"input": ("string", "null"), "history": ANY, **CHAT_EXTRA},
        prompts=("instruction", "input"), targets=("output",),
    ),
    Shape(
        "nemo-manifest", {"audio_filepath": STRING, "duration": ("number", "integer"), "text": STRING}, {"offset": ANY, "lang": ANY, **dict.fromkeys(("num_speakers", "rttm_filepath", "uem_filepath", "ctm_filepath"), ANY)},
        targets=("text",), media=("audio_filepath",),
    ),
    Shape("pretokenized", {"input_ids": LIST}, {"attention_mask": ANY, "labels": ANY, "token_type_ids": ANY, "position_ids": ANY}),
    Shape(
        "instruction-response", {"instruction": STRING, "response": STRING}, {"context": ("string", "null"), "input": ("string", "null"), **ABOUT},
        prompts=("instruction", "context", "input"), targets=("response",), strong=False, closed=True,
    ),
    Shape(
        "query-response", {"query": STRING, "response": STRING}, {"history": ANY, "images": ANY, "videos": ANY, "audios": ANY, **ABOUT},
        prompts=("query",), targets=("response",), strong=False, closed=True,
    ),
    *(
        Shape(f"{given}-{learned}", {given: STRING, learned: STRING}, ABOUT, prompts=(given,), targets=(learned,), strong=False, closed=True)
        for given, learned in (
            ("document", "summary"), ("article", "summary"), ("article", "highlights"), ("dialogue", "summary"),
            ("source", "target"), ("human", "assistant"), ("prompt", "response"), ("question", "answer"), ("input", "output"),
        )
    ),
    Shape(
        "triplet", {"anchor": STRING, "positive": STRING, "negative": STRING}, ABOUT,
        prompts=("anchor",), pair=("positive", "negative"), strong=False, closed=True,
    ),
    Shape("token-classification", {"tokens": LIST}, dict.fromkeys(TAGS, ANY), strong=False),
    Shape("text-label", {"text": STRING, "label": SCALAR}, prompts=("text",), label="label", strong=False),
    Shape("prompt-only", {"prompt": TEXT}, CHAT_EXTRA, prompts=("prompt",), roles=OPENAI_ROLES, strong=False),
    Shape("text", {"text": STRING}, {"id": ANY, "meta": ANY}, targets=("text",), strong=False),
)  # fmt: skip
_TOLD = (
    Shape("ljspeech-2col", {"id": STRING, "text": STRING}, targets=("text",), media=("id",)),
    Shape("ljspeech-3col", {"id": STRING, "text": STRING, "normalized": STRING}, targets=("normalized",), media=("id",)),
    Shape("piper-multispeaker", {"id": STRING, "speaker": STRING, "text": STRING}, targets=("text",), media=("id",), filled=("speaker",)),
    Shape("coqui", {"audio_file": STRING, "text": STRING}, {"speaker_name": ANY, "emotion_name": ANY}, targets=("text",), media=("audio_file",), filled=("speaker_name",)),
    Shape("whisper", {"audio": STRING, "sentence": STRING}, {"duration": ANY}, targets=("sentence",), media=("audio",)),
    Shape("hf-imagefolder", {}, {"file_name": STRING}, media=("file_name",), filled=("text", "caption")),
    Shape("hf-audiofolder", {}, {"file_name": STRING}, media=("file_name",), filled=("text", "caption")),
    Shape("parallel-text", {}),
    Shape("yolo-labels", {}),
)  # fmt: skip
"""Shapes that the configuration or the format names; no record alone shows that it has one of them."""
SHAPES: Mapping[str, Shape] = {shape.name: shape for shape in (*_SHAPES, *_TOLD)}
"""By name, the more specific before the more general: a record has the first shape that it fits."""


def shape_of(value: Mapping[str, Any]) -> Shape | None:
    """The first shape that the record fits."""
    fitting = _fitting(tuple(value), tuple(map(type, value.values())))
    return next((shape for shape in fitting if _speaks(shape, value)), None)


@lru_cache(maxsize=128)
def _fitting(names: tuple[str, ...], types: tuple[type, ...]) -> tuple[Shape, ...]:
    """The shapes that records of these keys and types fit; most records of a file, and of many files, are alike."""
    kinds = {name: JSON_TYPES.get(kind, "string") for name, kind in zip(names, types, strict=True)}
    return tuple(
        shape for shape in _SHAPES if all(kinds.get(key) in allowed for key, allowed in shape.required.items())
    )


def _speaks(shape: Shape, value: Mapping[str, Any]) -> bool:
    """Whether a record that has the keys of a shape is one, where something else tells it from another."""
    if shape.closed:
        return value.keys() <= shape.vocabulary
    told = _TOLD_BY.get(shape.name)
    return told is None or told(value)


def _has_tags(value: Mapping[str, Any]) -> bool:
    return any(isinstance(tags := value.get(key), list) and len(tags) == len(value["tokens"]) for key in TAGS)


_TOLD_BY: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "cohere-chat": lambda value: any(said.get("role") in ("Chatbot", "System") for said in dicts(value["messages"])),
    "gemini-contents": lambda value: any("parts" in said for said in dicts(value["contents"])),
    "sharegpt": lambda value: any("from" in said or "role" in said for said in dicts(value["conversations"])),
    "messages": lambda value: not value["messages"] or any("role" in said for said in dicts(value["messages"])),
    "token-classification": _has_tags,
    "text-label": lambda value: "audio_filepath" not in value,
    "text": lambda value: "audio_filepath" not in value,
    "prompt-only": NOT_ONLY_ASKED.isdisjoint,
}
"""What tells a record of a shape from one of another that has the same keys: mostly the roles of its messages."""


def dicts(items: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """The objects among the items of a list."""
    return (item for item in items if isinstance(item, dict))


def prompt_text(value: Mapping[str, Any], shape: Shape) -> str | None:
    """What the model is given, joined from the keys of the shape that hold text; None where a list of messages asks."""
    given = [value[key] for key in shape.prompts if key in value]
    if not given or any(isinstance(part, (list, dict)) for part in given):
        return None
    return "\n".join(part for part in given if isinstance(part, str) and part)


def learned_text(value: Mapping[str, Any], shape: Shape) -> str | None:
    """What the model learns, where it is one text."""
    target = value.get(shape.targets[0]) if len(shape.targets) == 1 else None
    return target if isinstance(target, str) else None
