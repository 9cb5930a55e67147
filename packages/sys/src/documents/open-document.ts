/** The text of OpenDocument files: texts, spreadsheets, presentations. */
import { limits } from "../limits.ts";
import { DocumentError, type DocumentOptions, type DocumentText } from "./document.ts";
import type { OfficePackage } from "./office-package.ts";
import { finished, markdownTable, readParts, tableText } from "./parts.ts";
import {
	at,
	attribute,
	childElements,
	childrenNamed,
	descendants,
	localName,
	type XmlElement,
} from "./xml.ts";

export async function readOpenDocument(
	office: OfficePackage,
	options: DocumentOptions,
): Promise<DocumentText> {
	const manifest = await office.xml("META-INF/manifest.xml");
	if (descendants(manifest, "encryption-data").length > 0) {
		throw new DocumentError("encrypted", "It is password-protected. Save it again without a password.");
	}
	const body = at(await office.xml("content.xml"), "body");
	if (!body) throw new DocumentError("damaged", "The document is damaged: it has no content.");
	const sheets = childrenNamed(at(body, "spreadsheet"), "table");
	if (sheets.length > 0) {
		return readParts(sheets.length, "Sheet", options, (index) => {
			const sheet = sheets[index];
			return sheet ? `# ${attribute(sheet, "name") ?? ""}\n\n${tableText(tableRows(sheet))}` : "";
		});
	}
	const slides = childrenNamed(at(body, "presentation"), "page");
	if (slides.length > 0) {
		return readParts(slides.length, "Slide", options, (index) => blocks(slides[index]).join("\n\n"));
	}
	return finished(blocks(at(body, "text")).join("\n\n"));
}

function blocks(container: XmlElement | undefined): string[] {
	if (!container) return [];
	return childElements(container)
		.flatMap((child) => {
			const name = localName(child);
			if (name === "h") return [`${"#".repeat(level(child))} ${inline(child).trim()}`];
			if (name === "p") return [inline(child).trim()];
			if (name === "list") return [listText(child, 0)];
			if (name === "table") return [markdownTable(tableRows(child))];
			const isAside = name === "tracked-changes" || name === "annotation" || name === "forms";
			return isAside ? [] : blocks(child);
		})
		.filter((text) => text !== "");
}

function level(heading: XmlElement): number {
	return Math.min(6, Math.max(1, Number(attribute(heading, "outline-level") ?? 1) || 1));
}

function listText(list: XmlElement, depth: number): string {
	const lines = childrenNamed(list, "list-item").flatMap((item) =>
		childElements(item).map((child) =>
			localName(child) === "list"
				? listText(child, depth + 1)
				: `${"  ".repeat(depth)}- ${inline(child).trim()}`,
		),
	);
	return lines.join("\n");
}

function inline(element: XmlElement): string {
	let text = "";
	for (const child of element.children) {
		// Line breaks of the file are not line breaks of the text.
		if (typeof child === "string") text += child.replace(/\s+/g, " ");
		else if ("name" in child) text += inlineElement(child);
	}
	return text;
}

function inlineElement(child: XmlElement): string {
	const name = localName(child);
	if (name === "s") return " ".repeat(repeated(child, "c"));
	if (name === "tab") return "\t";
	if (name === "line-break") return "\n";
	if (name === "annotation" || name === "note-citation") return "";
	if (name === "note") return ` (${blocks(at(child, "note-body")).join(" ")})`;
	return inline(child);
}

/** Repeated rows that fill a sheet are empty and left out; others are bounded like all cells. */
function tableRows(table: XmlElement): string[][] {
	const rows: string[][] = [];
	let cells = 0;
	for (const row of descendants(table, "table-row")) {
		const line = rowCells(row);
		const times = line.length === 0 ? 0 : repeated(row, "number-rows-repeated");
		for (let time = 0; time < times && cells <= limits.documentCells; time++) {
			rows.push(line);
			cells += line.length;
		}
		if (cells > limits.documentCells)
			return [...rows, [`[The table continues; ${rows.length} rows are shown.]`]];
	}
	return rows;
}

function rowCells(row: XmlElement): string[] {
	const line: string[] = [];
	for (const cell of childElements(row)) {
		const name = localName(cell);
		if (name !== "table-cell" && name !== "covered-table-cell") continue;
		const text = blocks(cell).join(" ");
		const times = Math.min(repeated(cell, "number-columns-repeated"), limits.documentColumns - line.length);
		for (let time = 0; time < times; time++) line.push(text);
	}
	return line.slice(0, line.findLastIndex((cell) => cell !== "") + 1);
}

function repeated(element: XmlElement, name: string): number {
	const times = Number(attribute(element, name) ?? 1);
	return Number.isInteger(times) ? Math.min(Math.max(1, times), limits.documentCells) : 1;
}
