"""A page as plain text for pipes and files: aligned, nothing cut, no colours and no pictures."""

from conspectus.interfaces.cli.page import Line, Meter, Page, Table, cells, needed, words


def write(page: Page) -> str:
    """The page as lines of text; meters and bars are left out."""
    lines: list[str] = []
    for block in page:
        match block:
            case Line():
                lines.append(" " * block.indent + "".join(span.text for span in block.spans))
            case Table():
                lines.extend(_rows(block))
            case Meter():
                pass
    kept = [text.rstrip() for text in lines]
    return "".join(f"{text}\n" for text, before in zip(kept, ["", *kept], strict=False) if text or before)


def _rows(table: Table) -> list[str]:
    kept = [index for index in needed(table) if not table.columns[index].bar]
    columns = [table.columns[index] for index in kept]
    rows = [[words(row[index]) for index in kept] for row in table.rows]
    if any(column.title for column in columns):
        rows.insert(0, [column.title for column in columns])
    widths = [max((cells(row[place]) for row in rows), default=0) for place in range(len(columns))]
    lines: list[str] = []
    for row in rows:
        padded = [
            " " * (width - cells(text)) + text if column.right else text + " " * (width - cells(text))
            for text, width, column in zip(row, widths, columns, strict=True)
        ]
        lines.append(" " * table.indent + "  ".join(padded))
    return lines
