/** What surrounds the text of a document is read too, or listed as left out. */
import { describe, expect, test } from "bun:test";

import { docx, pdf, pptx, shape, xlsx } from "../../../../test/support/document-files.ts";
import type { DocumentKind } from "./document.ts";
import { readDocument } from "./read.ts";

async function text(bytes: Uint8Array, kind: DocumentKind): Promise<string> {
	const result = await readDocument(bytes, kind);
	if (!result.ok) throw new Error(result.message);
	return result.text;
}

describe("pdf", () => {
	const rectangle = "/Rect [10 10 90 30]";
	const field = `<< /Type /Annot /Subtype /Widget /FT /Tx /T (city) /TU (Place of birth) /V (Oslo) ${rectangle} >>`;
	const empty = `<< /Type /Annot /Subtype /Widget /FT /Tx /T (zip) ${rectangle} >>`;
	const note = `<< /Type /Annot /Subtype /Text /T (Ada) /Contents (Please check\nthis.) ${rectangle} >>`;
	const link = `<< /Type /Annot /Subtype /Link /A << /S /URI /URI (https://example.com/a) >> ${rectangle} >>`;

	test("the values of form fields, notes with their authors, and links follow the text of their page", async () => {
		expect(await text(pdf(["hello", "second"], [field, empty, note, link]), "pdf")).toBe(
			[
				"--- Page 1 of 2 ---",
				"hello",
				"Form fields:\n- city (Place of birth): Oslo\n- zip: (empty)",
				"Annotations:\n- Text by Ada: Please check this.",
				"Links:\n- https://example.com/a",
				"--- Page 2 of 2 ---",
				"second",
			].join("\n\n"),
		);
	});

	test("a scanned form with values is not called empty", async () => {
		expect(await text(pdf([""], [field]), "pdf")).toContain("Oslo");
	});
});

describe("docx", () => {
	test("comments are marked where they are, with their authors at the end", async () => {
		const body = '<w:p><w:r><w:t>A claim.</w:t></w:r><w:r><w:commentReference w:id="3"/></w:r></w:p>';
		const comment =
			'<w:comments xmlns:w="w"><w:comment w:id="3" w:author="Ada"><w:p><w:r><w:t>Says who?</w:t></w:r></w:p></w:comment></w:comments>';
		expect(await text(docx(body, { "word/comments.xml": comment }), "docx")).toBe(
			"A claim.[comment 3]\n\n[comment 3] Ada: Says who?",
		);
	});

	test("a picture is its alternative text, or named", async () => {
		const picture = (description: string): string =>
			`<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" descr="${description}"/><a:blip/></wp:inline></w:drawing></w:r></w:p>`;
		expect(await text(docx(picture("A red door") + picture("")), "docx")).toBe(
			"[image: A red door]\n\n[image]",
		);
	});
});

describe("pptx", () => {
	const points = (values: readonly string[]): string =>
		values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join("");
	const series = (name: string, values: string[]): string =>
		`<c:ser><c:tx><c:strRef><c:strCache>${points([name])}</c:strCache></c:strRef></c:tx>` +
		`<c:cat><c:strRef><c:strCache>${points(["Q1", "Q2"])}</c:strCache></c:strRef></c:cat>` +
		`<c:val><c:numRef><c:numCache>${points(values)}</c:numCache></c:numRef></c:val></c:ser>`;
	const chart =
		'<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title>' +
		`<c:plotArea><c:barChart>${series("North", ["1", "2"])}${series("South", ["3", "4"])}</c:barChart></c:plotArea></c:chart></c:chartSpace>`;
	const frame =
		'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" descr="Sales by region"/></p:nvGraphicFramePr><a:graphic><a:graphicData uri="http://x/chart"><c:chart r:id="rId8"/></a:graphicData></a:graphic></p:graphicFrame>';
	const picture = (description: string): string =>
		`<p:pic><p:nvPicPr><p:cNvPr id="5" descr="${description}"/></p:nvPicPr></p:pic>`;

	test("the data of charts and the alternative texts of pictures are read", async () => {
		const shapes = shape("Numbers", "title") + frame + picture("A map") + picture("");
		expect(await text(pptx([{ shapes, chart }]), "pptx")).toBe(
			[
				"--- Slide 1 of 1 ---",
				"# Numbers",
				"[image: Sales by region]",
				"[chart: Sales]",
				"|  | North | South |\n| --- | --- | --- |\n| Q1 | 1 | 3 |\n| Q2 | 2 | 4 |",
				"[image: A map]",
				"[image]",
			].join("\n\n"),
		);
	});

	test("a diagram that is not read is named", async () => {
		const diagram =
			'<p:graphicFrame><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds/></a:graphicData></a:graphic></p:graphicFrame>';
		expect(await text(pptx([{ shapes: diagram }]), "pptx")).toContain("[diagram]");
	});
});

describe("xlsx", () => {
	test("rows have their numbers, so that gaps are visible", async () => {
		const rows = '<row r="2"><c r="A2"><v>1</v></c></row><row r="7"><c r="B7"><v>2</v></c></row>';
		expect(await text(xlsx({ S: rows }), "xlsx")).toEndWith("# S\n\n2\t1\n7\t\t2");
	});

	test("entities, character references and sections of a cell are text", async () => {
		const cell = (inner: string): string => `<row><c t="inlineStr"><is><t>${inner}</t></is></c></row>`;
		const rows =
			cell("a &lt;b&gt; &amp;amp; &#228;&#x1F600;") + cell("<![CDATA[<raw>]]>") + cell("<!-- no -->yes");
		expect(await text(xlsx({ S: rows }), "xlsx")).toEndWith("1\ta <b> &amp; ä😀\n2\t<raw>\n3\tyes");
	});

	test("a sheet that is not well-formed is damaged", async () => {
		for (const rows of ["<row><c><v>1</v></c>", "<row <row>", "<!DOCTYPE x [<!ENTITY a 'b'>]><row/>"]) {
			expect(await readDocument(xlsx({ S: rows }), "xlsx")).toMatchObject({ ok: false, problem: "damaged" });
		}
	});
});
