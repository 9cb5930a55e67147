/** Copies any value into a small JSON-like one that contains no secrets and is safe to serialize. */
import { maskLimits } from "./limits.ts";
import { masked, maskSecrets } from "./mask.ts";
import { cutUnits } from "./text.ts";

const secretKeys: readonly RegExp[] = [
	/^(?:proxy[-_]?)?authorization$|cookie|credential|secret|passw(?:or)?d|passphrase/i,
	/(?:api|access|private|signing|encryption)[-_]?key|^(?:jwt|pat)$/i,
	// Token counts are not secrets: maxTokens, total_tokens and the like stay readable.
	/(?:^|[-_.])token$/i,
	/[a-z]Token$/,
];

export function maskFields(value: unknown): unknown {
	return new Copier().copy(value, 0);
}

class Copier {
	#left: number = maskLimits.nodes;

	copy(value: unknown, depth: number): unknown {
		if (this.#left-- <= 0) return "[too large]";
		if (typeof value === "string") return maskText(value);
		if (typeof value === "function") return "[function]";
		if (typeof value === "bigint" || typeof value === "symbol") return String(value);
		// JSON turns NaN and the infinities into null, which would hide what a reader of the log looks for.
		if (typeof value === "number" && !Number.isFinite(value)) return String(value);
		if (typeof value !== "object" || value === null) return value;
		if (depth >= maskLimits.depth) return "[too deep]";
		try {
			return this.#object(value, depth + 1);
		} catch {
			// A getter or proxy threw: logging must not depend on the value that is logged.
			return "[unreadable]";
		}
	}

	#object(value: object, depth: number): unknown {
		if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[invalid date]" : value.toISOString();
		if (value instanceof URL || value instanceof RegExp) return maskText(String(value));
		if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
		if (Array.isArray(value)) return this.#list(value, value.length, depth);
		if (value instanceof Set) return this.#list(value, value.size, depth);
		if (value instanceof Map) return this.#entries(value, value.size, depth);
		if (value instanceof Headers) return this.#entries(value, 0, depth);
		return this.#record(value, depth);
	}

	#record(value: object, depth: number): unknown {
		const named = Object.keys(value);
		// The properties of an error are not enumerable.
		const keys =
			value instanceof Error ? new Set(["name", "message", "stack", "cause", ...named]) : new Set(named);
		const pairs = keys.values().map((key): [string, unknown] => [key, Reflect.get(value, key)]);
		return this.#entries(pairs, keys.size, depth);
	}

	#list(items: Iterable<unknown>, size: number, depth: number): unknown[] {
		const copy: unknown[] = [];
		for (const item of items) {
			if (copy.length === maskLimits.entries) return [...copy, `[${size - copy.length} more]`];
			copy.push(this.copy(item, depth));
		}
		return copy;
	}

	#entries(entries: Iterable<[unknown, unknown]>, size: number, depth: number): Record<string, unknown> {
		const copy: Record<string, unknown> = {};
		let count = 0;
		for (const [key, value] of entries) {
			if (count === maskLimits.entries) {
				copy["[more]"] = size - count;
				break;
			}
			count++;
			const name = cutUnits(maskSecrets(String(key)), maskLimits.keyLength);
			const copied = isSecret(name, value) ? masked : this.copy(value, depth);
			// defineProperty, because an assignment to __proto__ would set the prototype instead.
			Object.defineProperty(copy, name, {
				value: copied,
				enumerable: true,
				configurable: true,
				writable: true,
			});
		}
		return copy;
	}
}

function isSecret(key: string, value: unknown): boolean {
	const mayHold =
		(typeof value === "string" && value !== "") || (typeof value === "object" && value !== null);
	return mayHold && secretKeys.some((pattern) => pattern.test(key));
}

/** The text is cut after masking: a secret that is cut in two would no longer be recognized. */
function maskText(text: string): string {
	const long = text.length > maskLimits.stringLength;
	const clean = maskSecrets(long ? cutUnits(text, maskLimits.stringInput) : text);
	if (clean.length <= maskLimits.stringLength) return clean;
	return `${cutUnits(clean, maskLimits.stringLength)}…[${text.length} characters]`;
}
