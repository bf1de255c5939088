"""What an error says of settings, in the options that make them; it decides nothing and adds no other advice."""

from conspectus.errors import ContextError, IncompatibleSpec, MandatoryOverflow

_SETTINGS = ("input limit", "output reserve", "loop reserve", "share")
_SHARE_OF = "share of "


def in_options(error: ContextError) -> str:
    """The message of `error`; a setting that an option makes is called by its option."""
    text = str(error)
    if isinstance(error, IncompatibleSpec) and error.field in _SETTINGS:
        return _option(error.field) + text.removeprefix(error.field)
    if isinstance(error, MandatoryOverflow) and error.changes:
        return f"{text}\nIn options: {' '.join(_changed(*change) for change in error.changes)}"
    return text


def _option(setting: str) -> str:
    return f"--{setting.replace(' ', '-')}"


def _changed(setting: str, tokens: int) -> str:
    if setting.startswith(_SHARE_OF):
        return f"--share {setting.removeprefix(_SHARE_OF)}=:{tokens}"
    return f"{_option(setting)} {tokens}"
