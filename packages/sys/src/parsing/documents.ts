/** Reads documents in a worker process. */
import { isAbort } from "@tau/utils";
import type { DocumentKind, DocumentOptions, DocumentRefusal, DocumentText } from "../documents/index.ts";
import { limits } from "./limits.ts";
import { orRefusal, parsers } from "./parsers.ts";

interface ReadingOptions extends DocumentOptions {
	signal?: AbortSignal;
	/** How long it may take. */
	ms?: number;
}

/** The text of a document, with its pages marked; a broken, locked or empty one gives a refusal with advice. */
export async function documentText(
	bytes: Uint8Array,
	kind: DocumentKind,
	{ signal, ms = limits.document.ms, ...options }: ReadingOptions = {},
): Promise<DocumentText | DocumentRefusal> {
	try {
		const bounds = { ...limits.document, ms };
		const reading = parsers.run("document", [bytes, kind, options], { limits: bounds, signal });
		return await orRefusal(reading, (why) =>
			refusal("limit", `Reading was stopped: ${why}. ${wayOut[kind] ?? ""}`.trim()),
		);
	} catch (error) {
		if (!isAbort(error)) throw error;
		return refusal("aborted", "Reading the document was cancelled.");
	}
}

const sheets = "Export the sheet that matters as CSV and read that.";
const pages = "Read fewer pages at once";

const wayOut: Readonly<Partial<Record<DocumentKind, string>>> = {
	pdf: `${pages} (file.pdf:1-5), or extract the text with bash: pdftotext.`,
	docx: "Extract the text with bash: pandoc, or unzip -p.",
	xlsx: sheets,
	ods: sheets,
	pptx: `${pages} (file.pptx:1-5).`,
	odp: `${pages} (file.odp:1-5).`,
	epub: `${pages} (file.epub:1-5).`,
};

function refusal(problem: DocumentRefusal["problem"], message: string): DocumentRefusal {
	return { ok: false, problem, message };
}
