/** JSON that arrives in pieces: what each piece has changed, and the value so far as one that never changes again. */
import { IncrementalJson } from "@tau/ai";

type Key = string | number;

type JsonChange =
	| { readonly kind: "set"; readonly path: readonly Key[]; readonly value: unknown }
	| { readonly kind: "append"; readonly path: readonly Key[]; readonly text: string };

/** What was reported of the newest value at a depth: JSON grows only at its end. */
type Mark = { holder: object; count: number } | { value: unknown };

export class StreamingJsonParser {
	readonly #json = new IncrementalJson();
	readonly #marks: Mark[] = [];
	#snapshot: { value: unknown } | undefined;

	/** A container is reported empty, then its content; a string with its first text, then the additions. */
	append(text: string): readonly JsonChange[] {
		this.#json.push(text);
		const changes: JsonChange[] = [];
		const { value } = this.#json;
		if (value !== undefined) this.#emit(value, [], changes);
		if (changes.length > 0) this.#snapshot = undefined;
		return changes;
	}

	/** Undefined before a value starts. */
	snapshot(): unknown {
		this.#snapshot ??= { value: this.#copy(this.#json.value, 0) };
		return this.#snapshot.value;
	}

	#emit(value: unknown, path: readonly Key[], changes: JsonChange[]): void {
		if (isContainer(value)) return this.#emitInside(value, path, changes);
		const known = this.#marks[path.length];
		const before = known && "value" in known ? known.value : undefined;
		if (before === value) return;
		if (typeof before === "string" && typeof value === "string")
			changes.push({ kind: "append", path, text: value.slice(before.length) });
		else changes.push({ kind: "set", path, value });
		this.#marks[path.length] = { value };
	}

	#emitInside(value: object, path: readonly Key[], changes: JsonChange[]): void {
		const depth = path.length;
		const known = this.#marks[depth];
		let mark = known && "holder" in known && known.holder === value ? known : undefined;
		if (!mark) {
			mark = { holder: value, count: 0 };
			this.#marks.splice(depth, Number.POSITIVE_INFINITY, mark);
			changes.push({ kind: "set", path, value: Array.isArray(value) ? [] : {} });
		}
		const keys = keysOf(value);
		// The last reported one may have grown since.
		for (let at = Math.max(0, mark.count - 1); at < keys.length; at++) {
			const key = keys[at] ?? 0;
			if (at >= mark.count) this.#marks.length = depth + 1;
			this.#emit(Reflect.get(value, key), [...path, key], changes);
		}
		mark.count = keys.length;
	}

	/** What is finished is shared; what is still open is copied. */
	#copy(value: unknown, depth: number): unknown {
		const mark = this.#marks[depth];
		if (!isContainer(value) || !mark || !("holder" in mark) || mark.holder !== value) return value;
		const last = keysOf(value).at(-1);
		const copy: object = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
		if (last !== undefined) Reflect.set(copy, last, this.#copy(Reflect.get(value, last), depth + 1));
		return copy;
	}
}

function isContainer(value: unknown): value is object {
	return typeof value === "object" && value !== null;
}

function keysOf(value: object): readonly Key[] {
	return Array.isArray(value) ? [...value.keys()] : Object.keys(value);
}
