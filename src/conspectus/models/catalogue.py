"""What is known of closed models by name: limits, vocabulary and picture rules as their providers publish them."""

import re
from dataclasses import dataclass

from conspectus.core.ports import Limits
from conspectus.models.estimate import CLAUDE_3, CLAUDE_5, Weights
from conspectus.models.images import Area, ImageRule, Patches, Tiles

AS_OF = "2026-12"

OPENAI_CONTROLS = (
    "<|endoftext|>", "<|endofprompt|>", "<|im_start|>", "<|im_end|>", "<|im_sep|>", "<|start|>", "<|end|>",
    "<|message|>", "<|channel|>", "<|constrain|>", "<|return|>", "<|call|>", "<|startoftext|>", "<|refusal|>",
    "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>",
)  # fmt: skip
_CALLING = "antml:"  # the name space in which Claude models write calls
CLAUDE_CONTROLS = (
    "\n\nHuman:", "\n\nAssistant:", "<function_calls>", "</function_calls>", "<function_results>",
    "</function_results>", f"<{_CALLING}", f"</{_CALLING}",
)  # fmt: skip

_DATE = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIModel:
    """A model of OpenAI: its encoding (as tiktoken 0.14.0 maps it), limits in tokens, and what a picture costs."""

    encoding: str
    limits: Limits
    image: ImageRule


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicModel:
    """A model of Anthropic: the weights its counts are estimated by, limits in tokens, and what a picture costs."""

    weights: Weights
    limits: Limits
    image: ImageRule


def _openai(window: int, output: int, image: ImageRule, encoding: str = "o200k_base") -> OpenAIModel:
    return OpenAIModel(encoding=encoding, limits=Limits(window=window, output=output), image=image)


def _claude(window: int, output: int, weights: Weights) -> AnthropicModel:
    # Pictures of up to 1568 pixels a side; from Opus 4.7 on up to 2576.
    image = Area(most=1_600 if weights is CLAUDE_3 else 4_784)
    return AnthropicModel(weights=weights, limits=Limits(window=window, output=output), image=image)


_GPT_4O = Tiles(base=85, tile=170)
_O_SERIES = Tiles(base=75, tile=150)
_GPT_5 = Tiles(base=70, tile=140)
_MINI = Patches(factor=1.62)

OPENAI = {
    "gpt-5.5": _openai(1_050_000, 128_000, _GPT_5),
    "gpt-5.4": _openai(1_050_000, 128_000, _GPT_5),
    "gpt-5.4-mini": _openai(400_000, 128_000, _MINI),
    "gpt-5.4-nano": _openai(400_000, 128_000, Patches(factor=2.46)),
    "gpt-5.2": _openai(400_000, 128_000, _GPT_5),
    "gpt-5.1": _openai(400_000, 128_000, _GPT_5),
    "gpt-5": _openai(400_000, 128_000, _GPT_5),
    "gpt-5-mini": _openai(400_000, 128_000, _MINI),
    "gpt-5-nano": _openai(400_000, 128_000, Patches(factor=2.46)),
    "gpt-4.1": _openai(1_047_576, 32_768, _GPT_4O),
    "gpt-4.1-mini": _openai(1_047_576, 32_768, _MINI),
    "gpt-4.1-nano": _openai(1_047_576, 32_768, Patches(factor=2.46)),
    "gpt-4o": _openai(128_000, 16_384, _GPT_4O),
    "gpt-4o-mini": _openai(128_000, 16_384, Tiles(base=2_833, tile=5_667)),
    "o1": _openai(200_000, 100_000, _O_SERIES),
    "o3": _openai(200_000, 100_000, _O_SERIES),
    "o3-mini": _openai(200_000, 100_000, _O_SERIES),
    "o4-mini": _openai(200_000, 100_000, Patches(factor=1.72)),
    "gpt-4-turbo": _openai(128_000, 4_096, _GPT_4O, "cl100k_base"),
    "gpt-4": _openai(8_192, 4_096, _GPT_4O, "cl100k_base"),
    "gpt-3.5-turbo": _openai(16_385, 4_096, _GPT_4O, "cl100k_base"),
}

ANTHROPIC = {
    "claude-opus-5-5": _claude(_MILLION, 128_000, CLAUDE_5),
    "claude-opus-5": _claude(_MILLION, 128_000, CLAUDE_5),
    "claude-sonnet-5": _claude(_MILLION, 128_000, CLAUDE_5),
    "claude-fable-5": _claude(_MILLION, 128_000, CLAUDE_5),
    "claude-mythos-5": _claude(_MILLION, 128_000, CLAUDE_5),
    "claude-opus-4-8": _claude(_MILLION, 128_000, CLAUDE_5),
    "claude-opus-4-7": _claude(_MILLION, 128_000, CLAUDE_5),
    "claude-opus-4-6": _claude(_MILLION, 128_000, CLAUDE_3),
    "claude-sonnet-4-6": _claude(_MILLION, 128_000, CLAUDE_3),
    "claude-opus-4-5": _claude(200_000, 64_000, CLAUDE_3),
    "claude-sonnet-4-5": _claude(200_000, 64_000, CLAUDE_3),
    "claude-haiku-4-5": _claude(200_000, 64_000, CLAUDE_3),
}


def undated(model: str) -> str:
    """The model's name without the date of its release."""
    return _DATE.sub("", model)
