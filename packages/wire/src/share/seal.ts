/**
 * Seals a document for a server that cannot read it: zstd, then AES-256-GCM with a key that is only in the link.
 * The bytes: `TAUS`, the version, 12 bytes of nonce, the ciphertext with its tag. Runs in browsers.
 */
import { Decompress } from "fzstd";

import { base64url, concat, fromBase64url, randomBytes, utf8, type Bytes } from "../room/bytes.ts";
import { parseDocument, ShareError, type ShareDocument } from "./document.ts";
import { shareLimits as limits } from "./limits.ts";

const version = 1;
const head: Bytes = concat(utf8("TAUS"), new Uint8Array([version]));
const nonceBytes = 12;
const keyBytes = 32;
const tagBytes = 16;

export interface SealedShare {
	readonly bytes: Bytes;
	/** As it is in the fragment of the link. */
	readonly key: string;
}

/** `packed` is the JSON of the document, compressed with zstd: compressing is the host's work. */
export async function sealShare(packed: Bytes): Promise<SealedShare> {
	const key = randomBytes(keyBytes);
	const nonce = randomBytes(nonceBytes);
	const secret = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
	const sealed = await crypto.subtle.encrypt(
		{ name: "AES-GCM", iv: nonce, additionalData: head },
		secret,
		packed,
	);
	return { bytes: concat(head, nonce, new Uint8Array(sealed)), key: base64url(key) };
}

/** Throws a `ShareError` that says what is wrong: the key, the bytes, or the version. */
export async function openShare(bytes: Bytes, key: string): Promise<ShareDocument> {
	if (bytes.length > limits.sealedBytes) throw new ShareError("This share is larger than 20 MB.");
	if (!head.subarray(0, 4).every((byte, at) => bytes[at] === byte))
		throw new ShareError("This is not a share of Tau.");
	const made = bytes[4] ?? 0;
	if (made > version)
		throw new ShareError(
			`This share was sealed by a newer version of Tau (${made}, known: ${version}). Update Tau to open it.`,
		);
	if (bytes.length < head.length + nonceBytes + tagBytes)
		throw new ShareError("This share is damaged: its end is missing.");
	const secret = fromBase64url(key);
	if (secret?.length !== keyBytes)
		throw new ShareError(
			"The link has no valid key after the #. Copy the whole link, with everything after the #.",
		);
	return parseDocument(new TextDecoder().decode(unpacked(await opened(bytes, secret))));
}

async function opened(bytes: Bytes, key: Bytes): Promise<Uint8Array> {
	const secret = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
	const nonce = bytes.slice(head.length, head.length + nonceBytes);
	const sealed = bytes.slice(head.length + nonceBytes);
	try {
		return new Uint8Array(
			await crypto.subtle.decrypt({ name: "AES-GCM", iv: nonce, additionalData: head }, secret, sealed),
		);
	} catch {
		throw new ShareError(
			"The share cannot be opened: the key is wrong, or the share was changed or cut off.",
		);
	}
}

/** In pieces, so that a bomb is refused before it has taken the memory. */
function unpacked(packed: Uint8Array): Uint8Array {
	const parts: Uint8Array[] = [];
	let size = 0;
	const stream = new Decompress((part) => {
		size += part.length;
		if (size > limits.documentBytes)
			throw new ShareError("This share is refused: it unpacks to more than 256 MB.");
		parts.push(part.slice());
	});
	try {
		for (let at = 0; at < packed.length; at += pieceBytes)
			stream.push(packed.subarray(at, at + pieceBytes), at + pieceBytes >= packed.length);
	} catch (error) {
		if (error instanceof ShareError) throw error;
		throw new ShareError("This share is damaged: it cannot be unpacked.");
	}
	return concat(...parts);
}

const pieceBytes = 64 * 1024;
