"""The files that GitHub and pre-commit read, held against the tools that know them."""

import subprocess
from pathlib import Path

import outside
import pytest
import yaml

WORKFLOWS = sorted((outside.ROOT / ".github/workflows").glob("*.yml")) + sorted(
    (outside.ROOT / "docs/recipes").glob("*.yml")
)


def passes(*command: str) -> None:
    done = subprocess.run(
        command, cwd=outside.ROOT, capture_output=True, text=True, check=False, env=outside.clean_environment()
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_pedantic() -> None:
    recipes = [str(path.relative_to(outside.ROOT)) for path in WORKFLOWS if path.parent.name == "recipes"]
    asked = ["action.yml", ".github", ".pre-commit-hooks.yaml", *recipes]
    passes(
        outside.program("zizmor"),
        "--offline",
        "--no-progress",
        "--persona=pedantic",
        "--config",
        ".github/zizmor.yml",
        *asked,
    )


def test_the_action_fits_its_schema() -> None:
    passes(outside.program("check-jsonschema"), "--builtin-schema", "vendor.github-actions", "action.yml")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_fits_its_schema(path: Path) -> None:
    passes(outside.program("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", str(path))


@pytest.mark.parametrize("path", [outside.ROOT / "action.yml", *WORKFLOWS], ids=lambda path: path.name)
def test_action_validator(path: Path) -> None:
    cli = outside.node_module("@action-validator/cli/cli.mjs")
    passes(outside.program("node"), cli, str(path))


def test_the_action_is_small_and_holds_no_expression_in_a_script() -> None:
    text = (outside.ROOT / "action.yml").read_text()
    assert len(text.splitlines()) <= 120
    for step in yaml.safe_load(text)["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert "uses" not in step or step["uses"].rpartition("@")[2].isalnum()
