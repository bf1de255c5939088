"""The public context builders that are tried beside this project: their packages and which driver asks them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """One system under torture.

    Attributes:
        name: as shown in the table.
        packages: what its environment is filled with, pinned.
        driver: module in `torture/drivers` that asks it.
        fence: strings that are structure in what it writes, where it has any.
    """

    name: str
    packages: tuple[str, ...]
    driver: str
    fence: tuple[str, ...] = ()


RIVALS = (
    Rival(
        name="hello-agents 0.2.8",
        packages=("hello-agents==0.2.8", "huggingface_hub", "tiktoken"),
        driver="hello_agents",
        fence=("[Role & Policies]", "[Task]", "[Evidence]", "[Output]"),
    ),
    Rival(
        name="hello-agents 1.0.0",
        packages=("hello-agents==1.0.0", "tiktoken"),
        driver="hello_agents",
        fence=("[Role & Policies]", "[Task]", "[Evidence]", "[Output]"),
    ),
    Rival(name="langchain trim_messages", packages=("langchain-core==1.8.1",), driver="langchain_trim"),
    Rival(name="llama-index memory", packages=("llama-index-core==0.14.25", "tiktoken"), driver="llama_index_memory"),
    Rival(name="ctxbudgeter", packages=("ctxbudgeter==0.3.2", "tiktoken"), driver="ctxbudgeter_pack", fence=("## ",)),
    Rival(name="contextcram", packages=("contextcram==0.2.0",), driver="contextcram_pack"),
    Rival(name="cendor-contextkit", packages=("cendor-contextkit==1.1.0", "tiktoken"), driver="contextkit_pack"),
    Rival(
        name="astromesh-context", packages=("astromesh-context==0.1.0",), driver="astromesh_pack", fence=("<context",)
    ),
    Rival(name="cal-context", packages=("cal-context==1.3.0",), driver="cal_pack"),
    Rival(name="contextgc", packages=("contextgc==0.4.6",), driver="contextgc_compile"),
    Rival(name="ctx-compact", packages=("ctx-compact==0.1.0",), driver="ctx_compact_trim"),
    Rival(name="vincio", packages=("vincio==7.11.0",), driver="vincio_compile"),
    Rival(name="prompt-poet", packages=("prompt-poet==0.0.52",), driver="prompt_poet_render"),
)
