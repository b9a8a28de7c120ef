"""Holds a configuration against its JSON Schema and the catalogue; an error names the file, the line and the nearest key.

Only the part of JSON Schema that `config.schema.json` uses is understood; the tests hold both against a full validator.
"""

from collections.abc import Mapping

from trainproof_ci.errors import UsageError
from trainproof_ci.places import safe_key
from trainproof_ci.registry import KINDS, catalogue, rules_for
from trainproof_ci.typed import Any
from trainproof_ci.yaml_file import Node

PATTERN_KEYS = frozenset({"files", "exclude", "train", "eval", "baseline", "known-findings"})
_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}


def checked(root: Node, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The plain value of a configuration that fits `schema`. Raises `UsageError` for the first thing that does not."""
    checker = _Checker(name, schema.get("$defs", {}))
    plain: dict[str, Any] = checker.value(Node({}, 1) if root.value is None else root, schema, "the configuration")
    for rule_id, entry in root.value.get("rules", Node({}, 1)).value.items() if root.value else ():
        checker.rule(rule_id, entry)
    for entry in root.value.get("ignore", Node([], 1)).value if root.value else ():
        checker.known(entry.value["rule"].value, entry.line)
    checker.something_left(plain.get("rules", {}))
    return plain


class _Checker:
    def __init__(self, name: str, definitions: Mapping[str, Any]) -> None:
        self.name, self.definitions = name, definitions

    def error(self, line: int, problem: str) -> UsageError:
        return UsageError(f"{self.name}:{line}: {problem}")

    def value(self, node: Node, schema: Mapping[str, Any], where: str) -> Any:
        if "$ref" in schema:
            schema = self.definitions[schema["$ref"].rsplit("/", 1)[-1]]
        if "enum" in schema and not any(
            node.value == allowed and type(node.value) is type(allowed) for allowed in schema["enum"]
        ):
            raise self.error(node.line, f"{where} must be one of {', '.join(map(str, schema['enum']))}")
        kind = schema.get("type")
        if kind and (not isinstance(node.value, _TYPES[kind]) or (isinstance(node.value, bool) and kind != "boolean")):
            raise self.error(node.line, f"{where} must be {'an' if kind[0] in 'aio' else 'a'} {kind}")
        if kind == "object":
            return {
                key: self.member(key, child, node, schema, where) for key, child in self.members(node, schema, where)
            }
        if kind == "array":
            return [self.value(item, schema["items"], f"an entry of {where}") for item in node.value]
        self.bounds(node, schema, where)
        if isinstance(node.value, str) and where.rsplit(" ", 1)[-1].strip('"') in PATTERN_KEYS:
            self.inside(node, where)
        return node.value

    def members(self, node: Node, schema: Mapping[str, Any], where: str) -> list[tuple[str, Node]]:
        for key in schema.get("required", ()):
            if key not in node.value:
                raise self.error(node.line, f'{where} needs "{key}"')
        return list(node.value.items())

    def member(self, key: str, child: Node, parent: Node, schema: Mapping[str, Any], where: str) -> Any:
        known = schema.get("properties", {})
        if key in known:
            return self.value(child, known[key], f'"{key}"')
        other = schema.get("additionalProperties", True)
        if other is False:
            raise self.error(child.line or parent.line, f"unknown key {safe_key(key)} in {where}{_nearest(key, known)}")
        return self.value(child, other, safe_key(key))

    def bounds(self, node: Node, schema: Mapping[str, Any], where: str) -> None:
        value = node.value
        if isinstance(value, str) and not schema.get("minLength", 0) <= len(value) <= schema.get(
            "maxLength", len(value)
        ):
            raise self.error(
                node.line, f"{where} must have {schema.get('minLength', 0)} to {schema.get('maxLength')} characters"
            )
        if value is not None and not isinstance(value, (str, bool)):
            if "minimum" in schema and value < schema["minimum"]:
                raise self.error(node.line, f"{where} must be at least {schema['minimum']}")
            if "exclusiveMinimum" in schema and not value > schema["exclusiveMinimum"]:
                raise self.error(node.line, f"{where} must be more than {schema['exclusiveMinimum']}")

    def inside(self, node: Node, where: str) -> None:
        parts = node.value.split("/")
        if node.value.startswith("/") or ".." in parts or "\\" in node.value or "\0" in node.value or ":" in parts[0]:
            raise self.error(node.line, f"{where} must be a relative path with / inside the working directory")

    def known(self, rule_id: str, line: int) -> None:
        if rule_id not in catalogue():
            raise self.error(line, f"unknown rule {safe_key(rule_id)}{_nearest(rule_id, catalogue())}")

    def rule(self, rule_id: str, entry: Node) -> None:
        self.known(rule_id, entry.line)
        limits = catalogue()[rule_id].limits
        for key, value in entry.value.items():
            if key != "severity" and key not in limits:
                raise self.error(value.line, f"{rule_id} has no limit {safe_key(key)}{_nearest(key, limits)}")

    def something_left(self, rules: Mapping[str, Any]) -> None:
        off = {rule_id for rule_id, entry in rules.items() if entry.get("severity") in {"off", False}}
        for kind in KINDS:
            judging = {rule.id for rule in rules_for(kind)} if off else set()
            if judging and judging <= off:
                raise UsageError(f"{self.name}: every rule for a {kind} is off; nothing would be checked")


def _nearest(word: str, known: Any) -> str:
    from difflib import get_close_matches  # only a mistake needs it

    near = get_close_matches(word[:64], list(known), 1, 0.5)
    return f'; did you mean "{near[0]}"?' if near else f"; known: {', '.join(known)}" if 0 < len(known) <= 12 else ""
