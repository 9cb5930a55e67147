/** The text of a PDF file, page by page. */
import { getDocumentProxy } from "unpdf";
import { DocumentError, type DocumentOptions, type DocumentText } from "./document.ts";
import { readParts } from "./parts.ts";

export async function readPdf(bytes: Uint8Array, options: DocumentOptions): Promise<DocumentText> {
	const pdf = await open(bytes);
	try {
		let letters = 0;
		const result = await readParts(pdf.numPages, "Page", options, async (index) => {
			const page = await pdf.getPage(index + 1);
			const { items } = await page.getTextContent();
			page.cleanup();
			const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
			letters += text.trim().length;
			return text.replaceAll("\0", "\ufffd").replace(/(?<![ \t])[ \t]+$/gm, "");
		});
		if (letters > 0) return result;
		const help =
			"These pages contain no text, only pictures. Convert them to images (pdftoppm) and read those.";
		throw new DocumentError("no-text", help);
	} finally {
		await pdf.destroy();
	}
}

async function open(bytes: Uint8Array): ReturnType<typeof getDocumentProxy> {
	try {
		// The reader takes ownership of the bytes, accepts no Buffer, and would print warnings to the terminal.
		return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, stopAtErrors: false });
	} catch (error) {
		if (error instanceof Error && error.name === "PasswordException") {
			throw new DocumentError(
				"encrypted",
				"The PDF is password-protected. Remove the password first (qpdf --decrypt).",
			);
		}
		throw new DocumentError("damaged", "The PDF is damaged or truncated: its structure is unreadable.");
	}
}
