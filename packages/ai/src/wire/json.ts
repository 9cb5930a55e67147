/** Reads loosely typed JSON that a server sent, one safe step at a time. */

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
	return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function list(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}
