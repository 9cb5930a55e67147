/** The text of a PDF file, page by page, with the values of its forms and the notes on its pages. */
import { getDocumentProxy } from "unpdf";
import { limits } from "../limits.ts";
import { DocumentError, type DocumentOptions, type DocumentText } from "./document.ts";
import { readParts } from "./parts.ts";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
type Page = Awaited<ReturnType<Pdf["getPage"]>>;

export async function readPdf(bytes: Uint8Array, options: DocumentOptions): Promise<DocumentText> {
	const pdf = await open(bytes);
	try {
		let letters = 0;
		const result = await readParts(pdf.numPages, "Page", options, async (index) => {
			const page = await pdf.getPage(index + 1);
			const text = await pageText(page);
			const notes = await annotationText(page);
			page.cleanup();
			letters += text.trim().length + notes.length;
			const clean = text.replaceAll("\0", "\ufffd").replace(/(?<![ \t])[ \t]+$/gm, "");
			return notes === "" ? clean : `${clean.trim()}\n\n${notes}`;
		});
		if (letters > 0) return result;
		const help =
			"These pages contain no text, only pictures. Convert them to images (pdftoppm) and read those.";
		throw new DocumentError("no-text", help);
	} finally {
		await pdf.destroy();
	}
}

/** Read in pieces, so that a page with text without end is left when there is enough of it. */
async function pageText(page: Page): Promise<string> {
	const reader = page.streamTextContent().getReader();
	let text = "";
	for (;;) {
		const { value, done } = await reader.read();
		if (done) return text;
		for (const item of value.items) if ("str" in item) text += item.str + (item.hasEOL ? "\n" : "");
		if (text.length <= limits.documentChars) continue;
		await reader.cancel(new Error("There is enough text."));
		return text;
	}
}

/** What the library returns for an annotation, as far as it is read here. */
interface Annotation {
	subtype?: string;
	fieldName?: string;
	fieldValue?: unknown;
	alternativeText?: string;
	hidden?: boolean;
	contentsObj?: { str?: string };
	titleObj?: { str?: string };
	url?: string;
}

async function annotationText(page: Page): Promise<string> {
	const annotations = (await page.getAnnotations()) as Annotation[];
	const shown = annotations.slice(0, limits.documentAnnotations);
	const fields = shown.flatMap((one) => fieldLine(one) ?? []);
	const notes = shown.flatMap((one) => noteLine(one) ?? []);
	const links = [...new Set(shown.flatMap(({ subtype, url }) => (subtype === "Link" && url ? [url] : [])))];
	const left = annotations.length - shown.length;
	return [
		...block("Form fields:", fields),
		...block("Annotations:", notes),
		...block(
			"Links:",
			links.map((link) => `- ${link}`),
		),
		...(left > 0 ? [`[${left} more annotations are left out.]`] : []),
	].join("\n\n");
}

function block(title: string, lines: readonly string[]): string[] {
	return lines.length === 0 ? [] : [`${title}\n${lines.join("\n")}`];
}

function fieldLine({ subtype, fieldName, fieldValue, alternativeText }: Annotation): string | undefined {
	if (subtype !== "Widget" || fieldName === undefined) return undefined;
	const value = Array.isArray(fieldValue) ? fieldValue.join(", ") : String(fieldValue ?? "");
	const label = alternativeText ? `${fieldName} (${oneLine(alternativeText)})` : fieldName;
	return `- ${label}: ${oneLine(value) || "(empty)"}`;
}

function noteLine({ subtype, contentsObj, titleObj }: Annotation): string | undefined {
	const text = oneLine(contentsObj?.str ?? "");
	if (subtype === "Widget" || subtype === "Popup" || text === "") return undefined;
	const author = oneLine(titleObj?.str ?? "");
	return `- ${subtype ?? "Note"}${author === "" ? "" : ` by ${author}`}: ${text}`;
}

function oneLine(text: string): string {
	return text.replace(/\s+/g, " ").trim();
}

async function open(bytes: Uint8Array): Promise<Pdf> {
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
