/** A site reader: the pages that it knows, and how to read one through the site's own interface. */

export interface SitePage {
	title: string;
	/** Markdown. */
	text: string;
}

export interface SiteReader {
	readonly name: string;
	/** Its hosts; `.example.org` stands for every host below that domain. */
	readonly hosts: readonly string[];
	/** Undefined for a page that it does not know. Throws where the site does not answer as expected. */
	read(page: SiteRequest, io: SiteIo): Promise<SitePage | undefined>;
}

/** An address, taken apart. */
export interface SiteRequest {
	readonly url: URL;
	/** The parts of the path, as they are written in the address. */
	readonly parts: readonly string[];
}

export interface SiteRequestOptions {
	readonly accept?: string;
	/** Sent as JSON by POST. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent to the server of the address alone. */
	readonly ownHeaders?: Readonly<Record<string, string>>;
}

/** Every function throws a `SiteFailure` if there is no such answer. */
export interface SiteIo {
	json(address: string, options?: SiteRequestOptions): Promise<unknown>;
	text(address: string, options?: SiteRequestOptions): Promise<string>;
	/** A page or a document as the plain reader shows it. */
	page(address: string): Promise<SitePage>;
	/** HTML of the site as Markdown; links are relative to the page. */
	markdown(html: string): Promise<string>;
	/** The article of a whole page as Markdown. */
	article(html: string): Promise<string>;
	/** A token of the user for the API of GitHub; the one of `gh` only if a request without has failed. */
	githubToken(hasFailed: boolean): Promise<string | undefined>;
	/** A variable of Tau's own environment. */
	variable(name: string): string | undefined;
}

/** The plain reader takes over. */
export class SiteFailure extends Error {
	override name = "SiteFailure";
	readonly status: number | undefined;

	constructor(message: string, status?: number) {
		super(message);
		this.status = status;
	}
}

/** `- Name: value` for every value that is there. */
export function facts(
	...all: readonly (readonly [name: string, value: string | number | undefined])[]
): string {
	return all
		.filter(([, value]) => value !== undefined && value !== "")
		.map(([name, value]) => `- ${name}: ${value}`)
		.join("\n");
}

/** Paragraphs; empty ones are left out. */
export function paragraphs(...all: readonly (string | undefined)[]): string {
	return all
		.map((each) => each?.trim() ?? "")
		.filter((each) => each !== "")
		.join("\n\n");
}

/** A heading with a text below it; nothing without a text. */
export function section(heading: string, text: string): string {
	return text.trim() === "" ? "" : `## ${heading}\n\n${text.trim()}`;
}

/** The day of a time, which may be in seconds. */
export function day(time: string | number | undefined): string {
	if (time === undefined || time === "") return "";
	const date = new Date(typeof time === "number" ? time * 1000 : time);
	return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().slice(0, 10);
}

/** A reply, with the replies to it as deeper quotes. */
export function quoted(text: string, depth: number): string {
	const mark = ">".repeat(Math.min(depth, 8));
	return depth === 0
		? text
		: text
				.split("\n")
				.map((line) => `${mark} ${line}`.trimEnd())
				.join("\n");
}

/** The page of a long list that an address asks for, from 1 on. */
export function pageOf(url: URL): number {
	const page = Number(url.searchParams.get("page") ?? 1);
	return Number.isInteger(page) && page > 0 && page < 10_000 ? page : 1;
}

/** Says which part of a list is shown, and the address of the next one; nothing if that is all. */
export function partShown(
	{
		shown,
		total,
		what,
		page = 1,
		size = shown,
	}: { shown: number; total: number; what: string; page?: number; size?: number },
	url: URL,
): string {
	const before = (page - 1) * size;
	if (shown === 0 || (before === 0 && shown >= total)) return "";
	const range = before === 0 ? `${shown}` : `${before + 1} to ${before + shown}`;
	const next = new URL(url);
	next.searchParams.set("page", `${page + 1}`);
	const more = before + shown < total ? ` The next: ${next.href}` : "";
	return `[${range} of ${total} ${what} shown.${more}]`;
}

/** A part of a path, as text. */
export function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

/** False for a part that a server might read as more than one, or as the one above it. */
export function isPlainPart(part: string): boolean {
	return !/[\\/]|^\.{1,2}$/.test(decoded(part));
}

/** What is between two marks, each searched for once: pages may have been made to keep an expression busy. */
export function between(text: string, start: string, end: string): string | undefined {
	const from = text.indexOf(start);
	const to = from < 0 ? -1 : text.indexOf(end, from + start.length);
	return to < 0 ? undefined : text.slice(from + start.length, to);
}

/** As one part of another path or as a value of a query. */
export function encoded(part: string): string {
	return encodeURIComponent(decoded(part));
}

/** What a page can do without. */
export async function optional<T>(answer: Promise<T>, instead: T): Promise<T> {
	try {
		return await answer;
	} catch (error) {
		if (error instanceof SiteFailure) return instead;
		throw error;
	}
}

/** A list, also where a server answers with something else. */
export function listed(json: unknown): readonly unknown[] {
	return Array.isArray(json) ? json : [];
}
