/** The text of a Word document: headings, lists and tables as Markdown. */
import { DocumentError, type DocumentText } from "./document.ts";
import type { OfficePackage } from "./office-package.ts";
import { finished, markdownTable } from "./parts.ts";
import {
	at,
	attribute,
	childElements,
	childrenNamed,
	descendants,
	localName,
	textOf,
	type XmlElement,
} from "./xml.ts";

export async function readWord(office: OfficePackage): Promise<DocumentText> {
	const root = await office.xml("word/document.xml");
	const body = at(root, "body");
	if (!body) throw new DocumentError("damaged", "The document is damaged: it has no body.");
	const notes = [
		...(await noteTexts(office, "word/footnotes.xml", "footnote")),
		...(await noteTexts(office, "word/endnotes.xml", "endnote")),
		...(await commentTexts(office)),
	];
	return finished([...blocks(body), ...notes].filter((block) => block !== "").join("\n\n"));
}

/** Paragraphs and tables, also those inside content controls. */
function blocks(container: XmlElement): string[] {
	const out: string[] = [];
	for (const child of childElements(container)) {
		const name = localName(child);
		if (name === "p") addParagraph(out, child);
		else if (name === "tbl") out.push(markdownTable(tableRows(child)));
		else if (name === "sdt" || name === "sdtContent" || name === "ins" || name === "customXml") {
			out.push(...blocks(child));
		}
	}
	return out;
}

/** List items are separate lines, everything else is separate blocks. */
function addParagraph(out: string[], paragraph: XmlElement): void {
	const text = paragraphText(paragraph).trim();
	if (text === "") return;
	const list = at(paragraph, "pPr", "numPr");
	if (!list) {
		const heading = headingLevel(paragraph);
		out.push(heading > 0 ? `${"#".repeat(heading)} ${text}` : text);
		return;
	}
	const level = Math.min(8, Number(attribute(at(list, "ilvl"), "val") ?? 0) || 0);
	const item = `${"  ".repeat(level)}- ${text}`;
	const before = out.at(-1);
	if (before !== undefined && /^ *- /.test(before)) out[out.length - 1] = `${before}\n${item}`;
	else out.push(item);
}

function headingLevel(paragraph: XmlElement): number {
	const style = attribute(at(paragraph, "pPr", "pStyle"), "val") ?? "";
	if (/^title$/i.test(style)) return 1;
	// "Heading1", and its name in documents of other languages: "berschrift1", "Titre1", "1".
	const level = /^(?:heading|berschrift|titre|ttulo|titolo|kop|rubrik)?\s?([1-6])$/i.exec(style)?.[1];
	return level === undefined ? 0 : Number(level);
}

function paragraphText(element: XmlElement): string {
	let text = "";
	for (const child of childElements(element)) {
		const name = localName(child);
		if (name === "t") text += textOf(child);
		else if (name === "tab") text += "\t";
		else if (name === "br" || name === "cr") text += "\n";
		else if (name === "noBreakHyphen") text += "-";
		else if (name === "footnoteReference" || name === "endnoteReference")
			text += `[^${attribute(child, "id")}]`;
		else if (name === "commentReference") text += `[comment ${attribute(child, "id")}]`;
		else if (name === "drawing" || name === "pict") text += drawingText(child);
		// A text box contains paragraphs; a fallback repeats the previous content; deleted text is left out.
		else if (name === "txbxContent") text += `\n${blocks(child).join("\n")}\n`;
		else if (
			name !== "Fallback" &&
			name !== "del" &&
			name !== "moveFrom" &&
			name !== "pPr" &&
			name !== "rPr"
		) {
			text += paragraphText(child);
		}
	}
	return text;
}

/** A picture as its alternative text, and the texts of its boxes. */
function drawingText(drawing: XmlElement): string {
	const properties = descendants(drawing, "docPr")[0];
	const described = (attribute(properties, "descr") ?? "").replace(/\s+/g, " ").trim();
	const isChart = descendants(drawing, "chart").length > 0;
	const label = isChart ? "chart" : descendants(drawing, "blip").length > 0 ? "image" : undefined;
	const inner = paragraphText(drawing);
	if (label === undefined) return described === "" ? inner : `[${described}]${inner}`;
	return `[${label}${described === "" ? "" : `: ${described}`}]${inner}`;
}

/** Comments follow the text, each with the number that marks its position. */
async function commentTexts(office: OfficePackage): Promise<string[]> {
	const root = await office.xml("word/comments.xml");
	return childrenNamed(root, "comment").map((comment) => {
		const author = attribute(comment, "author") ?? "";
		const by = author === "" ? "" : ` ${author}:`;
		return `[comment ${attribute(comment, "id")}]${by} ${blocks(comment).join(" ")}`;
	});
}

function tableRows(table: XmlElement): string[][] {
	return childrenNamed(table, "tr").map((row) =>
		childrenNamed(row, "tc").map((cell) => blocks(cell).join(" ")),
	);
}

async function noteTexts(office: OfficePackage, path: string, name: string): Promise<string[]> {
	const root = await office.xml(path);
	return childrenNamed(root, name)
		.filter((note) => attribute(note, "type") === undefined)
		.map((note) => `[^${attribute(note, "id")}]: ${blocks(note).join(" ")}`);
}
