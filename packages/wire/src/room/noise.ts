/** The handshake between a guest and a host: Noise_NKpsk0_25519_AESGCM_SHA256 (noiseprotocol.org, revision 34). */
import { concat, sha256, utf8, type Bytes } from "./bytes.ts";
import type { KeyPair } from "./keys.ts";

const name = utf8("Noise_NKpsk0_25519_AESGCM_SHA256");
const keyBytes = 32;
const tagBytes = 16;
const x25519 = { name: "X25519" } as const;
const empty: Bytes = new Uint8Array(0);

/** One direction after the handshake; the number of a message is its nonce. */
export class CipherKey {
	readonly #key: CryptoKey;

	private constructor(key: CryptoKey) {
		this.#key = key;
	}

	static async of(bytes: Bytes): Promise<CipherKey> {
		return new CipherKey(
			await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]),
		);
	}

	async seal(counter: bigint, additionalData: Bytes, plain: Bytes): Promise<Bytes> {
		const parameters = { name: "AES-GCM", iv: nonce(0, counter), additionalData };
		return new Uint8Array(await crypto.subtle.encrypt(parameters, this.#key, plain));
	}

	/** Rejects where it was changed. */
	async open(counter: bigint, additionalData: Bytes, sealed: Bytes): Promise<Bytes> {
		const parameters = { name: "AES-GCM", iv: nonce(0, counter), additionalData };
		return new Uint8Array(await crypto.subtle.decrypt(parameters, this.#key, sealed));
	}
}

/** Four bytes and a counter of eight, big-endian; Noise has zero for the first four. */
export function nonce(first: number, counter: bigint): Bytes {
	const bytes = new Uint8Array(12);
	const view = new DataView(bytes.buffer);
	view.setUint32(0, first);
	view.setBigUint64(4, counter);
	return bytes;
}

/** What both ends have when the handshake is done. */
export interface Ciphers {
	/** From the guest to the host. */
	readonly up: CipherKey;
	readonly down: CipherKey;
	/** Names this handshake: both ends have the same one, and no other handshake has. */
	readonly hash: Bytes;
}

/** The state that both ends mix everything into, as section 5.2 of the specification names it. */
class Symmetric {
	#chaining: Bytes = name;
	hash: Bytes = name;
	#key: CipherKey | undefined;
	#counter = 0n;

	async mixHash(data: Bytes): Promise<void> {
		this.hash = await sha256(this.hash, data);
	}

	async mixKey(input: Bytes): Promise<void> {
		const [chaining, key] = await hkdf(this.#chaining, input, 2);
		this.#chaining = chaining ?? empty;
		await this.#useKey(key ?? empty);
	}

	async mixKeyAndHash(input: Bytes): Promise<void> {
		const [chaining, hashed, key] = await hkdf(this.#chaining, input, 3);
		this.#chaining = chaining ?? empty;
		await this.mixHash(hashed ?? empty);
		await this.#useKey(key ?? empty);
	}

	async encryptAndHash(plain: Bytes): Promise<Bytes> {
		if (!this.#key) throw new Error("The handshake has no key yet.");
		const sealed = await this.#key.seal(this.#counter++, this.hash, plain);
		await this.mixHash(sealed);
		return sealed;
	}

	async decryptAndHash(sealed: Bytes): Promise<Bytes> {
		if (!this.#key) throw new Error("The handshake has no key yet.");
		const plain = await this.#key.open(this.#counter++, this.hash, sealed);
		await this.mixHash(sealed);
		return plain;
	}

	async split(): Promise<Ciphers> {
		const [up, down] = await hkdf(this.#chaining, empty, 2);
		return {
			up: await CipherKey.of(up ?? empty),
			down: await CipherKey.of(down ?? empty),
			hash: this.hash,
		};
	}

	async #useKey(key: Bytes): Promise<void> {
		this.#key = await CipherKey.of(key);
		this.#counter = 0n;
	}
}

async function started(prologue: Bytes, host: Bytes): Promise<Symmetric> {
	const state = new Symmetric();
	await state.mixHash(prologue);
	await state.mixHash(host);
	return state;
}

/** The guest's end: it knows the host's key and the secret of a link. */
export class GuestHandshake {
	readonly #state: Symmetric;
	readonly #own: KeyPair;

	private constructor(state: Symmetric, own: KeyPair) {
		this.#state = state;
		this.#own = own;
	}

	/** Gives the first message with it. `own` is for test vectors. */
	static async begin(
		options: { prologue: Bytes; host: Bytes; psk: Bytes; own?: KeyPair },
		payload: Bytes,
	): Promise<{ handshake: GuestHandshake; message: Bytes }> {
		const { prologue, host, psk, own = await newPair() } = options;
		const state = await started(prologue, host);
		await state.mixKeyAndHash(psk);
		await state.mixHash(own.public);
		await state.mixKey(own.public);
		await state.mixKey(await exchanged(own.secret, host));
		const sealed = await state.encryptAndHash(payload);
		return { handshake: new GuestHandshake(state, own), message: concat(own.public, sealed) };
	}

	/** Takes the host's message. Rejects where it is not an answer to ours. */
	async finish(message: Bytes): Promise<{ payload: Bytes; ciphers: Ciphers }> {
		const { ephemeral, sealed } = parted(message);
		await this.#state.mixHash(ephemeral);
		await this.#state.mixKey(ephemeral);
		await this.#state.mixKey(await exchanged(this.#own.secret, ephemeral));
		const payload = await this.#state.decryptAndHash(sealed);
		return { payload, ciphers: await this.#state.split() };
	}
}

/** The host's end. */
export class HostHandshake {
	readonly #state: Symmetric;
	readonly #ephemeral: Bytes;
	/** What the guest has sent with its first message: anybody could have repeated it. */
	readonly payload: Bytes;

	private constructor(state: Symmetric, ephemeral: Bytes, payload: Bytes) {
		this.#state = state;
		this.#ephemeral = ephemeral;
		this.payload = payload;
	}

	/** Rejects where the guest does not have the secret of the link. */
	static async read(
		options: { prologue: Bytes; host: KeyPair; psk: Bytes },
		message: Bytes,
	): Promise<HostHandshake> {
		const { prologue, host, psk } = options;
		const { ephemeral, sealed } = parted(message);
		const state = await started(prologue, host.public);
		await state.mixKeyAndHash(psk);
		await state.mixHash(ephemeral);
		await state.mixKey(ephemeral);
		await state.mixKey(await exchanged(host.secret, ephemeral));
		return new HostHandshake(state, ephemeral, await state.decryptAndHash(sealed));
	}

	/** `own` is for test vectors. */
	async finish(payload: Bytes, own?: KeyPair): Promise<{ message: Bytes; ciphers: Ciphers }> {
		const pair = own ?? (await newPair());
		await this.#state.mixHash(pair.public);
		await this.#state.mixKey(pair.public);
		await this.#state.mixKey(await exchanged(pair.secret, this.#ephemeral));
		const sealed = await this.#state.encryptAndHash(payload);
		return { message: concat(pair.public, sealed), ciphers: await this.#state.split() };
	}
}

function parted(message: Bytes): { ephemeral: Bytes; sealed: Bytes } {
	if (message.length < keyBytes + tagBytes) throw new Error("A message of the handshake is too short.");
	return { ephemeral: message.slice(0, keyBytes), sealed: message.slice(keyBytes) };
}

async function newPair(): Promise<KeyPair> {
	const pair = (await crypto.subtle.generateKey(x25519, true, ["deriveBits"])) as CryptoKeyPair;
	return {
		secret: pair.privateKey,
		public: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)),
	};
}

/** Rejects where the other key has a low order, which WebCrypto checks. */
async function exchanged(secret: CryptoKey, other: Bytes): Promise<Bytes> {
	const key = await crypto.subtle.importKey("raw", other, x25519, false, []);
	return new Uint8Array(await crypto.subtle.deriveBits({ ...x25519, public: key }, secret, keyBytes * 8));
}

/** The HKDF of Noise: RFC 5869 with the chaining key as salt and no information. */
async function hkdf(chaining: Bytes, input: Bytes, outputs: number): Promise<Bytes[]> {
	const base = await crypto.subtle.importKey("raw", input, "HKDF", false, ["deriveBits"]);
	const parameters = { name: "HKDF", hash: "SHA-256", salt: chaining, info: empty };
	const bits = new Uint8Array(await crypto.subtle.deriveBits(parameters, base, outputs * keyBytes * 8));
	return Array.from({ length: outputs }, (_, at) => bits.slice(at * keyBytes, (at + 1) * keyBytes));
}
