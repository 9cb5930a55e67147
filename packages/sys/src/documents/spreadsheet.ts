/** The cells of an Excel workbook, sheet by sheet, as tab-separated rows with their numbers. */
import { limits } from "../limits.ts";
import { DocumentError, type DocumentOptions, type DocumentText } from "./document.ts";
import type { OfficePackage } from "./office-package.ts";
import { readParts, tableText } from "./parts.ts";
import type { XmlHandler } from "./xml-stream.ts";
import { at, attribute, childrenNamed, descendants, type XmlElement } from "./xml.ts";

const blockRows = 1000;
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
		strings: await sharedStrings(office),
		dateStyles: dateStyles(await office.xml("xl/styles.xml")),
		epoch: isTrue(attribute(at(root, "workbookPr"), "date1904")) ? 24107 : 25569,
	};
	return readParts(sheets.length, "Sheet", options, async (index) => {
		const sheet = sheets[index];
		const name = attribute(sheet, "name") ?? "";
		// "r:id" and not "sheetId", which is the program's own number.
		const target = relations.get(attribute(sheet, "id") ?? "")?.target;
		return `# ${name}\n\n${target === undefined ? "" : await sheetText(office, target, book)}`;
	});
}

/** Texts that cells refer to by number, without their pronunciation, which Japanese workbooks carry. */
async function sharedStrings(office: OfficePackage): Promise<string[]> {
	const strings: string[] = [];
	let text = "";
	let isText = false;
	let isPronunciation = false;
	const handler: XmlHandler = {
		open(name) {
			if (name === "si") text = "";
			else if (name === "rPh") isPronunciation = true;
			isText = name === "t" && !isPronunciation;
		},
		close(name) {
			if (name === "si") strings.push(text);
			else if (name === "rPh") isPronunciation = false;
			isText = false;
		},
		text(part) {
			if (isText) text += part;
		},
	};
	const isEnough = (): boolean => strings.length > limits.documentStrings;
	await office.stream("xl/sharedStrings.xml", handler, isEnough);
	return strings;
}

async function sheetText(office: OfficePackage, path: string, book: Workbook): Promise<string> {
	const reader = new SheetReader(book);
	await office.stream(path, reader, () => reader.isFull);
	return reader.result();
}

/** Collects the rows of a sheet as lines that begin with the row's number: empty rows are left out. */
class SheetReader implements XmlHandler {
	readonly #book: Workbook;
	/** Finished lines, many in one text: 200,000 small ones would take 30 MB. */
	readonly #blocks: string[] = [];
	#lines: string[] = [];
	#chars = 0;
	#range = "";
	#row = 0;
	#cells: string[] = [];
	#type: string | undefined;
	#style: string | undefined;
	#column = 0;
	#value = "";
	#isValue = false;
	#isPronunciation = false;
	#isWide = false;

	constructor(book: Workbook) {
		this.#book = book;
	}

	get isFull(): boolean {
		return this.#chars > limits.documentSheetChars;
	}

	open(name: string, read: (name: string) => string | undefined): void {
		if (name === "row") {
			this.#row = Number(read("r") ?? this.#row + 1) || this.#row + 1;
			this.#cells = [];
		} else if (name === "c") {
			this.#type = read("t");
			this.#style = read("s");
			this.#column = columnOf(read("r") ?? "") ?? this.#cells.length;
			this.#value = "";
		} else if (name === "rPh") this.#isPronunciation = true;
		else if (name === "dimension") this.#range = read("ref") ?? "";
		// Formulas (`f`) are left out: their values are there.
		this.#isValue = (name === "v" || name === "t") && !this.#isPronunciation;
	}

	close(name: string): void {
		this.#isValue = false;
		if (name === "rPh") this.#isPronunciation = false;
		else if (name === "c") this.#addCell();
		else if (name === "row") this.#addRow();
	}

	text(text: string): void {
		if (this.#isValue) this.#value += text;
	}

	result(): string {
		const wide = `\n[Cells after column ${limits.documentColumns} are left out.]`;
		this.#endBlock();
		const rows = this.#blocks.join("\n") + (this.#isWide ? wide : "");
		if (!this.isFull) return rows;
		const all = /\d+$/.exec(this.#range)?.[0];
		const help = "Export the sheet as CSV to read the others.";
		return `${rows}\n[The sheet continues${all === undefined ? "" : ` to row ${all}`}; rows up to ${this.#row} are shown. ${help}]`;
	}

	#addCell(): void {
		if (this.#column >= limits.documentColumns) {
			this.#isWide = true;
			return;
		}
		while (this.#cells.length < this.#column) this.#cells.push("");
		this.#cells.push(cellText(this.#value, this.#type, this.#style, this.#book));
	}

	#addRow(): void {
		const text = this.isFull ? "" : tableText([this.#cells]);
		if (text === "") return;
		const line = `${this.#row}\t${text}`;
		this.#lines.push(line);
		this.#chars += line.length + 1;
		if (this.#lines.length >= blockRows) this.#endBlock();
	}

	#endBlock(): void {
		if (this.#lines.length > 0) this.#blocks.push(this.#lines.join("\n"));
		this.#lines = [];
	}
}

/** "C7" is in the third column. */
function columnOf(reference: string): number | undefined {
	const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
	if (letters === undefined) return undefined;
	let column = 0;
	for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
	return column - 1;
}

function cellText(
	value: string,
	type: string | undefined,
	style: string | undefined,
	book: Workbook,
): string {
	if (type === "s") return book.strings[Number(value)] ?? "";
	if (type === "b") return value === "1" ? "TRUE" : "FALSE";
	const isNumber = (type === undefined || type === "n") && value !== "";
	if (isNumber && book.dateStyles.has(Number(style ?? -1))) return dateText(Number(value), book);
	return value;
}

function dateText(serial: number, { epoch }: Workbook): string {
	const time = Math.round((serial - epoch) * 86_400) * 1000;
	if (Math.abs(time) > 8.64e15 || Number.isNaN(time)) return String(serial);
	const [day = "", clock = ""] = new Date(time).toISOString().slice(0, 19).split("T");
	if (serial >= 0 && serial < 1) return clock;
	return clock === "00:00:00" ? day : `${day} ${clock}`;
}

/**
 * Built-in formats 14 to 22 and 45 to 47 are dates and times; other formats are recognized by the letters in their
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
	// Quoted text, escaped characters and colors may contain the same letters.
	return /[ymdhs]/i.test(pattern.replace(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]/gi, ""));
}

function isTrue(value: string | undefined): boolean {
	return value === "1" || value === "true";
}
