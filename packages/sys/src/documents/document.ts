/** What can be read as text, and why it may not be. */

export type DocumentKind = "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "rtf";

const kinds: readonly DocumentKind[] = ["pdf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "rtf"];
/** Macro and template variants hold the same parts. */
const variants: Readonly<Record<string, DocumentKind>> = {
	docm: "docx",
	dotx: "docx",
	xlsm: "xlsx",
	xltx: "xlsx",
	pptm: "pptx",
	ppsx: "pptx",
};

/** The kind of document that a file of this name would be. */
export function documentKind(path: string): DocumentKind | undefined {
	const suffix = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
	return kinds.find((kind) => kind === suffix) ?? variants[suffix];
}

export interface DocumentOptions {
	/** The first and last page, slide, sheet or chapter to read, counted from 1; all if absent. */
	pages?: { first: number; last: number };
	signal?: AbortSignal;
}

export interface DocumentText {
	ok: true;
	text: string;
	/** How many pages, slides, sheets or chapters there are; absent where the document has no such parts. */
	pages?: number;
	/** The last one that was read, when there are more; reading goes on behind it. */
	lastPage?: number;
	/** Whether the text was cut because it is longer than anybody reads. */
	truncated: boolean;
}

export interface DocumentRefusal {
	ok: false;
	problem: "damaged" | "encrypted" | "too-large" | "no-text" | "no-such-page" | "aborted";
	message: string;
}

/** Travels inside this folder only; at the door it becomes a refusal. */
export class DocumentError extends Error {
	readonly problem: DocumentRefusal["problem"];

	constructor(problem: DocumentRefusal["problem"], message: string) {
		super(message);
		this.problem = problem;
	}
}
