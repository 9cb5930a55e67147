/** Entry point for documents: loads the reader of a kind on first use. */
import type { DocumentKind, DocumentOptions, DocumentRefusal, DocumentText } from "./document.ts";

/** The text of a document, with its pages marked; a broken, locked or empty one gives a refusal with advice. */
export async function documentText(
	bytes: Uint8Array,
	kind: DocumentKind,
	options: DocumentOptions = {},
): Promise<DocumentText | DocumentRefusal> {
	return (await import("./read.ts")).readDocument(bytes, kind, options);
}
