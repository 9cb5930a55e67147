/** The cells of an Excel workbook, sheet by sheet, as tab-separated rows. */
import { limits } from "../limits.ts";
import { DocumentError, type DocumentOptions, type DocumentText } from "./document.ts";
import type { OfficePackage } from "./office-package.ts";
import { readParts, tableText } from "./parts.ts";
import { at, attribute, childrenNamed, descendants, textOf, type XmlElement } from "./xml.ts";

const workbookPath = "xl/workbook.xml";

interface Workbook {
	strings: readonly string[];
	/** The cell styles that show a number as a date. */
	dateStyles: ReadonlySet<number>;
	/** Serial number of 1970-01-01: workbooks from old Macs count from 1904. */
	epoch: number;
}

export async function readSpreadsheet(
	office: OfficePackage,
	options: DocumentOptions,
): Promise<DocumentText> {
	const root = await office.xml(workbookPath);
	if (!root) throw new DocumentError("damaged", "The document is damaged: it has no workbook.");
	const sheets = childrenNamed(at(root, "sheets"), "sheet");
	const relations = await office.relations(workbookPath);
	const book: Workbook = {
		strings: childrenNamed(await office.xml("xl/sharedStrings.xml"), "si").map(richText),
		dateStyles: dateStyles(await office.xml("xl/styles.xml")),
		epoch: isTrue(attribute(at(root, "workbookPr"), "date1904")) ? 24107 : 25569,
	};
	return readParts(sheets.length, "Sheet", options, async (index) => {
		const sheet = sheets[index];
		const name = attribute(sheet, "name") ?? "";
		// "r:id" and not "sheetId", which is the program's own number.
		const target = relations.get(attribute(sheet, "id") ?? "")?.target;
		const data = target === undefined ? undefined : await office.xml(target);
		return `# ${name}\n\n${sheetText(data, book)}`;
	});
}

function sheetText(sheet: XmlElement | undefined, book: Workbook): string {
	const rows: string[][] = [];
	let cells = 0;
	for (const row of childrenNamed(at(sheet, "sheetData"), "row")) {
		const line: string[] = [];
		for (const cell of childrenNamed(row, "c")) {
			const column = columnOf(attribute(cell, "r") ?? "") ?? line.length;
			if (column >= limits.documentColumns) continue;
			while (line.length < column) line.push("");
			line.push(cellText(cell, book));
		}
		rows.push(line);
		cells += line.length;
		if (cells > limits.documentCells) {
			return `${tableText(rows)}\n[The sheet continues; the first ${rows.length} rows are shown.]`;
		}
	}
	return tableText(rows);
}

/** "C7" is in the third column. */
function columnOf(reference: string): number | undefined {
	const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
	if (letters === undefined) return undefined;
	let column = 0;
	for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
	return column - 1;
}

function cellText(cell: XmlElement, book: Workbook): string {
	const type = attribute(cell, "t");
	const value = textOf(at(cell, "v"));
	if (type === "s") return book.strings[Number(value)] ?? "";
	if (type === "inlineStr") return richText(at(cell, "is"));
	if (type === "b") return value === "1" ? "TRUE" : "FALSE";
	const isNumber = (type === undefined || type === "n") && value !== "";
	if (isNumber && book.dateStyles.has(Number(attribute(cell, "s") ?? -1)))
		return dateText(Number(value), book);
	return value;
}

/** Runs of text without their pronunciation, which Japanese workbooks carry. */
function richText(item: XmlElement | undefined): string {
	const runs = childrenNamed(item, "r");
	const parts = runs.length > 0 ? runs.flatMap((run) => childrenNamed(run, "t")) : childrenNamed(item, "t");
	return parts.map(textOf).join("");
}

function dateText(serial: number, { epoch }: Workbook): string {
	const time = Math.round((serial - epoch) * 86_400) * 1000;
	if (Math.abs(time) > 8.64e15 || Number.isNaN(time)) return String(serial);
	const [day = "", clock = ""] = new Date(time).toISOString().slice(0, 19).split("T");
	if (serial >= 0 && serial < 1) return clock;
	return clock === "00:00:00" ? day : `${day} ${clock}`;
}

/**
 * Built-in formats 14 to 22 and 45 to 47 are dates and times; other formats are recognised by the letters in their
 * pattern.
 */
function dateStyles(styles: XmlElement | undefined): Set<number> {
	const custom = new Set(
		childrenNamed(at(styles, "numFmts"), "numFmt")
			.filter((format) => isDatePattern(attribute(format, "formatCode") ?? ""))
			.map((format) => Number(attribute(format, "numFmtId"))),
	);
	const dates = new Set<number>();
	for (const [index, style] of descendants(at(styles, "cellXfs"), "xf").entries()) {
		const format = Number(attribute(style, "numFmtId") ?? 0);
		const isBuiltIn = (format >= 14 && format <= 22) || (format >= 45 && format <= 47);
		if (isBuiltIn || custom.has(format)) dates.add(index);
	}
	return dates;
}

function isDatePattern(pattern: string): boolean {
	// Quoted text, escaped characters and colours may contain the same letters.
	return /[ymdhs]/i.test(pattern.replace(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]/gi, ""));
}

function isTrue(value: string | undefined): boolean {
	return value === "1" || value === "true";
}
