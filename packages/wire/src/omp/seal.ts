/** omp's sealing: one AES-256-GCM key for a room, a random nonce for each frame, and the number of a guest before it. */
import { isRecord } from "@tau/utils/portable";

import { readObject } from "../greeting.ts";
import { base64url, concat, randomBytes, textOf, utf8, type Bytes } from "../room/bytes.ts";
import { fullBytes, viewBytes } from "../room/link.ts";

const prefixBytes = 4;
const nonceBytes = 12;

export interface OmpRoomKeys {
	readonly room: string;
	/** The room's key, and behind it the token that lets its holder write. */
	readonly secret: Bytes;
}

export function newOmpRoom(): OmpRoomKeys {
	return { room: base64url(randomBytes(16)), secret: randomBytes(fullBytes) };
}

/** base64url, as `hello` carries it; undefined in a link for reading only. */
export function writeTokenOf(secret: Bytes): string | undefined {
	return secret.length === fullBytes ? base64url(secret.slice(viewBytes)) : undefined;
}

/** Takes as long wherever the first difference is. */
export function isSameToken(given: unknown, token: string): boolean {
	if (typeof given !== "string" || given.length !== token.length) return false;
	let differs = 0;
	for (let at = 0; at < token.length; at++) differs |= given.charCodeAt(at) ^ token.charCodeAt(at);
	return differs === 0;
}

export interface OpenedFrame {
	/** To the host: who sent it. */
	readonly peer: number;
	readonly frame: Readonly<Record<string, unknown>>;
}

export class OmpSealer {
	readonly #key: CryptoKey;

	private constructor(key: CryptoKey) {
		this.#key = key;
	}

	static async of(secret: Bytes): Promise<OmpSealer> {
		const bytes = secret.slice(0, viewBytes);
		return new OmpSealer(
			await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]),
		);
	}

	/** `peer`: the guest that it is for; 0 for everybody, and from a guest. */
	async seal(peer: number, frame: object): Promise<Bytes> {
		const iv = randomBytes(nonceBytes);
		const prefix = new Uint8Array(prefixBytes);
		new DataView(prefix.buffer).setUint32(0, peer);
		const sealed = await crypto.subtle.encrypt(
			{ name: "AES-GCM", iv },
			this.#key,
			utf8(JSON.stringify(frame)),
		);
		return concat(prefix, iv, new Uint8Array(sealed));
	}

	/** Undefined for what this key did not seal, or is no frame. */
	async open(bytes: Bytes): Promise<OpenedFrame | undefined> {
		if (bytes.length < prefixBytes + nonceBytes) return undefined;
		const peer = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
		const iv = bytes.slice(prefixBytes, prefixBytes + nonceBytes);
		try {
			const sealed = bytes.slice(prefixBytes + nonceBytes);
			const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, this.#key, sealed);
			const frame = readObject(textOf(new Uint8Array(plain)));
			return isRecord(frame) && typeof frame.t === "string" ? { peer, frame } : undefined;
		} catch {
			// A wrong key, or changed bytes; it cannot be told which.
			return undefined;
		}
	}
}
