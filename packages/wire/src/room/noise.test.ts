/** The handshake is Noise as others speak it: the published vector of this very protocol, and keys that must be refused. */
import { expect, test } from "bun:test";

import { CipherKey, GuestHandshake, HostHandshake } from "./noise.ts";
import type { Bytes } from "./bytes.ts";
import type { KeyPair } from "./keys.ts";

/** Noise_NKpsk0_25519_AESGCM_SHA256 of the vectors that cacophony publishes and snow and others run. */
const vector = {
	prologue: "4a6f686e2047616c74",
	psk: "54686973206973206d7920417573747269616e20706572737065637469766521",
	guestEphemeral: "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a",
	hostStatic: "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893",
	hostStaticPublic: "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62",
	hostEphemeral: "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b",
	messages: [
		[
			"4c756477696720766f6e204d69736573",
			"ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944052cffc8d5cdfaed3f9ca0a86c406cf58d24cfc3cec1af5060fd25c4e8a5ac04",
		],
		[
			"4d757272617920526f746862617264",
			"95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843afd57077a1747b71254c19bd798c87ac61a2d4808a30a1372f81b2cb4d85f6",
		],
		["462e20412e20486179656b", "0ed5fabce6ef0ded315c4f213c51ea1e89be89f86c5dc98e50d15d"],
		["4361726c204d656e676572", "ba3cbc8800e6eb1b585269dca0f00fdc21f830eb1a497589215f7f"],
		[
			"4a65616e2d426170746973746520536179",
			"f1205cc05144bce5aad775bc12a7d569bfdd474337cdb03b09ae5478c0cd166eb4",
		],
		[
			"457567656e2042f6686d20766f6e2042617765726b",
			"32b8e77e5be275d093618c2a1fef8b6c4c263b23a39d25cce751015d44a7b4003aa4f66512",
		],
	],
} as const;

const x25519 = { name: "X25519" } as const;

function hex(text: string): Bytes {
	return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function shown(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** WebCrypto reads a private key only as PKCS#8. */
async function pairOf(secret: string): Promise<KeyPair> {
	const pkcs8 = hex(`302e020100300506032b656e04220420${secret}`);
	const base = new Uint8Array(32);
	base[0] = 9;
	const key = await crypto.subtle.importKey("pkcs8", pkcs8, x25519, false, ["deriveBits"]);
	const nine = await crypto.subtle.importKey("raw", base, x25519, false, []);
	return {
		secret: key,
		public: new Uint8Array(await crypto.subtle.deriveBits({ ...x25519, public: nine }, key, 256)),
	};
}

test("the handshake and what follows are those of the published vector, byte for byte", async () => {
	const [first, second, ...transport] = vector.messages;
	const prologue = hex(vector.prologue);
	const psk = hex(vector.psk);
	const host = await pairOf(vector.hostStatic);
	expect(shown(host.public)).toBe(vector.hostStaticPublic);
	const { handshake, message } = await GuestHandshake.begin(
		{ prologue, psk, host: host.public, own: await pairOf(vector.guestEphemeral) },
		hex(first[0]),
	);
	expect(shown(message)).toBe(first[1]);
	const read = await HostHandshake.read({ prologue, psk, host }, message);
	expect(shown(read.payload)).toBe(first[0]);
	const answer = await read.finish(hex(second[0]), await pairOf(vector.hostEphemeral));
	expect(shown(answer.message)).toBe(second[1]);
	const { payload, ciphers } = await handshake.finish(answer.message);
	expect(shown(payload)).toBe(second[0]);
	expect(ciphers.hash).toEqual(answer.ciphers.hash);
	for (const [at, [plain, sealed]] of transport.entries()) {
		const side = at % 2 === 0 ? "up" : "down";
		const counter = BigInt(Math.floor(at / 2));
		const none = new Uint8Array(0);
		expect(shown(await ciphers[side].seal(counter, none, hex(plain)))).toBe(sealed);
		expect(shown(await answer.ciphers[side].open(counter, none, hex(sealed)))).toBe(plain);
	}
});

test("a guest without the secret of the link, and a host with another key, get no further than the first message", async () => {
	const host = await pairOf(vector.hostStatic);
	const other = await pairOf(vector.hostEphemeral);
	const prologue = hex(vector.prologue);
	const psk = hex(vector.psk);
	const wrong = psk.map((byte) => byte ^ 1) as Bytes;
	const { message } = await GuestHandshake.begin({ prologue, psk, host: host.public }, hex("00"));
	expect(HostHandshake.read({ prologue, psk: wrong, host }, message)).rejects.toThrow();
	expect(HostHandshake.read({ prologue, psk, host: other }, message)).rejects.toThrow();
	expect(HostHandshake.read({ prologue: hex("00"), psk, host }, message)).rejects.toThrow();
	expect(HostHandshake.read({ prologue, psk, host }, message.slice(0, 40))).rejects.toThrow("too short");
});

/** Points of low order, as RFC 7748 and Wycheproof list them: the secret that they give is known to everybody. */
const lowOrder = [
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
	"5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

test.each(lowOrder)("a host's key of low order is refused: %s", async (key) => {
	const options = { prologue: hex("00"), psk: hex(vector.psk), host: hex(key) };
	expect(GuestHandshake.begin(options, hex("00"))).rejects.toThrow();
});

test("WebCrypto's X25519 is that of RFC 7748, section 5.2", async () => {
	const { secret } = await pairOf("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4");
	const other = hex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c");
	const key = await crypto.subtle.importKey("raw", other, x25519, false, []);
	const shared = await crypto.subtle.deriveBits({ ...x25519, public: key }, secret, 256);
	expect(shown(new Uint8Array(shared))).toBe(
		"c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
	);
});

/** AES-256-GCM, test cases 13 and 14 of McGrew and Viega, which NIST and Wycheproof have as well. */
test.each([
	["", "530f8afbc74536b9a963b4f1c4cb738b"],
	["00000000000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"],
])("WebCrypto's AES-GCM is that of the vectors: %s", async (plain, sealed) => {
	const key = await CipherKey.of(new Uint8Array(32));
	const none = new Uint8Array(0);
	expect(shown(await key.seal(0n, none, hex(plain)))).toBe(sealed);
	for (const at of hex(sealed).keys()) {
		const changed = hex(sealed);
		changed[at] = (changed[at] ?? 0) ^ 1;
		expect(key.open(0n, none, changed)).rejects.toThrow();
	}
	expect(key.open(1n, none, hex(sealed))).rejects.toThrow();
	expect(key.open(0n, hex("00"), hex(sealed))).rejects.toThrow();
});
