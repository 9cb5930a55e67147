/** Notifications: signed by the relay, sealed by the host, and sent to push services alone. */
import { expect, test } from "bun:test";

import { TestHost } from "../../../test/support/relay/ends.ts";
import { startRelay } from "./server.ts";

const key = Buffer.alloc(32, 7).toString("base64url");
const contact = "mailto:relay@example.com";

test("a host's notification reaches the push service, signed with the key that browsers subscribe with", async () => {
	const requests: { headers: Headers; body: Uint8Array }[] = [];
	await using service = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			requests.push({ headers: request.headers, body: await request.bytes() });
			return new Response(null, { status: 201 });
		},
	});
	await using relay = await startRelay({
		bind: "127.0.0.1:0",
		push: { key, contact, isService: () => true },
	});
	const { key: publicKey } = (await (await fetch(`${relay.url}/push/key`)).json()) as { key: string };
	using host = await TestHost.create({ nodes: [relay.url] });
	host.connect();
	await host.joined();
	const endpoint = `http://127.0.0.1:${service.port}/subscription`;
	host.control({
		t: "push",
		endpoint,
		ttl: 30,
		urgency: "high",
		body: Buffer.from("sealed").toString("base64url"),
	});
	await host.until(() => host.controls.at(-1)?.t === "pushed", "the answer");
	expect(host.controls.at(-1)).toEqual({ t: "pushed", endpoint, status: 201 });
	const [request] = requests;
	expect(new TextDecoder().decode(request?.body)).toBe("sealed");
	expect(request?.headers.get("content-encoding")).toBe("aes128gcm");
	expect([request?.headers.get("ttl"), request?.headers.get("urgency")]).toEqual(["30", "high"]);
	const [, token = "", k] =
		/^vapid t=(\S+), k=(\S+)$/.exec(request?.headers.get("authorization") ?? "") ?? [];
	expect(k).toBe(publicKey);
	const [header, claims, signature = ""] = token.split(".");
	const verifying = await crypto.subtle.importKey(
		"raw",
		Buffer.from(publicKey, "base64url"),
		{ name: "ECDSA", namedCurve: "P-256" },
		false,
		["verify"],
	);
	const signed = new TextEncoder().encode(`${header}.${claims}`);
	const algorithm = { name: "ECDSA", hash: "SHA-256" };
	expect(await crypto.subtle.verify(algorithm, verifying, Buffer.from(signature, "base64url"), signed)).toBe(
		true,
	);
	expect(JSON.parse(Buffer.from(claims ?? "", "base64url").toString())).toMatchObject({
		aud: `http://127.0.0.1:${service.port}`,
		sub: contact,
	});
});

test("a host cannot use the relay to reach other addresses, or flood a push service", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0", push: { key, contact } });
	using host = await TestHost.create({ nodes: [relay.url] });
	host.connect();
	await host.joined();
	const others = [
		"http://127.0.0.1/",
		"https://169.254.169.254/",
		"https://fcm.googleapis.com.evil.example/",
		"nonsense",
	];
	for (const endpoint of others) host.control({ t: "push", endpoint });
	await host.until(
		() => host.controls.filter(({ t }) => t === "pushed").length === others.length,
		"the answers",
	);
	expect(host.controls.filter(({ t }) => t === "pushed").map(({ status }) => status)).toEqual([
		400, 400, 400, 400,
	]);
});

test("a relay without a key says that it forwards nothing", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0" });
	expect((await fetch(`${relay.url}/push/key`)).status).toBe(404);
	await expect(startRelay({ bind: "127.0.0.1:0", push: { key: "short", contact } })).rejects.toThrow(
		"TAU_RELAY_VAPID",
	);
});
