/** Seals a message for one browser, so that the push service in between cannot read it (RFC 8291, RFC 8188). */

/** The keys of a subscription, as browsers give them. */
export interface PushKeys {
	/** The public key of the browser, uncompressed. */
	readonly p256dh: Uint8Array<ArrayBuffer>;
	/** A secret that only the browser and we have. */
	readonly auth: Uint8Array<ArrayBuffer>;
}

/** What is random in a message; given in tests with the vectors of the RFC. */
export interface MessageSecrets {
	readonly salt: Uint8Array<ArrayBuffer>;
	readonly keys: CryptoKeyPair;
}

const curve = { name: "ECDH", namedCurve: "P-256" } as const;
/** One record: a push service takes at most 4096 bytes. */
const recordBytes = 4096;
/** Marks the last record. */
const lastRecord = 2;
const text = new TextEncoder();

export async function encryptFor(
	{ p256dh, auth }: PushKeys,
	message: string,
	secrets?: MessageSecrets,
): Promise<Uint8Array<ArrayBuffer>> {
	const { salt, keys } = secrets ?? (await freshSecrets());
	const theirs = await crypto.subtle.importKey("raw", p256dh, curve, false, []);
	const ours = new Uint8Array(await crypto.subtle.exportKey("raw", keys.publicKey));
	const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: theirs }, keys.privateKey, 256);
	const info = joined(text.encode("WebPush: info\0"), p256dh, ours);
	const material = await derived(new Uint8Array(shared), auth, info, 32);
	const key = await derived(material, salt, text.encode("Content-Encoding: aes128gcm\0"), 16);
	const nonce = await derived(material, salt, text.encode("Content-Encoding: nonce\0"), 12);
	const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
	const plain = joined(text.encode(message), new Uint8Array([lastRecord]));
	const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, aes, plain);
	const head = new Uint8Array(5);
	new DataView(head.buffer).setUint32(0, recordBytes);
	head[4] = ours.length;
	return joined(salt, head, ours, new Uint8Array(sealed));
}

async function freshSecrets(): Promise<MessageSecrets> {
	const keys = await crypto.subtle.generateKey(curve, true, ["deriveBits"]);
	return { salt: crypto.getRandomValues(new Uint8Array(16)), keys };
}

async function derived(
	secret: Uint8Array<ArrayBuffer>,
	salt: Uint8Array<ArrayBuffer>,
	info: Uint8Array<ArrayBuffer>,
	bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
	const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
	const bits = await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bytes * 8);
	return new Uint8Array(bits);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all;
}
