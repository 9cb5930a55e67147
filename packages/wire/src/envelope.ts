/** The header of a room's messages on a relay: who it is from, who it is for, and its number. Browsers use it too. */

/** A message of the host goes down, to one guest or to all; a message of a guest goes up, to the host. */
export type Direction = "down" | "up";

export interface Envelope {
	readonly direction: Direction;
	/** Which life of the host's sending this belongs to: a host process that starts anew takes a greater one. */
	readonly stream: number;
	/** Down: the recipient, "" for everyone. Up: the sender. */
	readonly peer: string;
	/** Rises by one from 1 in each channel, which is a direction and a peer. */
	readonly seq: number;
}

export const envelopeVersion = 1;
export const headerBytes = 20;
const peerOffset = 6;
const peerBytes = 8;
const seqOffset = 14;
/** 2^32, by which a number of six bytes is split into two parts. */
const high = 0x1_0000_0000;

/** A message with its header; the relay passes exactly these bytes on, so that ends can authenticate the header. */
export function sealedInto(envelope: Envelope, payload: Uint8Array): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(headerBytes + payload.length);
	writeHeader(bytes, envelope);
	bytes.set(payload, headerBytes);
	return bytes;
}

export function writeHeader(bytes: Uint8Array, { direction, stream, peer, seq }: Envelope): void {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	view.setUint8(0, envelopeVersion);
	view.setUint8(1, direction === "down" ? 0 : 1);
	view.setUint32(2, stream);
	bytes.fill(0, peerOffset, seqOffset);
	if (peer !== "") bytes.set(Uint8Array.fromBase64(peer, { alphabet: "base64url" }), peerOffset);
	view.setUint16(seqOffset, Math.floor(seq / high));
	view.setUint32(seqOffset + 2, seq % high);
}

/** Undefined unless it is a message of this version with a number. */
export function readHeader(bytes: Uint8Array): Envelope | undefined {
	if (bytes.length < headerBytes || bytes[0] !== envelopeVersion || (bytes[1] ?? 2) > 1) return undefined;
	const seq = readNumber(bytes, seqOffset, 2) * high + readNumber(bytes, seqOffset + 2, 4);
	if (seq === 0) return undefined;
	const isForAll = readNumber(bytes, peerOffset, 4) === 0 && readNumber(bytes, peerOffset + 4, 4) === 0;
	return {
		direction: bytes[1] === 0 ? "down" : "up",
		stream: readNumber(bytes, 2, 4),
		peer: isForAll ? "" : encoded(bytes.slice(peerOffset, peerOffset + peerBytes)),
		seq,
	};
}

/** A `DataView` would make the engine give each message that a relay keeps an `ArrayBuffer` of its own. */
function readNumber(bytes: Uint8Array, from: number, length: number): number {
	let value = 0;
	for (let at = from; at < from + length; at++) value = value * 256 + (bytes[at] ?? 0);
	return value;
}

/** The id of a guest follows from a secret that it keeps, so that every node of a relay knows it again. */
export async function peerOf(secret: Uint8Array<ArrayBuffer>): Promise<string> {
	return encoded(new Uint8Array(await crypto.subtle.digest("SHA-256", secret), 0, peerBytes));
}

/** The id of a room follows from its host's key, so that only this host can open it. */
export async function roomOf(publicKey: Uint8Array<ArrayBuffer>): Promise<string> {
	return encoded(new Uint8Array(await crypto.subtle.digest("SHA-256", publicKey), 0, 16));
}

/** What a host signs to prove its key to a relay. */
export function hostProof(room: string, nonce: string, stream: number): Uint8Array<ArrayBuffer> {
	return new TextEncoder().encode(`tau-relay-host-v1\n${room}\n${nonce}\n${stream}`);
}

function encoded(bytes: Uint8Array): string {
	return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
