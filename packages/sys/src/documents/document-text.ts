/** The door to documents: loads the reader of a kind when the first of it comes. */
import type { DocumentKind, DocumentOptions, DocumentRefusal, DocumentText } from "./document.ts";

/** The text of a document, its pages marked; a broken, locked or empty one gives a refusal that says what to do. */
export async function documentText(
	bytes: Uint8Array,
	kind: DocumentKind,
	options: DocumentOptions = {},
): Promise<DocumentText | DocumentRefusal> {
	return (await import("./read.ts")).readDocument(bytes, kind, options);
}
