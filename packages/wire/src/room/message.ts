/** A message of a room: the header that the relay reads, and a body that it cannot. */
import { headerBytes, readHeader, sealedInto, writeHeader, type Envelope } from "../envelope.ts";
import { concat, fromBase64url, type Bytes } from "./bytes.ts";

export interface Message extends Envelope {
	readonly body: Bytes;
}

/** What a body is; its first byte. */
export const bodyTypes = {
	/** A guest asks for the keys of the host. */
	knock: 1,
	identity: 2,
	/** The two messages of the handshake. */
	begin: 3,
	answer: 4,
	/** Between the host and one guest. */
	pair: 5,
	/** From the host to all. */
	group: 6,
	/** The host does not let this guest in. */
	refused: 7,
} as const;

export function writeMessage({ body, ...envelope }: Message): Bytes {
	return sealedInto(envelope, body);
}

/** Undefined unless it is a message of this version. */
export function readMessage(bytes: Bytes): Message | undefined {
	const envelope = readHeader(bytes);
	return envelope && bytes.length > headerBytes ? { ...envelope, body: bytes.slice(headerBytes) } : undefined;
}

/**
 * What a sealed body is bound to: version, sender, stream, recipient and number (the header), the room, the kind of the
 * body and the epoch. Moved to any other place, it does not open.
 */
export class Binding {
	/** Made once: each message writes its own header and epoch into a copy. */
	readonly #template: Bytes;

	constructor(room: string, type: number) {
		this.#template = concat(
			new Uint8Array(headerBytes),
			fromBase64url(room) ?? new Uint8Array(0),
			Uint8Array.of(type, 0, 0, 0, 0),
		);
	}

	of(envelope: Envelope, epoch = 0): Bytes {
		const bytes = this.#template.slice();
		writeHeader(bytes, envelope);
		if (epoch !== 0) new DataView(bytes.buffer).setUint32(bytes.length - 4, epoch);
		return bytes;
	}
}
