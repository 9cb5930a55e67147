/** A request without what depends on the machine and the time, so that it is the same on another machine tomorrow. */
import { createHash } from "node:crypto";

import { isRecord } from "@tau/utils";

import type { Cassette, ExchangeLine, RecordedRequest } from "./format.ts";

/** What is replaced by a name. */
export interface Surroundings {
	readonly cwd: string;
	readonly home: string;
	readonly sessionId: string;
	/** The day when the session began, as the system prompt writes it. */
	readonly date: string;
}

/** Replaces them in every text of a value. */
export function normalizer({ cwd, home, sessionId, date }: Surroundings): (value: unknown) => unknown {
	// The directory of the project may be below the home directory.
	const names: [string, string][] = [
		[cwd, "<cwd>"],
		[home, "~"],
		[sessionId, "<session>"],
		[date, "<date>"],
	];
	const known = names.filter(([value]) => value.length > 1);
	const change = (text: string): string =>
		known.reduce((result, [from, name]) => result.replaceAll(from, name), text);
	return (value) => mapTexts(value, change);
}

/**
 * Names the directory of a recorded session as it is where the session runs again: models call tools with whole paths, which would
 * lead out of the copy that they are to work in.
 */
export function relocator({ log }: Pick<Cassette, "log">, cwd: string): (text: string) => string {
	const { cwd: recorded } = JSON.parse(log[0] ?? "{}") as Record<string, unknown>;
	if (typeof recorded !== "string" || recorded === "") return (text) => text;
	// Shorter than a path is the home directory, masked, or the root of everything.
	return recorded.length > 1
		? (text) => text.replaceAll(recorded, cwd)
		: (text) => (recorded === "~" ? text.replaceAll("~/", `${cwd}/`) : text);
}

/** Where the text of an answer has changed, its raw stream is left out: a path may be cut into pieces there. */
export function relocated(exchange: ExchangeLine, change: (text: string) => string): ExchangeLine {
	const { raw: _raw, ...rest } = exchange;
	const message = mapTexts(rest.message, change) as ExchangeLine["message"];
	const isSame = JSON.stringify(message) === JSON.stringify(rest.message);
	return isSame ? exchange : { ...rest, message };
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
	if (typeof value === "string") return change(value);
	if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}

/** Splits a body into parts, which are stored under their keys. */
export function recordedRequest(
	url: string,
	body: string,
	change: (value: unknown) => unknown,
	parts: Map<string, unknown>,
): RecordedRequest {
	const part = (value: unknown): string => {
		const changed = change(value);
		const key = keyOf(changed);
		parts.set(key, changed);
		return key;
	};
	const document = parsed(body);
	const fields = isRecord(document) ? document : { body: document };
	return {
		path: URL.canParse(url) ? new URL(url).pathname : url,
		body: mapFields(fields, part),
	};
}

/** Elements of lists are parts of their own: a conversation grows by a few of them with each request. */
export function mapFields(
	fields: Readonly<Record<string, unknown>>,
	part: (value: unknown) => string,
): RecordedRequest["body"] {
	return Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [
			name,
			Array.isArray(value) ? value.map(part) : part(value),
		]),
	);
}

export function keyOf(value: unknown): string {
	return createHash("sha256")
		.update(JSON.stringify(value) ?? "")
		.digest("hex")
		.slice(0, 16);
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		// A protocol may send something else; then the text is compared.
		return body;
	}
}
