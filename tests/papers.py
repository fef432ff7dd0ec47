"""Documents of every kind, written for a test: small ones with known facts, and PDF and Word files made on the spot."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import docx

TRAVEL = """# Travel policy

This policy is valid until 31 March 2027.

## Hotels

A hotel in Lisbon costs at most 120 EUR a night. Breakfast is paid by the firm.

| City | Limit |
|---|---|
| Paris | 200 EUR |
| Rome | 150 EUR |

## Trains

Journeys below 400 km are made by train. Ask Petra Lindqvist for a railcard.
"""
LEAVE = """请假制度

本制度自2026年3月1日起施行，有效期至2027年2月28日。

年假

员工每年有12天年假，须提前五天申请。年假由人事部王琳审批。

病假

病假超过两天须提交医院证明。
"""
STOCK = "item,shelf,pieces\nbrass hinge,B4,1250\noak panel,C1,86\nwood glue,A2,40\n"
CONTACTS = {
    "contacts": [
        {"name": "Imre Halász", "role": "electrician", "phone": "+36 1 555 0142"},
        {"name": "Dana Okafor", "role": "caretaker", "phone": "+36 1 555 0177"},
    ]
}
PAGE = """<!doctype html><html><head><title>Workshop rules</title><style>p{}</style></head><body>
<nav><a href="/">Home</a></nav><h1>Workshop rules</h1><h2>Kiln</h2><p>The kiln is fired at 1,240 &deg;C for nine hours.
<p>Only Marta and Joel may open it.<h2>Opening hours</h2><table><tr><th>Day</th><th>Hours</th></tr>
<tr><td>Monday</td><td>9 to 17</td></tr><tr><td>Saturday</td><td>10 to 14</td></tr></table>
<footer>© 2026</footer></body></html>"""
PRICES = """会员价目

单次入场票价为45元。年卡价格是860元，凭学生证可打八折。

储物柜每月租金30元，钥匙丢失需赔偿50元。
"""
NOTES = "Meeting of 12 May 2026\n\nThe greenhouse was sold to Bramley Farms for 18,400 EUR.\n\n"
NOTES += "Ingrid takes over the seed bank.\n"
LETTER = ("Boiler service", "The boiler was installed in 2019 by Thermaval.", "It is serviced every October.")
WORD = ("Library handbook", "Loans", "Books are lent for 21 days.", "A reader may have six books at a time.")
CLUB = """# 登山社须知

## 装备

每次登山必须携带至少两升水。头灯由社里统一发放，押金100元。

## 联系人

领队是赵海峰，电话 138-0000-4521。
"""


def word(title: str, heading: str, *paragraphs: str, rows: Iterable[Sequence[str]] = ()) -> bytes:
    """A Word file with a title, a heading, paragraphs, and a table."""
    made = docx.Document()
    made.add_heading(title, 0)
    made.add_heading(heading, 1)
    for text in paragraphs:
        made.add_paragraph(text)
    lines = [list(line) for line in rows]
    if lines:
        table = made.add_table(len(lines), len(lines[0]))
        for line, cells in zip(lines, table.rows, strict=True):
            for text, cell in zip(line, cells.cells, strict=True):
                cell.text = text
    written = io.BytesIO()
    made.save(written)
    return written.getvalue()


def pdf(*pages: Sequence[str]) -> bytes:
    """A PDF file with these lines on its pages; a page without any is a picture to a reader of text."""
    texts = [_shown(lines) for lines in pages]
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(texts)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(texts)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, text in enumerate(texts):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    return _filed(objects)


def _shown(lines: Sequence[str]) -> str:
    shown = [f"({line}) Tj 0 -16 Td" for line in lines]
    return "\n".join(["BT /F1 11 Tf 60 780 Td", *shown, "ET"]) if lines else ""


def _filed(objects: Sequence[str]) -> bytes:
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n"
    )
    return data + f"{end}startxref\n{len(data)}\n%%EOF\n".encode()


def ten_papers(folder: Path) -> list[Path]:
    """Ten documents, of every kind, in both languages."""
    made = {
        "travel.md": TRAVEL.encode(), "leave.txt": LEAVE.encode("gb18030"), "stock.csv": STOCK.encode(),
        "contacts.json": json.dumps(CONTACTS, ensure_ascii=False).encode(), "workshop.html": PAGE.encode(),
        "prices.txt": PRICES.encode(), "notes.txt": NOTES.encode(), "boiler.pdf": pdf(LETTER),
        "library.docx": word(*WORD), "club.md": CLUB.encode(),
    }  # fmt: skip
    for name, data in made.items():
        (folder / name).write_bytes(data)
    return sorted(folder.iterdir())
