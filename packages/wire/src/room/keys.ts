/** The identity of a room, and what the secret of a link is good for. */
import { roomOf } from "../envelope.ts";
import { base64url, concat, fromBase64url, utf8, type Bytes } from "./bytes.ts";

const ed25519 = { name: "Ed25519" } as const;
const x25519 = { name: "X25519" } as const;

/** What everybody may know of a room's host. */
export interface RoomKeys {
	/** Ed25519: signs what is for all. */
	readonly signing: Bytes;
	/** X25519: guests begin their handshake with it. */
	readonly exchange: Bytes;
}

/** The host's own keys; they stay on its machine. */
export interface RoomIdentity {
	readonly id: string;
	readonly keys: RoomKeys;
	readonly signer: CryptoKey;
	readonly exchange: KeyPair;
}

/** A pair for X25519. */
export interface KeyPair {
	readonly secret: CryptoKey;
	readonly public: Bytes;
}

/** As a file keeps it; private keys are PKCS#8. */
export interface StoredIdentity {
	readonly signing: string;
	readonly signingPublic: string;
	readonly exchange: string;
	readonly exchangePublic: string;
}

const exchangeTag = utf8("tau room v1 exchange key");

/** What a host tells everybody who asks: both keys, the second one signed with the first. */
export async function identityCard({ keys, signer }: RoomIdentity): Promise<Bytes> {
	return concat(keys.signing, keys.exchange, await sign(signer, exchangeTag, keys.exchange));
}

/** Undefined where the keys are not those of the room. */
export async function readIdentityCard(room: string, card: Bytes): Promise<RoomKeys | undefined> {
	if (card.length !== 128) return undefined;
	const [signing, exchange, signature] = [card.slice(0, 32), card.slice(32, 64), card.slice(64)];
	if ((await roomOf(signing)) !== room) return undefined;
	const isOwn = await isSigned(await verifier(signing), signature, exchangeTag, exchange);
	return isOwn ? { signing, exchange } : undefined;
}

export async function newIdentity(): Promise<{ identity: RoomIdentity; stored: StoredIdentity }> {
	const signing = (await crypto.subtle.generateKey(ed25519, true, ["sign", "verify"])) as CryptoKeyPair;
	const exchange = (await crypto.subtle.generateKey(x25519, true, ["deriveBits"])) as CryptoKeyPair;
	const stored: StoredIdentity = {
		signing: await exported("pkcs8", signing.privateKey),
		signingPublic: await exported("raw", signing.publicKey),
		exchange: await exported("pkcs8", exchange.privateKey),
		exchangePublic: await exported("raw", exchange.publicKey),
	};
	return { identity: await readIdentity(stored), stored };
}

/** Rejects where it is not what `newIdentity` made. */
export async function readIdentity(stored: StoredIdentity): Promise<RoomIdentity> {
	const [signing, signingPublic, secret, publicKey] = [
		stored.signing,
		stored.signingPublic,
		stored.exchange,
		stored.exchangePublic,
	].map((text) => {
		const bytes = fromBase64url(text);
		if (!bytes) throw new Error("The keys of the room cannot be read.");
		return bytes;
	});
	if (!signing || !signingPublic || !secret || !publicKey)
		throw new Error("The keys of the room cannot be read.");
	const keys: RoomKeys = { signing: signingPublic, exchange: publicKey };
	return {
		id: await roomOf(signingPublic),
		keys,
		signer: await crypto.subtle.importKey("pkcs8", signing, ed25519, false, ["sign"]),
		exchange: {
			secret: await crypto.subtle.importKey("pkcs8", secret, x25519, false, ["deriveBits"]),
			public: publicKey,
		},
	};
}

export async function verifier(signing: Bytes): Promise<CryptoKey> {
	return await crypto.subtle.importKey("raw", signing, ed25519, false, ["verify"]);
}

export async function sign(signer: CryptoKey, ...parts: readonly Uint8Array[]): Promise<Bytes> {
	return new Uint8Array(await crypto.subtle.sign(ed25519, signer, concat(...parts)));
}

export async function isSigned(
	key: CryptoKey,
	signature: Bytes,
	...parts: readonly Uint8Array[]
): Promise<boolean> {
	return await crypto.subtle.verify(ed25519, key, signature, concat(...parts));
}

/** What both ends make of the secret of a link: a name that may be seen, and a key that never travels. */
export interface LinkKeys {
	readonly id: string;
	readonly psk: Bytes;
}

export async function linkKeys(room: string, secret: Bytes): Promise<LinkKeys> {
	const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
	const derive = async (info: string, bytes: number): Promise<Bytes> =>
		new Uint8Array(
			await crypto.subtle.deriveBits(
				{ name: "HKDF", hash: "SHA-256", salt: utf8(`tau room v1 ${room}`), info: utf8(info) },
				base,
				bytes * 8,
			),
		);
	return { id: base64url(await derive("link id", 9)), psk: await derive("link psk", 32) };
}

async function exported(format: "pkcs8" | "raw", key: CryptoKey): Promise<string> {
	return base64url(new Uint8Array(await crypto.subtle.exportKey(format, key)));
}
