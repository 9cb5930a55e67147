/** What happens on a page beside what is done to it: requests, messages of its console, errors of its scripts. */
import { oneLine } from "@tau/utils";
import type { ConsoleMessage, HTTPRequest, Page } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";

interface RequestRow {
	readonly method: string;
	readonly url: string;
	readonly type: string;
	readonly at: number;
	/** A status, or why it failed; absent while it is open. */
	outcome?: string;
	ms?: number;
}

/** Requests that change what a page shows. */
const visible = new Set(["document", "xhr", "fetch", "script", "stylesheet"]);

export class PageActivity {
	readonly #requests: RequestRow[] = [];
	readonly #open = new Map<HTTPRequest, RequestRow>();
	readonly #messages: string[] = [];
	readonly #onEnd: () => void;
	#unseenErrors = 0;

	/** `onEnd` is called when a request has ended. */
	constructor(page: Page, onEnd: () => void) {
		this.#onEnd = onEnd;
		page.on("request", (request) => this.#begin(request));
		page.on("requestfinished", (request) => this.#end(request, `${request.response()?.status() ?? "?"}`));
		page.on("requestfailed", (request) =>
			this.#end(request, request.failure()?.errorText.replace("net::ERR_", "") ?? "failed"),
		);
		page.on("console", (message) => this.#print(message));
		page.on("pageerror", (error) => this.#note(`error: ${messageOf(error)}`, true));
	}

	/** Requests that have begun since a time, are still open, and may change the page. */
	openSince(at: number): number {
		let count = 0;
		for (const row of this.#open.values()) if (row.at >= at && visible.has(row.type)) count++;
		return count;
	}

	requests(words: string | undefined): string[] {
		return filtered(
			this.#requests.map(({ method, url, type, outcome = "open", ms }) =>
				[outcome, method, type, url, ms === undefined ? "" : `${Math.round(ms)} ms`].join(" ").trim(),
			),
			words,
		);
	}

	messages(words: string | undefined): string[] {
		return filtered(this.#messages, words);
	}

	/** Errors since the last call: worth a hint beside what changed. */
	takeErrors(): number {
		const count = this.#unseenErrors;
		this.#unseenErrors = 0;
		return count;
	}

	#begin(request: HTTPRequest): void {
		const row: RequestRow = {
			method: request.method(),
			url: oneLine(request.url(), limits.urlChars),
			type: request.resourceType(),
			at: performance.now(),
		};
		this.#open.set(request, row);
		if (this.#open.size > limits.requests) this.#open.delete([...this.#open.keys()][0] ?? request);
		this.#requests.push(row);
		if (this.#requests.length > limits.requests) this.#requests.shift();
	}

	#end(request: HTTPRequest, outcome: string): void {
		const row = this.#open.get(request);
		this.#open.delete(request);
		if (row) {
			row.outcome = outcome;
			row.ms = performance.now() - row.at;
		}
		this.#onEnd();
	}

	#print(message: ConsoleMessage): void {
		const type = message.type();
		const { url, lineNumber } = message.location();
		const place = url ? ` (${oneLine(url, 100)}:${(lineNumber ?? 0) + 1})` : "";
		// Every site without an icon has this one.
		const isOfPage = url?.endsWith("/favicon.ico") !== true;
		this.#note(`${type}: ${message.text()}${place}`, type === "error" && isOfPage);
	}

	#note(text: string, isError: boolean): void {
		if (isError) this.#unseenErrors++;
		this.#messages.push(oneLine(text, limits.messageChars));
		if (this.#messages.length > limits.messages) this.#messages.shift();
	}
}

function filtered(lines: readonly string[], words: string | undefined): string[] {
	const wanted = words?.toLowerCase();
	return wanted === undefined ? [...lines] : lines.filter((line) => line.toLowerCase().includes(wanted));
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
