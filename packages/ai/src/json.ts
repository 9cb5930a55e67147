/** JSON from and to servers: read one safe step at a time, written so that every vendor accepts it. */
import { commonStart } from "@tau/utils/portable";

import { limits } from "./limits.ts";

export type Json = Record<string, unknown>;

export function parseObject(text: string): Json | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : undefined;
	} catch {
		// The caller turns `undefined` into a failure that quotes the line.
		return undefined;
	}
}

export function isObject(value: unknown): value is Json {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function object(value: unknown): Json {
	return isObject(value) ? value : {};
}

export function string(value: unknown): string {
	return typeof value === "string" ? value : "";
}

export function count(value: unknown): number {
	return typeof value === "number" && Number.isFinite(value) ? Math.max(0, value) : 0;
}

export function list(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

/** Values that do not change any more, with their text once it was needed. */
const texts = new WeakMap<object, { text: string | undefined }>();

/** Promises that the value does not change: in the lists of request bodies, it is written once. */
export function written<T extends object>(value: T): T {
	if (!texts.has(value)) texts.set(value, { text: undefined });
	return value;
}

/** Writes the body of a request. */
export function writeBody(body: unknown): string {
	if (!isObject(body)) return writeJson(body);
	// Not joined: the parts are copied once, when the body is sent.
	let fields = "";
	for (const [name, value] of Object.entries(body)) {
		if (value === undefined) continue;
		const text = Array.isArray(value) ? writeList(value) : writeJson(value);
		fields += `${fields && ","}${JSON.stringify(name)}:${text}`;
	}
	return `{${fields}}`;
}

/** The beginning of a list, of items that do not change any more. */
interface WrittenStart {
	readonly items: readonly unknown[];
	readonly text: string;
}

/** By the first item. A conversation grows at its end: what was joined for the last request is continued. */
const starts = new WeakMap<object, WrittenStart>();

function writeList(values: readonly unknown[]): string {
	const known = startOf(values);
	const from = known?.items.length ?? 0;
	const fresh: string[] = [];
	for (let at = from; at < values.length; at++) fresh.push(textOf(values[at]));
	const [first] = values;
	let lasting = 0;
	while (lasting < fresh.length && isKept(values[from + lasting])) lasting++;
	const start = [...(known ? [known.text] : []), ...fresh.splice(0, lasting)].join(",");
	if (isObject(first) && lasting > 0 && start.length <= limits.keptListChars)
		starts.set(first, { items: values.slice(0, from + lasting), text: start });
	// Not joined with the start, which may be long: it is copied once, when the body is sent.
	const rest = fresh.join(",");
	return `[${start}${start && rest && ","}${rest}]`;
}

function startOf(values: readonly unknown[]): WrittenStart | undefined {
	const [first] = values;
	const known = isObject(first) ? starts.get(first) : undefined;
	return known && commonStart(known.items, values) === known.items.length ? known : undefined;
}

function isKept(value: unknown): boolean {
	return isObject(value) && texts.get(value)?.text !== undefined;
}

function textOf(value: unknown): string {
	const known = typeof value === "object" && value !== null ? texts.get(value) : undefined;
	if (known?.text !== undefined) return known.text;
	// JSON has `null` where a list has nothing.
	const text = value === undefined ? "null" : writeJson(value);
	if (known && text.length <= limits.keptTextChars) known.text = text;
	return text;
}

/** Half a surrogate pair (a text that was cut inside an emoji) makes vendors refuse the whole body. */
export function writeJson(value: unknown): string {
	const json = JSON.stringify(value);
	// Escapes of this form represent such halves only; after another backslash it is ordinary text.
	if (!json.includes("\\ud")) return json;
	return json.replace(/\\\\|\\ud[0-9a-f]{3}/g, (escape) => (escape === "\\\\" ? escape : "\ufffd"));
}
