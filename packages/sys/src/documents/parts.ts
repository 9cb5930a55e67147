/** Assembles the text of a document part by part, within the bounds of one read. */
import { cutUnits } from "@tau/utils";
import { limits } from "../limits.ts";
import { DocumentError, type DocumentOptions, type DocumentText } from "./document.ts";

/** Reads the requested parts in order; `name` labels a part in the text. */
export async function readParts(
	count: number,
	name: string,
	{ pages }: DocumentOptions,
	read: (index: number) => Promise<string> | string,
): Promise<DocumentText> {
	const first = Math.max(1, pages?.first ?? 1);
	const lastRequested = Math.min(count, pages?.last ?? count);
	if (first > Math.max(1, count) || lastRequested < first) {
		throw new DocumentError(
			"no-such-page",
			`There is no ${name.toLowerCase()} ${first}: there are ${count}.`,
		);
	}
	const last = Math.min(lastRequested, first + limits.documentPages - 1);
	let text = "";
	for (let page = first; page <= last; page++) {
		const body = (await read(page - 1)).trim();
		text += `${text === "" ? "" : "\n\n"}--- ${name} ${page} of ${count} ---\n\n${body}`;
		if (text.length > limits.documentChars) return finished(text, { pages: count, lastPage: page });
	}
	return finished(text, { pages: count, ...(last < count ? { lastPage: last } : {}) });
}

/** A whole text, cut at the length limit. */
export function finished(text: string, facts: { pages?: number; lastPage?: number } = {}): DocumentText {
	const cut = cutUnits(text, limits.documentChars);
	return { ok: true, text: cut, ...facts, truncated: cut.length < text.length };
}

/** Rows of cells, tab-separated: line breaks and tabs inside a cell would look like more cells. */
export function tableText(rows: readonly (readonly string[])[]): string {
	const clean = (cell: string): string => cell.replace(/\s+/g, " ").trim();
	return rows
		.map((row) => row.map(clean).join("\t").replace(/\t+$/, ""))
		.filter((row) => row !== "")
		.join("\n");
}

/** Rows of cells as a Markdown table; the first row is its header. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
	const width = Math.max(0, ...rows.map((row) => row.length));
	if (width === 0) return "";
	const line = (row: readonly string[]): string => {
		const cells = Array.from({ length: width }, (_, index) => row[index] ?? "");
		return `| ${cells.map((cell) => cell.replace(/\s+/g, " ").trim().replaceAll("|", "\\|")).join(" | ")} |`;
	};
	const [head = [], ...body] = rows;
	return [line(head), `|${" --- |".repeat(width)}`, ...body.map(line)].join("\n");
}
