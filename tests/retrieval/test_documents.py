import io
import os
import time
from datetime import date
from itertools import pairwise

import pytest
from pypdf import PdfWriter

from signalbox.errors import ConfigurationError
from signalbox.retrieval.documents.blocks import ParsedDocument, Refusal, stated_date
from signalbox.retrieval.documents.files import DocumentFile, parse, title_of
from signalbox.retrieval.documents.html_page import read_html
from signalbox.retrieval.documents.ingest import guide_texts, ingest_documents, load_guides
from signalbox.retrieval.documents.markdown import read_markdown
from signalbox.retrieval.documents.passages import MAX_TOKENS, OVERLAP_TOKENS, count_tokens, cut, windows
from signalbox.retrieval.documents.text import read_text
from signalbox.retrieval.documents.vectors import key_of, packaged_vectors
from signalbox.retrieval.library import Library


def _pdf(*pages: str, outline: tuple[tuple[str, int], ...] = (), password: str | None = None) -> bytes:
    """A PDF with a line of text for each line given."""
    parts = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(len(pages)))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    parts.append(f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode())
    for number, page in enumerate(pages):
        lines = "".join(f"({line}) Tj T* " for line in page.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 50 750 Td {lines}ET".encode()
        parts.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 {font} >> >> "
            f"/Contents {4 + 2 * number} 0 R >>".encode()
        )
        parts.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    body, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    body += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(parts) + 1, table)
    body += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(parts) + 1, body.index(b"xref"))
    writer = PdfWriter(clone_from=io.BytesIO(body))
    for title, page in outline:
        writer.add_outline_item(title=title, page_number=page)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _file(name: str, data: bytes = b"") -> DocumentFile:
    return DocumentFile(name, len(data), lambda: data)


def _parsed(name: str, data: bytes) -> ParsedDocument | Refusal:
    return parse(_file(name, data), data)


def _texts(document: ParsedDocument, kind: str) -> list[str]:
    return [block.text for block in document.blocks if block.kind == kind]


def test_front_matter_is_read_even_where_it_is_not_yaml():
    document = read_markdown(
        "---\ntitle: Pay: what to ask\nversion: 1.2\ndate: 2026-02-03\nurl: https://example.org/a\n"
        "topics:\n  - Pay\n  - offers\n---\nText.\n"
    )
    assert document.title == "Pay: what to ask"
    assert (document.version, document.published_on) == ("1.2", date(2026, 2, 3))
    assert (document.topics, document.url) == (("pay", "offers"), "https://example.org/a")
    assert read_markdown("---\nkeywords:\n  [\n    one two,\n    three,\n  ]\n---\nx").topics == ("one two", "three")
    assert read_markdown("---\ntitle: [unclosed\nversion: 2\n---\n# Heading\n\nx").title == ""
    assert read_markdown("---\ntitle: [Draft] Pay\n---\nx").title == "[Draft] Pay"
    assert _texts(read_markdown("---\ntitle: not closed\n\ntext"), "paragraph")[-1] == "text"


def test_what_a_site_generator_eats_is_no_text():
    document = read_markdown(
        "import Ad from './Ad';\nimport { A,\n  B } from 'x'\n\nexport const meta = {\n  a: 1,\n};\n\n"
        "# Title {#title}\n\n<Ad kind={1} />\n\n{/* a\ncomment */}\n\n<Tabs>\n\nKept **words** and [a link](http://x.y).\n\n"
        "</Tabs>\n\n{% include nav.html %}\n\n:::tip\n\nUse `List<String>`.\n\n:::\n\n"
        "<!-- hidden -->\n\n```jsx\nimport x from 'y'\n<Ad />\n```\n"
    )
    assert _texts(document, "heading") == ["Title"]
    assert _texts(document, "paragraph") == ["Kept words and a link.", "Use `List<String>`."]
    assert _texts(document, "code") == ["```jsx\nimport x from 'y'\n<Ad />\n```"]


def test_lists_tables_and_raw_html_keep_their_structure():
    document = read_markdown(
        "- one\n  - nested\n- two\n\n3. three\n4. four\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\n"
        "<div><p>from <b>html</b></p><ul><li>item</li></ul></div>\n\n> quoted\n"
    )
    assert _texts(document, "item") == ["- one\n  - nested", "- two", "3. three", "4. four", "- item"]
    rows = [block for block in document.blocks if block.kind == "row"]
    assert [(row.text, row.lead) for row in rows] == [
        ("| 1 | 2 |", "| A | B |\n| --- | --- |"),
        ("| 3 | 4 |", "| A | B |\n| --- | --- |"),
    ]
    assert _texts(document, "paragraph") == ["from html", "quoted"]


def test_a_page_of_html_is_its_article():
    document = read_html(
        "<html><head><title>Pay | Site</title><meta name=keywords content='Pay, Offers'>"
        "<meta property='article:published_time' content='2026-01-05T10:00:00Z'>"
        "<link rel=canonical href='https://example.org/pay'></head><body><nav>Home About</nav>"
        "<main><h1>Asking for pay</h1><p>Ask <em>after</em><br>the offer.</p><script>x()</script>"
        "<ol><li>First<ul><li>inner</li></ul></li><li>Second</li></ol><pre>a\n  b</pre>"
        "<table><tr><th>Level</th><th>Pay</th></tr><tr><td>One</td><td>10</td></tr></table>"
        "<p hidden>secret</p></main><footer>Imprint</footer></body></html>"
    )
    assert (document.title, document.topics) == ("Asking for pay", ("pay", "offers"))
    assert (document.published_on, document.url) == (date(2026, 1, 5), "https://example.org/pay")
    assert _texts(document, "paragraph") == ["Ask after the offer."]
    assert _texts(document, "item") == ["1. First", "  - inner", "2. Second"]
    assert _texts(document, "code") == ["```\na\n  b\n```"]
    assert [(b.text, b.lead) for b in document.blocks if b.kind == "row"] == [
        ("| One | 10 |", "| Level | Pay |\n| --- | --- |")
    ]


def test_html_may_nest_deep_but_not_out_of_all_reason():
    document = read_html("<div>" * 900 + "deep" + "</div>" * 900)
    assert [block.text for block in document.blocks] == ["deep"]
    refused = read_html("<div>" * 100_000 + "deep")
    assert isinstance(refused, Refusal)
    assert "nested" in refused.reason
    assert len(read_html("<p>one<p>two<br><li>three" * 2_000).blocks) == 6_000


def test_a_pdf_has_its_pages_or_its_outline_as_headings():
    plain = _parsed("a.pdf", _pdf("First page about pay.", "Second page about offers."))
    assert isinstance(plain, ParsedDocument)
    assert _texts(plain, "heading") == ["Page 1", "Page 2"]
    outlined = _parsed(
        "b.pdf", _pdf("Pay\nAsk after the offer.", "Offers\nRead them.", outline=(("Pay", 0), ("Offers", 1)))
    )
    assert isinstance(outlined, ParsedDocument)
    assert [(b.kind, b.text) for b in outlined.blocks] == [
        ("heading", "Pay"),
        ("paragraph", "Ask after the offer."),
        ("heading", "Offers"),
        ("paragraph", "Read them."),
    ]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", _pdf("x", password="secret"), "encrypted"),
        ("b.pdf", b"%PDF-1.4\nrubbish", "damaged or cut short"),
        ("c.pdf", _pdf(""), "no text in it"),
        ("d.md", b"", "empty"),
        ("e.txt", b"  \n\t ", "empty"),
        ("f.md", b"\x89PNG\r\n\x1a\n\x00\x00\x00", "not text"),
        ("g.html", b"<script>x()</script>", "no text"),
        ("h.md", b"# Only\n\n## Headings\n", "no text but headings"),
        ("i.txt", b"%PDF-1.7 ...", "rename"),
    ],
)
def test_what_cannot_be_taken_says_why(name, data, reason):
    refused = _parsed(name, data)
    assert isinstance(refused, Refusal)
    assert reason in refused.reason


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_in_common_encodings_is_read(encoding):
    document = _parsed("a.txt", "Café – résumé".encode(encoding))
    assert isinstance(document, ParsedDocument)
    assert _texts(document, "paragraph") == ["Café – résumé"]


def test_a_title_is_stated_or_the_first_heading_or_the_files_name():
    assert title_of(_file("x.md"), read_markdown("---\ntitle: Stated\n---\n# Heading\n\ntext")) == "Stated"
    assert title_of(_file("x.md"), read_markdown("# Heading\n\ntext")) == "Heading"
    assert title_of(_file("x.md"), read_markdown("### What is a closure?\n\ntext")) == "What is a closure?"
    assert title_of(_file("a/asking-for_pay.txt"), read_text("text")) == "Asking for pay"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-04T10:00:00Z", date(2026, 3, 4)),
        ("4 March 2026", date(2026, 3, 4)),
        ("March 2026", date(2026, 3, 1)),
        ("2026-13-40", None),
        ("soon", None),
        ("", None),
    ],
)
def test_a_date_is_read_or_left_out(text, day):
    assert stated_date(text) == day


def test_a_passage_keeps_its_path_and_never_crosses_a_large_section():
    long = "Words that fill a section so that it stands alone. " * 20
    document = read_markdown(f"# Guide\n\n## Pay\n\n{long}\n\n### Overtime\n\n{long} extra\n\n## Leave\n\n{long} end\n")
    assert [passage.headings for passage in cut(document, "Guide")] == [("Pay",), ("Pay", "Overtime"), ("Leave",)]


def test_small_neighbours_share_a_passage_and_keep_their_headings_in_it():
    document = read_markdown("# FAQ\n\n## Accounts\n\n### Can I close it?\n\nYes.\n\n### Can I share it?\n\nNo.\n")
    assert [(passage.headings, passage.content) for passage in cut(document, "FAQ")] == [
        (("Accounts",), "**Can I close it?**\n\nYes.\n\n**Can I share it?**\n\nNo.")
    ]


def test_a_long_section_is_cut_between_paragraphs_with_one_repeated():
    paragraphs = [f"Paragraph {number} says " + "something of use " * 15 for number in range(20)]
    found = cut(read_markdown("## Long\n\n" + "\n\n".join(paragraphs)), "Guide")
    assert len(found) > 2
    sizes = count_tokens([passage.content for passage in found])
    assert max(sizes) <= MAX_TOKENS
    for before, after in pairwise(found):
        repeated = after.content.split("\n\n")[0]
        assert before.content.endswith(repeated)
        assert count_tokens([repeated])[0] <= OVERLAP_TOKENS
    whole = "\n\n".join(passage.content for passage in found)
    assert all(paragraph.strip() in whole for paragraph in paragraphs)


def test_items_and_rows_stay_whole_and_a_cut_table_repeats_its_header():
    items = "\n".join(f"- item {number} with " + "words and more words " * 8 for number in range(40))
    for passage in cut(read_markdown(items), "T"):
        assert all(line.startswith("- item") for line in passage.content.split("\n"))
    rows = "\n".join(f"| row {number} | " + "cell " * 20 + "|" for number in range(60))
    tables = cut(read_markdown(f"| A | B |\n| --- | --- |\n{rows}\n"), "T")
    assert len(tables) > 1
    assert all(passage.content.startswith("| A | B |\n| --- | --- |\n| row") for passage in tables)


def test_what_is_too_long_by_itself_is_cut_and_nothing_of_it_is_lost():
    code = "\n".join(f"value_{number} = compute({number})" for number in range(400))
    pieces = cut(read_markdown(f"```python\n{code}\n```\n"), "T")
    assert len(pieces) > 1
    assert all(piece.content.startswith("```python\n") and piece.content.endswith("\n```") for piece in pieces)
    assert "\n".join(piece.content[10:-4] for piece in pieces) == code
    word = "x" * 20_000
    solid = cut(read_text(word), "T")
    assert "".join(piece.content.replace(" ", "").replace("\n", "") for piece in solid).count("x") == 20_000


def test_windows_cover_all_of_a_passage():
    text = " ".join(f"word{number}" for number in range(600))
    parts = windows(text, 200)
    assert len(parts) > 2
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert max(count_tokens(parts)) <= 201


def _write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


async def _ids(database, source):
    rows = await database.fetch("SELECT passage_id, content FROM passage WHERE source = %s ORDER BY content", [source])
    return {row["content"]: row["passage_id"] for row in rows}


class Unasked:
    """What did not change is not embedded again, which is what takes long."""

    async def embed(self, texts):
        raise AssertionError(texts)


async def test_a_folder_is_mirrored_and_what_did_not_change_is_left_alone(database, embedder, tmp_path):
    tail = "The second section keeps its words. " * 30
    first = "The first section has these words. " * 30
    _write(
        tmp_path, a=f"# A\n\n## One\n\n{first}\n\n## Two\n\n{tail}", b="# B\n\nAbout holidays.", c="# C\n\nAbout pay."
    )
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "empty.md").write_bytes(b"")
    seen = []
    report = await ingest_documents(
        database, embedder, tmp_path, source="mirror", version="7", progress=lambda *done: seen.append(done)
    )
    assert (report.read, report.new, report.rejected, report.skipped, report.passages) == (4, 3, 1, 1, 4)
    assert [(each.path, each.reason) for each in report.reasons] == [("empty.md", "it is empty")]
    assert "1 .png" in report.notes[0]
    assert seen[-1] == (4, 4)
    before = await _ids(database, "mirror")

    again = await ingest_documents(database, Unasked(), tmp_path, source="mirror", version="7")
    assert (again.new, again.updated, again.unchanged, again.removed) == (0, 0, 3, 0)

    _write(tmp_path, a=f"# A\n\n## One\n\nNew words. {first}\n\n## Two\n\n{tail}")
    (tmp_path / "b.md").unlink()
    changed = await ingest_documents(database, embedder, tmp_path, source="mirror", version="7")
    assert (changed.updated, changed.unchanged, changed.removed, changed.passages) == (1, 1, 1, 3)
    after = await _ids(database, "mirror")
    assert after[tail.strip()] == before[tail.strip()]
    assert not any("holidays" in content for content in after)
    assert {info.version for info in await Library(database, embedder).documents(source="mirror")} == {"7"}
    await database.execute("DELETE FROM document WHERE source = 'mirror'")


async def test_the_same_passage_in_two_files_is_found_once_and_outlives_one_of_them(database, embedder, tmp_path):
    shared_text = "Every applicant with a disability may ask for a reasonable adjustment at any stage."
    _write(tmp_path, a=f"# Applying\n\n{shared_text}", b=f"# Interviews\n\n{shared_text}")
    report = await ingest_documents(database, embedder, tmp_path, source="twice")
    assert (report.passages, report.duplicates) == (2, 1)
    library = Library(database, embedder)
    for _ in range(2):
        found = await library.search("reasonable adjustment for a disability", source="twice")
        assert [hit.content for hit in found.passages] == [shared_text]
        (tmp_path / found.passages[0].path).unlink()
        if list(tmp_path.iterdir()):
            left = await ingest_documents(database, embedder, tmp_path, source="twice")
            assert (left.removed, left.passages, left.duplicates) == (1, 1, 0)
    await database.execute("DELETE FROM document WHERE source = 'twice'")


async def test_a_file_that_turns_bad_leaves_the_index_and_it_is_said(database, embedder, tmp_path):
    _write(tmp_path, a="# A\n\nAbout pay.", b="# B\n\nAbout leave.")
    await ingest_documents(database, embedder, tmp_path, source="turns")
    (tmp_path / "a.md").write_bytes(b"\x00\x01\x02")
    report = await ingest_documents(database, embedder, tmp_path, source="turns")
    assert (report.rejected, report.removed, report.passages) == (1, 1, 1)
    assert report.reasons[0].reason.endswith("its earlier version left the index")
    await database.execute("DELETE FROM document WHERE source = 'turns'")


async def test_a_file_too_large_is_refused_unread(database, embedder, tmp_path):
    _write(tmp_path, a="# A\n\nAbout pay.")
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(21 * 1024 * 1024)
    report = await ingest_documents(database, embedder, tmp_path, source="huge")
    assert (report.new, report.rejected) == (1, 1)
    assert "too large (21.0 MB; 20 MB are the limit)" in report.reasons[0].reason
    await database.execute("DELETE FROM document WHERE source = 'huge'")


async def test_nothing_outside_the_folder_is_read_and_what_is_no_file_is_named(database, embedder, tmp_path):
    folder, outside = tmp_path / "docs", tmp_path / "outside"
    for place in (folder, outside):
        place.mkdir()
    _write(folder, a="# A\n\nAbout pay.")
    _write(outside, secret="# Secret\n\nNobody offered this passage.")
    (folder / "inner.md").symlink_to("a.md")
    (folder / "out.md").symlink_to(outside / "secret.md")
    (folder / "up.txt").symlink_to("../outside/secret.md")
    (folder / "gone.md").symlink_to("nothing.md")
    (folder / "round.md").symlink_to("round.md")
    (folder / "shelf").symlink_to(outside)
    os.mkfifo(folder / "pipe.txt")
    report = await ingest_documents(database, embedder, folder, source="links")
    reasons = {rejection.path: rejection.reason for rejection in report.reasons}
    assert reasons["out.md"] == reasons["up.txt"] == "it is a link that leads out of the folder"
    assert "link to a folder" in reasons["shelf"]
    assert "nowhere" in reasons["gone.md"]
    assert {"round.md", "pipe.txt"} < set(reasons)
    assert (report.read, report.new, report.rejected, report.passages) == (8, 2, 6, 2)
    rows = await database.fetch("SELECT path FROM document WHERE source = 'links' ORDER BY path")
    assert [row["path"] for row in rows] == ["a.md", "inner.md"]
    await database.execute("DELETE FROM document WHERE source = 'links'")


async def test_a_file_that_became_a_link_out_of_the_folder_leaves_the_index(database, embedder, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    _write(folder, a="# A\n\nAbout pay.", b="# B\n\nAbout leave.")
    await ingest_documents(database, embedder, folder, source="turned")
    (folder / "b.md").rename(tmp_path / "b.md")
    (folder / "b.md").symlink_to("../b.md")
    report = await ingest_documents(database, embedder, folder, source="turned")
    assert (report.rejected, report.removed, report.passages) == (1, 1, 1)
    assert report.reasons[0].reason.endswith("its earlier version left the index")
    await database.execute("DELETE FROM document WHERE source = 'turned'")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
async def test_a_file_that_cannot_be_read_now_keeps_its_place(database, embedder, tmp_path):
    _write(tmp_path, a="# A\n\nAbout pay.")
    await ingest_documents(database, embedder, tmp_path, source="locked")
    (tmp_path / "a.md").chmod(0)
    report = await ingest_documents(database, embedder, tmp_path, source="locked")
    assert (report.rejected, report.removed, report.passages) == (1, 0, 1)
    await database.execute("DELETE FROM document WHERE source = 'locked'")


async def test_two_folders_of_one_name_do_not_wipe_each_other_out(database, embedder, tmp_path):
    one, other = tmp_path / "x" / "docs", tmp_path / "y" / "docs"
    for folder, name in ((one, "a"), (other, "b")):
        folder.mkdir(parents=True)
        _write(folder, **{name: f"# {name}\n\nAbout {name}."})
    assert (await ingest_documents(database, embedder, one)).source == "docs"
    with pytest.raises(ConfigurationError, match="--replace"):
        await ingest_documents(database, embedder, other)
    report = await ingest_documents(database, embedder, other, replace=True)
    assert (report.new, report.removed, report.passages) == (1, 1, 1)
    await database.execute("DELETE FROM document WHERE source = 'docs'")


@pytest.mark.parametrize(
    ("make", "source", "words"),
    [
        (lambda path: path / "missing", None, "not a folder"),
        (lambda path: path, None, "holds no documents"),
        (lambda path: path, "a b/c", "cannot name a source"),
    ],
)
async def test_a_folder_that_cannot_be_mirrored_says_what_to_do(database, embedder, tmp_path, make, source, words):
    with pytest.raises(ConfigurationError, match=words):
        await ingest_documents(database, embedder, make(tmp_path), source=source)


async def test_the_packaged_vectors_are_those_of_the_packaged_guides(embedder):
    texts, known = guide_texts(), packaged_vectors()
    if not texts:
        pytest.skip("no guides are packaged")
    assert {key_of(text) for text in texts} == set(known), "run scripts/embed_guides.py"
    sample = texts[:: len(texts) // 4]
    for text, vector in zip(sample, await embedder.embed(sample), strict=True):
        assert float(vector @ known[key_of(text)]) > 0.99


async def test_the_packaged_guides_are_loaded_once_and_checked_in_no_time(database, embedder):
    report = await load_guides(database, embedder)
    if not report.read:
        pytest.skip("no guides are packaged")
    assert report.rejected == 0
    assert report.passages >= report.read
    started = time.process_time()
    again = await load_guides(database, Unasked())
    assert time.process_time() - started < 0.5
    assert (again.new, again.updated, again.unchanged) == (0, 0, report.read)
    infos = await Library(database, embedder).documents(source="guides")
    assert all(info.title and info.topics for info in infos)
    found = await Library(database, embedder).search("how do I answer behavioural interview questions?")
    assert found.passages
    await database.execute("DELETE FROM document WHERE source = 'guides'")
