"""The words that records use: the JSON types of their values, the roles of their messages, and the keys beside what is learned."""

from collections.abc import Mapping

Types = tuple[str, ...]
STRING: Types = ("string",)
LIST: Types = ("list",)
OBJECT: Types = ("object",)
ANY: Types = ("string", "list", "object", "integer", "number", "boolean", "null")
TEXT: Types = ("string", "list")
ANSWER: Types = ("string", "list", "object")
SCALAR: Types = ("string", "integer", "boolean")

OPENAI_ROLES = {
    "system": "system", "developer": "system", "user": "user", "assistant": "assistant",
    "tool": "tool", "function": "tool", "ipython": "tool", "tool_call": "call", "tool_response": "tool",
}  # fmt: skip
SHAREGPT_ROLES = {
    **OPENAI_ROLES, "human": "user", "gpt": "assistant", "chatgpt": "assistant", "bing": "assistant", "bard": "assistant",
    "model": "assistant", "observation": "tool", "function_call": "call", "function_response": "tool",
}  # fmt: skip
FOREIGN_ROLES = {
    "bot": "assistant", "ai": "assistant", "model": "assistant", "gpt": "assistant", "chatbot": "assistant", "human": "user", "prompter": "user",
    "chosen_gpt": "assistant", "rejected_gpt": "rejected", "chosen": "assistant", "rejected": "rejected",
}  # fmt: skip
"""Roles of no common dialect; a file that uses them throughout has a loader of its own. A rejected answer is not learned."""
GEMINI_ROLES = {"user": "user", "model": "assistant", "function": "tool", "system": "system"}
COHERE_ROLES = {"System": "system", "User": "user", "Chatbot": "assistant", "Tool": "tool"}
MEDIA = frozenset({"image", "images", "video", "videos", "audio", "audios"})
"""Keys that name a picture, a film or a sound."""
CONTEXT = MEDIA | {
    "system", "system_prompt", "history", "tools", "context", "passage", "document", "question", "question2", "sentence2", "text2",
    "text_b", "hypothesis", "aspect", "entity", "term", "word", "query", "target_word", "task", "lang", "language",
}  # fmt: skip
"""Keys of what is given beside a prompt: with another system text, or another second sentence, it is another question."""
CHAT_EXTRA: Mapping[str, Types] = {
    "tools": ANY, "functions": ANY, "parallel_tool_calls": ANY, "system": ANY, "id": ANY, **dict.fromkeys(MEDIA, ANY)
}  # fmt: skip

ABOUT: Mapping[str, Types] = dict.fromkeys(
    ("id", "system", "category", "source", "topic", "type", "difficulty", "language", "lang", "tags", "meta", "metadata", "url"), ANY
)  # fmt: skip
"""What a pair of a question and an answer may have beside it; with a score or a prediction it is no pair to learn."""
MEASURED = frozenset(
    {
        "score", "scores", "prediction", "predictions", "predicted", "pred", "preds", "correct", "reward", "model", "latency",
        "tokens", "usage", "time", "timestamp", "ts", "status", "error", "elapsed", "cost", "generated", "generation",
    }
)  # fmt: skip
"""Words of keys that say what a program did or how well: beside them an answer is a result, and nothing to learn."""
IDENTITY = frozenset({"_id", "idx", "index", "uid", "uuid", "guid"})
"""Keys that say which record it is, beside "id"."""
CHECKS = frozenset(
    {
        "answer", "answers", "expected", "gold", "ground_truth", "label", "reference", "reference_answer", "reward_model", "solution",
        "target",
    }
)  # fmt: skip
"""Keys of what an answer is held against."""
NOT_ONLY_ASKED = frozenset({"query", "pos", "neg", "response", "responses"})
"""Keys beside which a prompt is an instruction for a search, or has answers of its own."""
TAGS = ("ner_tags", "pos_tags", "chunk_tags", "tags")
"""Keys of lists that say something of each of the "tokens" beside them."""
