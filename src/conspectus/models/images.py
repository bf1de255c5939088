"""What a picture costs by the rule its provider publishes; a size that is not known costs as much as the largest."""

import math
from dataclasses import dataclass
from typing import TypeAlias

from conspectus.core.message import ImagePart

_LONGEST = 2048
_SHORTEST = 768
_TILE = 512
_PATCH = 32
_MOST_PATCHES = 1536


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiles:
    """OpenAI's tile rule: fit into 2048 x 2048, shrink the short side to 768, then pay for tiles of 512 pixels."""

    base: int
    tile: int

    def cost(self, image: ImagePart) -> int:
        """Tokens of `image`."""
        if image.detail == "low":
            return self.base
        if not image.width or not image.height:
            return self.base + self.tile * math.ceil(_LONGEST / _TILE) * math.ceil(_SHORTEST / _TILE)
        shrink = min(1.0, _LONGEST / max(image.width, image.height))
        shrink *= min(1.0, _SHORTEST / (min(image.width, image.height) * shrink))
        return self.base + self.tile * _steps(image.width * shrink, _TILE) * _steps(image.height * shrink, _TILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patches:
    """OpenAI's patch rule: patches of 32 pixels, at most 1536 of them, times a factor of the model."""

    factor: float

    def cost(self, image: ImagePart) -> int:
        """Tokens of `image`."""
        patches = _MOST_PATCHES
        if image.width and image.height:
            patches = min(patches, _steps(image.width, _PATCH) * _steps(image.height, _PATCH))
        return math.ceil(patches * self.factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """Anthropic's rule: width times height over 750, at most `most` tokens."""

    most: int

    def cost(self, image: ImagePart) -> int:
        """Tokens of `image`."""
        if not image.width or not image.height:
            return self.most
        return max(1, min(self.most, math.ceil(image.width * image.height / 750)))


ImageRule: TypeAlias = Tiles | Patches | Area


def _steps(length: float, step: int) -> int:
    return max(1, math.ceil(length / step - 1e-9))
