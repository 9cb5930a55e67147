/** Reads a document of any known kind, and turns errors into refusals. */
import { limits } from "../limits.ts";
import {
	DocumentError,
	type DocumentKind,
	type DocumentOptions,
	type DocumentRefusal,
	type DocumentText,
} from "./document.ts";
import { OfficePackage } from "./office-package.ts";

export async function readDocument(
	bytes: Uint8Array,
	kind: DocumentKind,
	options: DocumentOptions = {},
): Promise<DocumentText | DocumentRefusal> {
	try {
		if (bytes.length > limits.documentBytes) {
			const message = `The document has ${bytes.length} bytes; at most ${limits.documentBytes} are supported.`;
			throw new DocumentError("too-large", message);
		}
		return await readers[kind](bytes, options);
	} catch (error) {
		if (error instanceof DocumentError) return { ok: false, problem: error.problem, message: error.message };
		const message = error instanceof Error ? error.message : String(error);
		return { ok: false, problem: "damaged", message: `Cannot read the document: ${message}` };
	}
}

type Reader = (bytes: Uint8Array, options: DocumentOptions) => Promise<DocumentText>;

const openDocument: Reader = async (bytes, options) =>
	(await import("./open-document.ts")).readOpenDocument(new OfficePackage(bytes), options);

const readers: Readonly<Record<DocumentKind, Reader>> = {
	pdf: async (bytes, options) => (await import("./pdf.ts")).readPdf(bytes, options),
	docx: async (bytes) => (await import("./word.ts")).readWord(new OfficePackage(bytes)),
	xlsx: async (bytes, options) =>
		(await import("./spreadsheet.ts")).readSpreadsheet(new OfficePackage(bytes), options),
	pptx: async (bytes, options) => (await import("./slides.ts")).readSlides(new OfficePackage(bytes), options),
	odt: openDocument,
	ods: openDocument,
	odp: openDocument,
	epub: async (bytes, options) => (await import("./epub.ts")).readEpub(new OfficePackage(bytes), options),
	rtf: async (bytes) => (await import("./rtf.ts")).readRtf(bytes),
};
