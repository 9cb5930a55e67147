/** Push messages are what browsers and their services expect, and say nothing of the conversation. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { encryptFor } from "./encrypt.ts";
import { Pusher } from "./pusher.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-push-"));
afterAll(() => rmSync(directory, { recursive: true }));

const curve = { name: "ECDH", namedCurve: "P-256" } as const;
const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "base64url"));

/** From the raw numbers, as the RFC has them. */
async function pair(publicKey: string, d: string): Promise<CryptoKeyPair> {
	const point = Buffer.from(publicKey, "base64url");
	const x = point.subarray(1, 33).toString("base64url");
	const y = point.subarray(33).toString("base64url");
	const jwk = { kty: "EC", crv: "P-256", x, y };
	return {
		publicKey: await crypto.subtle.importKey("jwk", jwk, curve, true, []),
		privateKey: await crypto.subtle.importKey("jwk", { ...jwk, d }, curve, true, ["deriveBits"]),
	};
}

test("the example of RFC 8291 is sealed byte for byte", async () => {
	const keys = await pair(
		"BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
		"yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
	);
	const sealed = await encryptFor(
		{
			p256dh: bytes(
				"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
			),
			auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
		},
		"When I grow up, I want to be a watermelon",
		{ salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"), keys },
	);
	expect(Buffer.from(sealed).toString("base64url")).toBe(
		"DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
	);
});

/** A browser, and the service of its vendor, which answers with this status. */
async function playedBrowser(name: string, status = 201) {
	const keys = await crypto.subtle.generateKey(curve, true, ["deriveBits"]);
	const auth = crypto.getRandomValues(new Uint8Array(16));
	const p256dh = Buffer.from(await crypto.subtle.exportKey("raw", keys.publicKey)).toString("base64url");
	const endpoint = `https://push.example.com/${name}`;
	const subscription = { endpoint, keys: { p256dh, auth: Buffer.from(auth).toString("base64url") } };
	return { endpoint, subscription, status, keys, auth };
}

test("a browser opens what it was sent, signed for its service; one that is gone is forgotten", async () => {
	const file = join(directory, "push.json");
	const sent: { url: string; headers: Headers; body: Uint8Array }[] = [];
	const [here, gone] = await Promise.all([playedBrowser("here"), playedBrowser("gone", 410)]);
	using service = Bun.serve({
		port: 0,
		async fetch(request) {
			const { pathname } = new URL(request.url);
			sent.push({ url: pathname, headers: request.headers, body: await request.bytes() });
			return new Response(null, { status: pathname === "/gone" ? gone.status : here.status });
		},
	});
	const send = (url: string, init: RequestInit): Promise<Response> =>
		fetch(new URL(new URL(url).pathname, service.url), init);
	const pusher = new Pusher({ file, send });
	expect(await pusher.isWanted()).toBe(false);
	const publicKey = await pusher.publicKey();
	await pusher.add(here.subscription);
	await pusher.add(gone.subscription);
	expect(statSync(file).mode & 0o777).toBe(0o600);
	await pusher.send({ kind: "waiting", session: "abc" });
	expect(sent.map(({ url }) => url).toSorted()).toEqual(["/gone", "/here"]);
	const message = sent.find(({ url }) => url === "/here");
	expect(await opened(message?.body ?? new Uint8Array(), here)).toEqual({ kind: "waiting", session: "abc" });
	expect(message?.headers.get("content-encoding")).toBe("aes128gcm");
	expect(Number(message?.headers.get("ttl"))).toBeGreaterThan(0);
	await expectSigned(message?.headers.get("authorization") ?? "", publicKey, "https://push.example.com");
	await pusher.send({ kind: "ended", session: "abc" });
	expect(sent.slice(2).map(({ url }) => url)).toEqual(["/here"]);
	// The key stays: browsers are bound to it.
	expect(await new Pusher({ file, send }).publicKey()).toBe(publicKey);
	await pusher.remove(here.endpoint);
	expect(JSON.parse(readFileSync(file, "utf8")).subscriptions).toEqual([]);
	expect(await pusher.isWanted()).toBe(false);
});

test("what is no subscription, and addresses of this machine or network, are refused", async () => {
	const pusher = new Pusher({
		file: join(directory, "refused.json"),
		send: () => Promise.reject(new Error("sent")),
	});
	const { subscription } = await playedBrowser("x");
	const bad = [
		null,
		{},
		{ ...subscription, keys: {} },
		{ ...subscription, keys: { p256dh: "AAAA", auth: "AAAA" } },
		...[
			"http://push.example.com/x",
			"https://127.0.0.1/x",
			"https://localhost/x",
			"https://[::1]/x",
			"https://printer.local/x",
			"https://10.0.0.1/x",
			"https://push.example.com:8443/x",
			"file:///etc/passwd",
		].map((endpoint) => ({ ...subscription, endpoint })),
	];
	for (const value of bad) expect(pusher.add(value)).rejects.toThrow("not a push subscription");
	await pusher.add(subscription);
	// A service that cannot be reached costs the message.
	await pusher.send({ kind: "ended", session: "abc" });
});

type Browser = Awaited<ReturnType<typeof playedBrowser>>;

/** As a browser does it. */
async function opened(body: Uint8Array, { keys, auth }: Browser): Promise<unknown> {
	const salt = new Uint8Array(body.subarray(0, 16));
	const length = body[20] ?? 0;
	const theirs = new Uint8Array(body.subarray(21, 21 + length));
	const sealed = new Uint8Array(body.subarray(21 + length));
	const sender = await crypto.subtle.importKey("raw", theirs, curve, false, []);
	const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: sender }, keys.privateKey, 256);
	const own = new Uint8Array(await crypto.subtle.exportKey("raw", keys.publicKey));
	const derive = async (
		secret: ArrayBuffer,
		from: Uint8Array<ArrayBuffer>,
		info: Buffer,
		size: number,
	): Promise<ArrayBuffer> => {
		const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
		const how = { name: "HKDF", hash: "SHA-256", salt: from, info: new Uint8Array(info) };
		return await crypto.subtle.deriveBits(how, key, size * 8);
	};
	const material = await derive(
		shared,
		auth,
		Buffer.concat([Buffer.from("WebPush: info\0"), own, theirs]),
		32,
	);
	const key = await derive(material, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
	const iv = await derive(material, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
	const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
	const plain = Buffer.from(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, aes, sealed));
	return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString());
}

async function expectSigned(header: string, publicKey: string, audience: string): Promise<void> {
	const [, token = "", key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? [];
	expect(key).toBe(publicKey);
	const [head = "", claims = "", signature = ""] = token.split(".");
	const said = JSON.parse(Buffer.from(claims, "base64url").toString());
	expect(said).toMatchObject({ aud: audience, sub: expect.stringMatching(/^https:/) });
	expect(said.exp - Date.now() / 1000).toBeLessThan(24 * 60 * 60);
	const how = { name: "ECDSA", namedCurve: "P-256" };
	const verifier = await crypto.subtle.importKey("raw", bytes(publicKey), how, false, ["verify"]);
	const isSigned = await crypto.subtle.verify(
		{ name: "ECDSA", hash: "SHA-256" },
		verifier,
		bytes(signature),
		new TextEncoder().encode(`${head}.${claims}`),
	);
	expect(isSigned).toBe(true);
}
