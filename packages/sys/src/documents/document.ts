/** The document kinds that can be read as text, and the reasons for a refusal. */

export type DocumentKind = "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "rtf";

const kinds: readonly DocumentKind[] = ["pdf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "rtf"];
/** Macro and template variants contain the same parts. */
const variants: Readonly<Record<string, DocumentKind>> = {
	docm: "docx",
	dotx: "docx",
	xlsm: "xlsx",
	xltx: "xlsx",
	pptm: "pptx",
	ppsx: "pptx",
};

/** The kind of document that a file of this name is. */
export function documentKind(path: string): DocumentKind | undefined {
	const suffix = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
	return kinds.find((kind) => kind === suffix) ?? variants[suffix];
}

export interface DocumentOptions {
	/** The first and last page, slide, sheet or chapter to read, counted from 1; all if absent. */
	pages?: { first: number; last: number };
}

export interface DocumentText {
	ok: true;
	text: string;
	/** The number of pages, slides, sheets or chapters; absent if the document has no such parts. */
	pages?: number;
	/** The last page that was read, when there are more; reading continues after it. */
	lastPage?: number;
	/** True if the text was cut at the length limit. */
	truncated: boolean;
}

export interface DocumentRefusal {
	ok: false;
	/** `limit`: reading took too long or too much memory. */
	problem: "damaged" | "encrypted" | "too-large" | "no-text" | "no-such-page" | "limit" | "aborted";
	message: string;
}

/** Thrown inside this folder only; the entry point turns it into a refusal. */
export class DocumentError extends Error {
	readonly problem: DocumentRefusal["problem"];

	constructor(problem: DocumentRefusal["problem"], message: string) {
		super(message);
		this.problem = problem;
	}
}
