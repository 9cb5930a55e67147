/** Finds and masks secrets in a whole value: every string in it, names of fields included. */
import { isRecord } from "../values.ts";
import { findSecrets, maskFindings, type Finding } from "./find.ts";
import type { KnownSecrets } from "./known.ts";

/** A secret that was found, once for all of its occurrences. */
export interface FoundSecret {
	/** Names it in a list of what to keep. Says nothing about the secret. */
	readonly id: string;
	readonly family: string;
	/** What a user may see of it: its first and last characters. */
	readonly shown: string;
	readonly count: number;
	/** The line around its first occurrence, with the secret itself masked. */
	readonly context: string;
}

export interface MaskResult<T> {
	readonly value: T;
	/** All that were found, also those that are kept. */
	readonly found: readonly FoundSecret[];
}

/** `keep` has the ids of findings that stay. Pictures are passed on as they are: their base64 may contain anything. */
export function maskValue<T>(
	value: T,
	known: KnownSecrets,
	keep: ReadonlySet<string> = new Set(),
): MaskResult<T> {
	const masker = new Masker(known, keep);
	// The copy has the shape of the value: only texts and names of fields change.
	const copy = masker.copy(value) as T;
	return { value: copy, found: masker.found() };
}

class Masker {
	readonly #known: KnownSecrets;
	readonly #keep: ReadonlySet<string>;
	readonly #found = new Map<string, { family: string; shown: string; count: number; context: string }>();
	/** Of each secret: the id that it has in this value, by the order in which it was found. */
	readonly #ids = new Map<string, string>();

	constructor(known: KnownSecrets, keep: ReadonlySet<string>) {
		this.#known = known;
		this.#keep = keep;
	}

	found(): FoundSecret[] {
		return [...this.#found].map(([id, secret]) => ({ id, ...secret }));
	}

	copy(value: unknown): unknown {
		if (typeof value === "string") return this.#text(value);
		if (Array.isArray(value)) return value.map((item) => this.copy(item));
		if (!isRecord(value)) return value;
		const isPicture = typeof value.mimeType === "string" && typeof value.data === "string";
		const copy: Record<string, unknown> = {};
		for (const [key, field] of Object.entries(value)) {
			Object.defineProperty(copy, this.#text(key), {
				value: isPicture && key === "data" ? field : this.copy(field),
				enumerable: true,
				configurable: true,
				writable: true,
			});
		}
		return copy;
	}

	#text(text: string): string {
		const findings = findSecrets(text, this.#known);
		if (findings.length === 0) return text;
		const kept = findings.filter((finding) => !this.#keep.has(this.#note(text, finding, findings)));
		return maskFindings(text, kept);
	}

	#note(text: string, finding: Finding, all: readonly Finding[]): string {
		const secret = text.slice(finding.start, finding.end);
		const id = this.#ids.get(secret) ?? String(this.#ids.size + 1);
		this.#ids.set(secret, id);
		const earlier = this.#found.get(id);
		if (earlier) earlier.count++;
		else
			this.#found.set(id, {
				family: finding.family,
				shown: shownOf(secret, finding),
				count: 1,
				context: contextOf(text, finding, all),
			});
		return id;
	}
}

const contextChars = 60;

function shownOf(secret: string, { replacement, family }: Finding): string {
	return family === "home directory" ? secret : `${replacement} (${secret.length} characters)`;
}

function contextOf(text: string, { start, end }: Finding, all: readonly Finding[]): string {
	const from = Math.max(text.lastIndexOf("\n", start - 1) + 1, start - contextChars);
	const lineEnd = text.indexOf("\n", end);
	const to = Math.min(lineEnd < 0 ? text.length : lineEnd, end + contextChars);
	const inside = all
		.filter((finding) => finding.start < to && finding.end > from)
		.map((finding) => ({
			...finding,
			start: Math.max(0, finding.start - from),
			end: Math.min(to, finding.end) - from,
		}));
	return maskFindings(text.slice(from, to), inside).trim();
}
