/** Makes data of an extension serializable: a value that JSON cannot represent is replaced by its description. */
import { limits } from "./limits.ts";

/** The same value if it is serializable. */
export function plainData(value: unknown): unknown {
	try {
		JSON.stringify(value);
		return value;
	} catch {
		// A circle, a getter that throws, a BigInt: the copy has the rest.
		return copyOf(value, new Set(), 0);
	}
}

/** Each object once: what is tied together crosswise would be without end otherwise. */
function copyOf(value: unknown, seen: Set<object>, depth: number): unknown {
	if (typeof value === "bigint") return `${value}`;
	if (typeof value !== "object" || value === null) return value;
	if (seen.has(value)) return "[see above]";
	if (depth >= limits.dataDepth) return "[deeper]";
	seen.add(value);
	const part = (key: string | number): unknown => {
		try {
			return copyOf(Reflect.get(value, key), seen, depth + 1);
		} catch (error) {
			return `[${error instanceof Error ? error.name : "unreadable"}]`;
		}
	};
	if (value instanceof Date) return value.toJSON();
	if (Array.isArray(value)) return value.map((_, index) => part(index));
	return Object.fromEntries(Object.keys(value).map((key) => [key, part(key)]));
}
