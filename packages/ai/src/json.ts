/** JSON from and to servers: read one safe step at a time, written so that every vendor accepts it. */

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

/** Half a surrogate pair (a text that was cut inside an emoji) makes vendors refuse the whole body. */
export function writeJson(value: unknown): string {
	const json = JSON.stringify(value);
	// Escapes of this form represent such halves only; after another backslash it is ordinary text.
	if (!json.includes("\\ud")) return json;
	return json.replace(/\\\\|\\ud[0-9a-f]{3}/g, (escape) => (escape === "\\\\" ? escape : "\ufffd"));
}
