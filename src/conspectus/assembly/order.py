"""Where each chosen item stands: sections of the skeleton, and a stable reading order inside them."""

from collections.abc import Mapping, Sequence

from conspectus.assembly.layout import SECTIONS, Section
from conspectus.assembly.table import Arrangement
from conspectus.core.item import ContextItem
from conspectus.text.reading_order import SortKey, natural_key


def order(
    items: Sequence[ContextItem],
    sections: Sequence[Section],
    chosen: Sequence[int],
    conflict: Mapping[str, str],
) -> Arrangement:
    """The chosen indices by section; inside one, stable items first, conflicting ones together, then by reading order.

    Reading order is the item's own `order` signal, then its id with numbers compared as numbers, so that the chunks
    of a file and the turns of a conversation follow each other and a payload keeps its start from call to call.
    """
    places: dict[Section, list[int]] = {section: [] for section in SECTIONS}
    for index in chosen:
        places[sections[index]].append(index)
    for indices in places.values():
        indices.sort(key=lambda index: _place(items[index], conflict))
    return tuple((section, tuple(indices)) for section, indices in places.items() if indices)


def _place(item: ContextItem, conflict: Mapping[str, str]) -> tuple[SortKey, bool, float, SortKey]:
    group = natural_key(conflict.get(item.item_id, ""))
    return (group, not item.stable, item.signal("order") or 0.0, natural_key(item.item_id))
