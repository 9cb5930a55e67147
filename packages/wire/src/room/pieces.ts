/** What is inside a sealed message: lines, in pieces where they are long, or a control message of the room. */
import { isRecord } from "@tau/utils/portable";

import { headerBytes } from "../envelope.ts";
import { base64url, concat, fromBase64url, textOf, utf8, type Bytes } from "./bytes.ts";
import { roomLimits as limits } from "./limits.ts";
import { RoomFault, type GroupKey } from "./seal.ts";

const contents = { last: 0, more: 1, control: 2 } as const;
/** The most that sealing adds: type and epoch, a signature, a tag. */
const overhead = headerBytes + 5 + 64 + 16 + 1;

export type Control = Readonly<Record<string, unknown>> & { readonly t: string };

export type Content =
	| { readonly kind: "lines"; readonly lines: readonly string[] }
	| { readonly kind: "control"; readonly control: Control };

export function controlContent(control: Control): Bytes {
	return concat(Uint8Array.of(contents.control), utf8(JSON.stringify(control)));
}

/** One after the other, in this order. Lines contain no line breaks. */
export function lineContents(lines: readonly string[]): Bytes[] {
	const all = utf8(lines.join("\n"));
	const size = limits.relayBytes - overhead;
	const count = Math.max(1, Math.ceil(all.length / size));
	return Array.from({ length: count }, (_, at) =>
		concat(
			Uint8Array.of(at + 1 === count ? contents.last : contents.more),
			all.subarray(at * size, (at + 1) * size),
		),
	);
}

/** The key of an epoch, for a guest: from message `next` to all on. */
export function groupKeyFields({ epoch, bytes }: GroupKey, next: number): object {
	return { epoch, key: base64url(bytes), next };
}

/** Throws a fault where it is none. */
export function readGroupKey({ epoch, key, next }: Control): { key: GroupKey; next: number } {
	const bytes = typeof key === "string" ? fromBase64url(key) : undefined;
	if (bytes?.length !== 32 || typeof epoch !== "number" || typeof next !== "number")
		throw new RoomFault("malformed", "The host sent no key.");
	return { key: { epoch, bytes }, next };
}

/** Puts the pieces together. */
export class ContentReader {
	readonly #most: () => number;
	#pieces: Bytes[] = [];
	#bytes = 0;

	/** `mostBytes`: asked for with each piece, because it depends on what the sender may do by then. */
	constructor(mostBytes: () => number) {
		this.#most = mostBytes;
	}

	/** Of the message whose end is missing. */
	get heldBytes(): number {
		return this.#bytes;
	}

	/** Undefined while pieces are missing. Throws a fault for what no end sends. */
	read(plain: Bytes): Content | undefined {
		const [kind] = plain;
		const rest = plain.subarray(1);
		if (kind === contents.control) return { kind: "control", control: readControl(rest) };
		if (kind !== contents.last && kind !== contents.more)
			throw new RoomFault("malformed", "A message has contents of a kind that is not known.");
		this.#pieces.push(rest);
		this.#bytes += rest.length;
		if (this.#bytes > this.#most()) throw new RoomFault("malformed", "A message is too large.");
		if (kind === contents.more) return undefined;
		const all = concat(...this.#pieces);
		this.reset();
		return { kind: "lines", lines: readText(all).split("\n") };
	}

	/** Pieces are missing: the rest is of no use. */
	reset(): void {
		this.#pieces = [];
		this.#bytes = 0;
	}
}

function readControl(bytes: Bytes): Control {
	let value: unknown;
	try {
		value = JSON.parse(textOf(bytes));
	} catch {
		throw new RoomFault("malformed", "A control message cannot be read.");
	}
	if (!isRecord(value) || typeof value.t !== "string")
		throw new RoomFault("malformed", "A control message cannot be read.");
	return value as Control;
}

function readText(bytes: Bytes): string {
	try {
		return textOf(bytes);
	} catch {
		throw new RoomFault("malformed", "A message is not UTF-8.");
	}
}
