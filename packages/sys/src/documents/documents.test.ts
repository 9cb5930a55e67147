import { join } from "node:path";

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { samples } from "../../../../test/support/depth.ts";
import { limits } from "../limits.ts";
import {
	docx,
	openDocument,
	pdf,
	pptx,
	shape,
	xlsx,
	zipped,
} from "../../../../test/support/document-files.ts";
import { documentKind, type DocumentKind, type DocumentOptions, type DocumentText } from "./index.ts";
import { readDocument } from "./read.ts";

async function read(
	bytes: Uint8Array,
	kind: DocumentKind,
	options: DocumentOptions = {},
): Promise<DocumentText> {
	const result = await readDocument(bytes, kind, options);
	if (!result.ok) throw new Error(`${result.problem}: ${result.message}`);
	return result;
}

test("the file name determines the kind", () => {
	expect(["a.PDF", "b.docm", "c.xlsx", "d.odp", "e.doc", "pdf"].map(documentKind)).toEqual([
		"pdf",
		"docx",
		"xlsx",
		"odp",
		undefined,
		undefined,
	]);
});

describe("pdf", () => {
	test("every page is marked and keeps its lines", async () => {
		expect(await read(pdf(["Hello (World)\nSecond line", "Page two"]), "pdf")).toEqual({
			ok: true,
			text: "--- Page 1 of 2 ---\n\nHello (World)\nSecond line\n\n--- Page 2 of 2 ---\n\nPage two",
			pages: 2,
			truncated: false,
		});
	});

	test("a range of pages is read, and the result says that there are more", async () => {
		const result = await read(pdf(["one", "two", "three", "four"]), "pdf", { pages: { first: 2, last: 3 } });
		expect(result).toMatchObject({ pages: 4, lastPage: 3 });
		expect(result.text).toBe("--- Page 2 of 4 ---\n\ntwo\n\n--- Page 3 of 4 ---\n\nthree");
		const behind = await readDocument(pdf(["one"]), "pdf", { pages: { first: 5, last: 6 } });
		expect(behind).toMatchObject({ ok: false, problem: "no-such-page" });
	});

	test("pages with images only are marked as such", async () => {
		expect(await readDocument(pdf(["", ""]), "pdf")).toMatchObject({ ok: false, problem: "no-text" });
	});

	test("the caller's bytes stay usable", async () => {
		const bytes = pdf(["again"]);
		await read(bytes, "pdf");
		expect((await read(bytes, "pdf")).text).toContain("again");
	});
});

describe("docx", () => {
	const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
	const styled = (style: string, text: string): string => `<w:p><w:pPr>${style}</w:pPr>${run(text)}</w:p>`;

	test("headings, paragraphs, lists, tables and breaks", async () => {
		const item = (level: number): string =>
			`<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`;
		const cell = (text: string): string => `<w:tc><w:p>${run(text)}</w:p></w:tc>`;
		const body = [
			styled('<w:pStyle w:val="Heading2"/>', "Head"),
			`<w:p>${run("Some ")}<w:hyperlink>${run("linked")}</w:hyperlink>${run(" text")}<w:r><w:br/><w:tab/><w:t>next</w:t></w:r></w:p>`,
			"<w:p/>",
			styled(item(0), "one"),
			styled(item(1), "two"),
			`<w:tbl><w:tr>${cell("a")}${cell("b|c")}</w:tr><w:tr>${cell("1")}${cell("2")}</w:tr></w:tbl>`,
		].join("");
		expect((await read(docx(body), "docx")).text).toBe(
			"## Head\n\nSome linked text\n\tnext\n\n- one\n  - two\n\n| a | b\\|c |\n| --- | --- |\n| 1 | 2 |",
		);
	});

	test("deleted text is left out, inserted text is included, and nothing is repeated", async () => {
		const body = `<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins>${run("new")}</w:ins>
			<mc:AlternateContent xmlns:mc="m"><mc:Choice>${run("!")}</mc:Choice><mc:Fallback>${run("!")}</mc:Fallback></mc:AlternateContent></w:p>`;
		expect((await read(docx(body), "docx")).text).toBe("new!");
	});

	test("footnotes are at the end", async () => {
		const notes = `<w:footnotes xmlns:w="w"><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2"><w:p>${run("the note")}</w:p></w:footnote></w:footnotes>`;
		const body = `<w:p>${run("text")}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>`;
		const result = await read(docx(body, { "word/footnotes.xml": notes }), "docx");
		expect(result.text).toBe("text[^2]\n\n[^2]: the note");
	});
});

describe("xlsx", () => {
	test("cells of every type, in their columns, sheet by sheet", async () => {
		const first = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>in line</t></is></c></row>
			<row r="2"><c r="A2"><v>1.5</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" t="e"><v>#DIV/0!</v></c><c r="D2" t="str"><f>A1</f><v>made</v></c></row>
			<row r="4"/>`;
		const strings = ['<r><t>rich </t></r><r><t>text</t></r><rPh sb="0" eb="1"><t>sound</t></rPh>'];
		const result = await read(xlsx({ One: first, Two: "<row><c><v>7</v></c></row>" }, strings), "xlsx");
		expect(result.text).toBe(
			"--- Sheet 1 of 2 ---\n\n# One\n\n1\trich text\t\tin line\n2\t1.5\tTRUE\t#DIV/0!\tmade\n\n--- Sheet 2 of 2 ---\n\n# Two\n\n1\t7",
		);
		expect(
			(await read(xlsx({ One: first, Two: "" }, strings), "xlsx", { pages: { first: 2, last: 2 } })).text,
		).toBe("--- Sheet 2 of 2 ---\n\n# Two");
	});

	test("dates are formatted as dates, and lookalikes as numbers", async () => {
		const cell = (style: number, value: string): string => `<c s="${style}"><v>${value}</v></c>`;
		const row = `<row>${cell(0, "45000")}${cell(1, "45000")}${cell(2, "45000.5")}${cell(3, "45000")}${cell(1, "0.25")}</row>`;
		const result = await read(xlsx({ S: row }, [], [0, 14, 164, 165]), "xlsx");
		expect(result.text).toContain("45000\t2023-03-15\t2023-03-15 12:00:00\t45000\t06:00:00");
	});

	test("a distant cell does not fill the gap, and a huge sheet is cut and marked", async () => {
		const far = '<row><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>';
		expect((await read(xlsx({ S: far }), "xlsx")).text).toBe(
			"--- Sheet 1 of 1 ---\n\n# S\n\n1\t1\n[Cells after column 1000 are left out.]",
		);
		// Long cells fill a sheet with a fiftieth of the XML that numbers of one digit would take.
		const row = `<row>${`<c t="str"><v>${"x".repeat(99)}</v></c>`.repeat(1000)}</row>`;
		const huge = await read(xlsx({ S: row.repeat(limits.documentSheetChars / 100_000 + 5) }), "xlsx");
		expect(huge.text).toMatch(/\[The sheet continues; rows up to \d+ are shown\./);
	}, 180_000);
});

describe("pptx", () => {
	test("slides in presentation order, with titles, tables and notes", async () => {
		const cell = (text: string): string =>
			`<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
		const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cell("a")}${cell("b")}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
		const file = pptx([
			{ shapes: shape("First", "title") + shape("one\ntwo") + shape("12", "sldNum"), notes: "say hello" },
			{ shapes: shape("Second", "ctrTitle") + table },
		]);
		expect((await read(file, "pptx")).text).toBe(
			"--- Slide 1 of 2 ---\n\n# First\n\none\ntwo\n\nNotes: say hello\n\n--- Slide 2 of 2 ---\n\n# Second\n\n| a | b |\n| --- | --- |",
		);
	});
});

describe("OpenDocument", () => {
	test("a text with headings, lists, tables, spaces and notes", async () => {
		const body = `<office:text><text:h text:outline-level="2">Head</text:h>
			<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>why</text:p></text:note-body></text:note></text:p>
			<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>two</text:p></text:list-item></text:list></text:list-item></text:list>
			<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table></office:text>`;
		expect((await read(openDocument(body), "odt")).text).toBe(
			"## Head\n\na   b\tc\nd (why)\n\n- one\n  - two\n\n| x | y |\n| --- | --- |",
		);
	});

	test("a spreadsheet whose empty rows and cells repeat a million times", async () => {
		const body = `<office:spreadsheet><table:table table:name="S">
			<table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16382"/></table:table-row>
			<table:table-row table:number-rows-repeated="1048575"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table></office:spreadsheet>`;
		expect((await read(openDocument(body), "ods")).text).toBe("--- Sheet 1 of 1 ---\n\n# S\n\nx\tx");
		const full = body.replace(
			'<table:table-cell table:number-columns-repeated="16384"/>',
			"<table:table-cell><text:p>y</text:p></table:table-cell>",
		);
		expect((await read(openDocument(full), "ods")).text).toContain("The table continues");
	});

	test("a presentation", async () => {
		const page = (text: string): string =>
			`<draw:page><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;
		const file = openDocument(`<office:presentation>${page("one")}${page("two")}</office:presentation>`);
		expect((await read(file, "odp")).text).toBe("--- Slide 1 of 2 ---\n\none\n\n--- Slide 2 of 2 ---\n\ntwo");
	});

	test("an encrypted file is reported as such", async () => {
		const file = openDocument(
			"<office:text/>",
			"<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>",
		);
		expect(await readDocument(file, "odt")).toMatchObject({ ok: false, problem: "encrypted" });
	});
});

test("a book is read chapter by chapter, in the order of its spine", async () => {
	const book = zipped({
		"META-INF/container.xml":
			'<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
		"OEBPS/book.opf":
			'<package><manifest><item id="b" href="two%20.xhtml"/><item id="a" href="one.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
		"OEBPS/one.xhtml":
			"<html><head><title>t</title></head><body><h1>One</h1><p>first &amp; last</p></body></html>",
		"OEBPS/two .xhtml": "<html><body><p>second</p></body></html>",
	});
	expect((await read(book, "epub")).text).toBe(
		"--- Chapter 1 of 2 ---\n\n# One\n\nfirst & last\n\n--- Chapter 2 of 2 ---\n\nsecond",
	);
});

test("rich text loses its formatting and keeps its letters", async () => {
	const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator X;}{\info{\title T}}\pard Gr\'fc\'dfe \b bold\b0\par \u8364?uro \{x\}\line a\tab b{\pict 89504e47}\par}`;
	expect((await read(Buffer.from(rtf), "rtf")).text).toBe("Grüße bold\n\n€uro {x}\na\tb");
	const cyrillic = String.raw`{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8}`;
	expect((await read(Buffer.from(cyrillic), "rtf")).text).toBe("При");
});

describe("refusals are values", () => {
	const kinds: DocumentKind[] = ["pdf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "rtf"];

	test.each(kinds)("a %s with other content, or none", async (kind) => {
		expect(await readDocument(Buffer.from("plain text"), kind)).toMatchObject({
			ok: false,
			problem: "damaged",
		});
		expect(await readDocument(new Uint8Array(), kind)).toMatchObject({ ok: false, problem: "damaged" });
		const other = await readDocument(zipped({ "a.txt": "x" }), kind);
		expect(other).toMatchObject({ ok: false, problem: "damaged" });
	});

	test("an Office file with a password", async () => {
		const locked = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
		expect(await readDocument(locked, "docx")).toMatchObject({ ok: false, problem: "encrypted" });
	});

	test("a part that is not well-formed, or whose entities would fill the memory", async () => {
		const torn = zipped({ "word/document.xml": "<w:document><w:body>" });
		expect(await readDocument(torn, "docx")).toMatchObject({ ok: false, problem: "damaged" });
		const entities = Array.from(
			{ length: 12 },
			(_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`,
		);
		const bomb = zipped({
			"word/document.xml": `<!DOCTYPE x [<!ENTITY e0 "xxxxxxxxxx">${entities.join("")}]><w:document><w:body><w:p><w:r><w:t>&e12;</w:t></w:r></w:p></w:body></w:document>`,
		});
		expect(await readDocument(bomb, "docx")).toMatchObject({ ok: false, problem: "damaged" });
	});

	test("a text beyond the length limit is cut", async () => {
		const body = `<w:p><w:r><w:t>${"x".repeat(limits.documentChars + 10)}</w:t></w:r></w:p>`;
		const result = await read(docx(body), "docx");
		expect(result.truncated).toBe(true);
		expect(result.text.length).toBe(limits.documentChars);
	});

	test("broken files of every kind give refusals, never crashes", async () => {
		const files = [
			["docx", docx("<w:p><w:r><w:t>a</w:t></w:r></w:p>")],
			["xlsx", xlsx({ S: "<row><c><v>1</v></c></row>" })],
			["rtf", Buffer.from(String.raw`{\rtf1 a\'e9\u233?{\b c}}`)],
		] as const;
		const anyChange = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...files), anyChange, async ([kind, bytes], changes) => {
				const broken = Uint8Array.from(bytes);
				for (const [place, value] of changes) broken[place % broken.length] = value;
				const result = await readDocument(broken, kind);
				expect(typeof result.ok).toBe("boolean");
			}),
			{ numRuns: samples(90) },
		);
	});

	test("broken PDFs are rejected, and leave no unhandled rejection that could end the program", async () => {
		// The reader has promises whose rejections are handled only a moment later. A program does not mind; the test
		// runner does, so the files are read in a separate process.
		const script = join(import.meta.dir, "fixtures/read-broken-pdfs.ts");
		const seed = String(Math.floor(Math.random() * 2 ** 31));
		const child = Bun.spawn([process.execPath, script, seed, String(samples(60))], {
			stdout: "ignore",
			stderr: "pipe",
		});
		expect({ seed, code: await child.exited, errors: await child.stderr.text() }).toEqual({
			seed,
			code: 0,
			errors: "",
		});
	});
});
