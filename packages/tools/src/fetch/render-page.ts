/** Makes a fetched resource readable: a page as Markdown, text, images and documents unchanged. */
import { documentText, htmlToMarkdown, WorkerStopped } from "@tau/sys";

import { limits } from "./limits.ts";
import { pageProblem, type FetchedPage, type PageProblem } from "./page.ts";

export type RenderedPage =
	| {
			ok: true;
			kind: "text";
			url: string;
			title: string;
			contentType: string;
			text: string;
			truncated: boolean;
	  }
	| { ok: true; kind: "image"; url: string; contentType: string; bytes: Uint8Array };

export async function renderPage(
	page: FetchedPage,
	signal: AbortSignal,
): Promise<RenderedPage | PageProblem> {
	const { url, bytes, charset, truncated } = page;
	const contentType = typeOf(page);
	const text = (label: string, title = "", isCut = truncated): RenderedPage => {
		return { ok: true, kind: "text", url, title, contentType, text: label, truncated: isCut };
	};
	if (contentType === "text/html" || contentType === "application/xhtml+xml") {
		return await renderHtml(page, text, signal);
	}
	if (isJson(contentType)) return text(prettyJson(decodePage(bytes, charset)));
	if (isText(contentType)) {
		const content = decodePage(bytes, charset);
		return text(content, contentType === "text/markdown" ? headingOf(content) : "");
	}
	if (truncated) return pageProblem("unsupported", `${url} is too large to be read as ${contentType}.`);
	if (contentType === "application/pdf") {
		const read = await documentText(bytes, "pdf", { signal });
		signal.throwIfAborted();
		return read.ok
			? text(read.text, "", read.truncated)
			: pageProblem("unsupported", `${url}: ${read.message}`);
	}
	if (contentType.startsWith("image/")) return { ok: true, kind: "image", url, contentType, bytes };
	return pageProblem(
		"unsupported",
		`${url} is ${contentType || "of unknown type"} and cannot be read. Download it with bash: curl -O ${url}`,
	);
}

async function renderHtml(
	{ url, bytes, charset, truncated }: FetchedPage,
	text: (label: string, title: string, isCut: boolean) => RenderedPage,
	signal: AbortSignal,
): Promise<RenderedPage | PageProblem> {
	const html = decodePage(bytes, charset);
	try {
		const page = await htmlToMarkdown(html, { url, readability: true }, signal);
		return text(page.markdown, page.title, truncated || page.truncated);
	} catch (error) {
		if (!(error instanceof WorkerStopped)) throw error;
		const help = `Download it with bash: curl -O ${url}`;
		return pageProblem("unsupported", `${url} was not converted to text: ${error.message}. ${help}`);
	}
}

/** The first heading of a Markdown file is its title. */
function headingOf(markdown: string): string {
	return /^# +(.+)$/m.exec(markdown.slice(0, limits.probeBytes))?.[1]?.trim() ?? "";
}

function isJson(type: string): boolean {
	return type === "application/json" || type.endsWith("+json") || type === "text/json";
}

const textTypes: ReadonlySet<string> = new Set([
	"application/javascript",
	"application/x-javascript",
	"application/typescript",
	"application/x-sh",
	"application/xml",
	"application/yaml",
	"application/x-yaml",
	"application/toml",
	"application/sql",
	"application/x-ndjson",
	"application/jsonl",
	"image/svg+xml",
]);

function isText(type: string): boolean {
	return type.startsWith("text/") || textTypes.has(type) || type.endsWith("+xml");
}

/** Content that does not parse is shown unchanged. */
function prettyJson(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}

/** Content of an unknown type, or declared as a stream of bytes, is often text. */
function typeOf({ contentType, bytes }: FetchedPage): string {
	if (contentType !== "" && !/^(?:application|binary)\/octet-stream$/.test(contentType)) return contentType;
	const start = Buffer.from(bytes.subarray(0, limits.probeBytes)).toString("latin1");
	if (start.includes("\0")) return contentType;
	return /^\s*<(?:!doctype html|html|head|body)/i.test(start) ? "text/html" : "text/plain";
}

/** Decodes a page by its declared encoding: a byte order mark, the server's header, the page itself. */
export function decodePage(bytes: Uint8Array, charset: string | undefined): string {
	const name = byMark(bytes) ?? charset ?? declared(bytes) ?? "utf-8";
	return decoderFor(name).decode(bytes);
}

function byMark([first, second, third]: Uint8Array): string | undefined {
	if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
	if (first === 0xff && second === 0xfe) return "utf-16le";
	return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** `<meta charset>`, `<meta http-equiv>` or an XML declaration: in ASCII, so Latin-1 can read it. */
function declared(bytes: Uint8Array): string | undefined {
	const head = Buffer.from(bytes.subarray(0, limits.probeBytes)).toString("latin1");
	const match =
		/<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head) ??
		/^\s*<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)/i.exec(head);
	return match?.[1];
}

function decoderFor(name: string): TextDecoder {
	try {
		// The name comes from the page; an unknown encoding throws here.
		return new TextDecoder(name as Bun.Encoding);
	} catch {
		return new TextDecoder();
	}
}
