/** Puts the text of a document together, part by part, within the bounds of what is read at once. */
import { cutUnits } from "@tau/utils";
import { limits } from "../limits.ts";
import { DocumentError, type DocumentOptions, type DocumentText } from "./document.ts";

/** Reads the wanted parts one after the other; `name` is what a part is called in the text. */
export async function readParts(
	count: number,
	name: string,
	{ pages, signal }: DocumentOptions,
	read: (index: number) => Promise<string> | string,
): Promise<DocumentText> {
	const first = Math.max(1, pages?.first ?? 1);
	const wanted = Math.min(count, pages?.last ?? count);
	if (first > Math.max(1, count) || wanted < first) {
		throw new DocumentError(
			"no-such-page",
			`There is no ${name.toLowerCase()} ${first}: there are ${count}.`,
		);
	}
	const last = Math.min(wanted, first + limits.documentPages - 1);
	let text = "";
	for (let page = first; page <= last; page++) {
		signal?.throwIfAborted();
		const body = (await read(page - 1)).trim();
		text += `${text === "" ? "" : "\n\n"}--- ${name} ${page} of ${count} ---\n\n${body}`;
		if (text.length > limits.documentChars) return finished(text, { pages: count, lastPage: page });
	}
	return finished(text, { pages: count, ...(last < count ? { lastPage: last } : {}) });
}

/** A whole text, cut where it becomes too long. */
export function finished(text: string, facts: { pages?: number; lastPage?: number } = {}): DocumentText {
	const cut = cutUnits(text, limits.documentChars);
	return { ok: true, text: cut, ...facts, truncated: cut.length < text.length };
}

/** Rows of cells, tab-separated: what a cell breaks or tabs with would be taken for more cells. */
export function tableText(rows: readonly (readonly string[])[]): string {
	const clean = (cell: string): string => cell.replace(/\s+/g, " ").trim();
	return rows
		.map((row) => row.map(clean).join("\t").replace(/\t+$/, ""))
		.filter((row) => row !== "")
		.join("\n");
}

/** Rows of cells as a Markdown table, the first as its head. */
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
