/** How messages of rooms look on the wire: Tau's own, which pass as they are, and omp's, which get another header. */
import { headerBytes } from "@tau/wire/envelope";

import type { Control, Dialect } from "./member.ts";

export const native: Dialect = {
	name: "v1",
	encode: ({ bytes }) => bytes,
	control: (control) => JSON.stringify(control),
};

/** A number of four bytes, and the sealed payload. */
export const ompHeaderBytes = 4;

export const omp: Dialect = {
	name: "omp",
	encode({ bytes, peer }, member) {
		const message = new Uint8Array(ompHeaderBytes + bytes.length - headerBytes);
		message.set(bytes.subarray(headerBytes), ompHeaderBytes);
		// A guest always sees 0, the host the number of the sender.
		new DataView(message.buffer).setUint32(0, member.peer === "" ? ompNumber(peer) : 0);
		return message;
	},
	control: ompControl,
};

function ompControl(control: Control): string | undefined {
	if (control.t === "room-closed") return JSON.stringify(control);
	if (control.t === "peer-joined" || control.t === "peer-left")
		return JSON.stringify({ t: control.t, peer: ompNumber(control.peer) });
	return undefined;
}

/** omp's numbers are kept as ids of eight bytes, so that a room works the same in both dialects. */
export function ompPeer(number: number): string {
	const bytes = new Uint8Array(8);
	new DataView(bytes.buffer).setUint32(4, number);
	return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function ompNumber(peer: string): number {
	return Buffer.from(peer, "base64url").readUInt32BE(4);
}
