/** The relay as a web server: pages, health, shares, addresses, proxies. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { TestHost } from "../../../test/support/relay/ends.ts";
import { TestNode } from "../../../test/support/relay/nodes.ts";
import { parseBinding, TrustedProxies } from "./address.ts";
import { AddressBuckets } from "./buckets.ts";
import { allowances, limits } from "./limits.ts";
import { relayOptions } from "./options.ts";
import { startRelay } from "./server.ts";

// They wait for programs and servers: five seconds are too few on a busy machine.
setDefaultTimeout(60_000);

function temporary(): { path: string } & Disposable {
	const directory = mkdtempSync(join(tmpdir(), "tau-relay-test-"));
	return { path: directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Stands for the client of browsers. */
async function page(_: Request, path: string): Promise<Response | undefined> {
	return path === "/" || path.startsWith("/s/") ? new Response("the client") : undefined;
}

test("a relay serves a page, its health and its counters", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0", page });
	expect(await (await fetch(relay.url)).text()).toBe("the client");
	expect((await fetch(`${relay.url}/healthz`)).status).toBe(200);
	expect((await fetch(`${relay.url}/readyz`)).status).toBe(200);
	const metrics = await (await fetch(`${relay.url}/metrics`)).text();
	expect(metrics).toContain("# TYPE tau_relay_deliveries_total counter\ntau_relay_deliveries_total 0\n");
	expect(metrics).toContain("tau_relay_rooms 0\n");
	const statuses = [
		"/nothing",
		"/r/short?role=host",
		"/r/long-enough-id?role=thief",
		"/r/long-enough-id?role=host",
	];
	const answers = await Promise.all(statuses.map(async (path) => (await fetch(relay.url + path)).status));
	expect(answers).toEqual([404, 400, 400, 426]);
});

test("a relay that drains says so, and takes no new members", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0", drainMs: 0 });
	await relay.drain();
	expect((await fetch(`${relay.url}/readyz`)).status).toBe(503);
	expect((await fetch(`${relay.url}/healthz`)).status).toBe(200);
	expect((await fetch(`${relay.url}/r/long-enough-id?role=host`)).status).toBe(503);
});

test("a share is stored, read, and deleted with its token alone", async () => {
	using directory = temporary();
	await using relay = await startRelay({ bind: "127.0.0.1:0", shares: directory.path, page });
	const blob = crypto.getRandomValues(new Uint8Array(50_000));
	const stored = await fetch(`${relay.url}/s?ttl=3600`, { method: "POST", body: blob });
	expect(stored.status).toBe(201);
	const { id, url, deleteToken, size } = (await stored.json()) as Record<string, string>;
	expect({ url, size: Number(size) }).toEqual({ url: `${relay.url}/s/${id}`, size: blob.length });
	expect(await (await fetch(`${url}/raw`)).bytes()).toEqual(blob);
	expect(await (await fetch(url ?? "")).text()).toBe("the client");
	const remove = (token: string): Promise<Response> =>
		fetch(url ?? "", { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
	expect((await remove("wrong")).status).toBe(403);
	expect((await remove(deleteToken ?? "")).status).toBe(204);
	expect((await fetch(`${url}/raw`)).status).toBe(404);
	expect((await remove(deleteToken ?? "")).status).toBe(404);
	expect(readdirSync(directory.path)).toEqual([]);
});

test("a share that has expired is gone", async () => {
	using directory = temporary();
	await using relay = await startRelay({ bind: "127.0.0.1:0", shares: directory.path });
	const expired = new Uint8Array(100);
	new DataView(expired.buffer).setBigUint64(0, BigInt(Date.now() - 1000));
	const id = "A".repeat(22);
	writeFileSync(join(directory.path, id), expired);
	expect((await fetch(`${relay.url}/s/${id}/raw`)).status).toBe(404);
});

test("shares that are too large, empty, too long-lived or without a store are refused", async () => {
	using directory = temporary();
	await using relay = await startRelay({ bind: "127.0.0.1:0", shares: directory.path });
	await using bare = await startRelay({ bind: "127.0.0.1:0" });
	const post = async (url: string, body: Uint8Array<ArrayBuffer>): Promise<number> =>
		(await fetch(url, { method: "POST", body })).status;
	expect(await post(`${relay.url}/s`, new Uint8Array(limits.share.bytes + 1))).toBe(413);
	expect(await post(`${relay.url}/s`, new Uint8Array())).toBe(400);
	expect(await post(`${relay.url}/s?ttl=999999999`, new Uint8Array(1))).toBe(400);
	expect(await post(`${bare.url}/s`, new Uint8Array(1))).toBe(404);
	expect((await fetch(`${relay.url}/s/../../etc/passwd/raw`)).status).toBe(404);
	expect(readdirSync(directory.path)).toEqual([]);
});

test("shares are kept in a bucket as well", async () => {
	const objects = new Map<string, Blob>();
	await using bucket = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const { pathname } = new URL(request.url);
			if (request.method === "PUT") objects.set(pathname, await request.blob());
			const object = objects.get(pathname);
			if (request.method === "DELETE") objects.delete(pathname);
			if (!object) return new Response(null, { status: 404 });
			const [, from = "0", to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get("range") ?? "") ?? [];
			const part = object.slice(Number(from), to ? Number(to) + 1 : undefined);
			return new Response(request.method === "GET" ? part : null, {
				status: request.headers.has("range") ? 206 : 200,
			});
		},
	});
	await using node = await TestNode.start({
		TAU_RELAY_SHARES: "s3://shares/relay",
		S3_ENDPOINT: `http://127.0.0.1:${bucket.port}`,
		S3_ACCESS_KEY_ID: "id",
		S3_SECRET_ACCESS_KEY: "secret",
	});
	const blob = crypto.getRandomValues(new Uint8Array(5000));
	const stored = await fetch(`${node.url}/s`, { method: "POST", body: blob });
	const { id, url, deleteToken } = (await stored.json()) as Record<string, string>;
	expect([...objects.keys()]).toEqual([`/shares/relay/${id}`]);
	expect(await (await fetch(`${url}/raw`)).bytes()).toEqual(blob);
	const headers = { authorization: `Bearer ${deleteToken}` };
	expect((await fetch(url ?? "", { method: "DELETE", headers })).status).toBe(204);
	expect((await fetch(`${url}/raw`)).status).toBe(404);
	expect(objects.size).toBe(0);
});

test("a relay listens on a Unix socket", async () => {
	using directory = temporary();
	const path = join(directory.path, "relay.sock");
	await using relay = await startRelay({ bind: path });
	expect(relay.url).toBe(path);
	expect((await fetch("http://relay/healthz", { unix: path })).status).toBe(200);
});

test("addresses to listen on are read as the specification says", () => {
	expect(parseBinding("7475")).toEqual({ hostname: "127.0.0.1", port: 7475 });
	expect(parseBinding("0.0.0.0:80")).toEqual({ hostname: "0.0.0.0", port: 80 });
	expect(parseBinding("[::1]:80")).toEqual({ hostname: "::1", port: 80 });
	expect(parseBinding("/run/relay.sock")).toEqual({ unix: "/run/relay.sock" });
	for (const wrong of ["", "host", "host:port", "1:99999"])
		expect(() => parseBinding(wrong)).toThrow("Cannot listen on");
});

test("only listed proxies say whom they ask for", () => {
	const proxies = new TrustedProxies(["10.0.0.0/8", "unix"]);
	const asked = (forwarded: string): Request =>
		new Request("http://relay/", { headers: { "x-forwarded-for": forwarded } });
	expect(proxies.clientOf(asked("1.2.3.4"), "10.1.1.1")).toBe("1.2.3.4");
	expect(proxies.clientOf(asked("6.6.6.6, 1.2.3.4, 10.2.2.2"), "10.1.1.1")).toBe("1.2.3.4");
	expect(proxies.clientOf(asked("6.6.6.6"), "9.9.9.9")).toBe("9.9.9.9");
	expect(proxies.clientOf(asked("rubbish"), "10.1.1.1")).toBe("10.1.1.1");
	expect(proxies.clientOf(asked("1.2.3.4"), undefined)).toBe("1.2.3.4");
	expect(new TrustedProxies([]).clientOf(asked("1.2.3.4"), undefined)).toBe("unix");
	expect(() => new TrustedProxies(["10.0.0.0/99"])).toThrow("TAU_RELAY_PROXIES");
});

test("an address has a bounded number of tries, and so has a whole network of IPv6", () => {
	const buckets = new AddressBuckets({ amount: 2, perMs: 3_600_000 });
	expect([1, 2, 3].map(() => buckets.take("1.2.3.4"))).toEqual([true, true, false]);
	expect(buckets.take("1.2.3.5")).toBe(true);
	expect(["2001:db8::1", "2001:db8::2", "2001:db8::3"].map((each) => buckets.take(each))).toEqual([
		true,
		true,
		false,
	]);
	expect(buckets.take("2001:db8:0:1::1")).toBe(true);
});

test("one address opens a bounded number of rooms and connections, and others are not affected", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0", proxies: ["127.0.0.1"] });
	const open = async (address: string): Promise<number | undefined> => {
		using host = await TestHost.create({ nodes: [relay.url], once: true, address });
		host.connect();
		await host.until(() => host.isIn || host.closes.length > 0, "a welcome or a refusal");
		return host.closes[0]?.code;
	};
	const most = allowances.rooms.amount;
	for (let at = 0; at < most; at++) expect(await open("10.0.0.1")).toBeUndefined();
	expect([await open("10.0.0.1"), await open("10.0.0.2")]).toEqual([4030, undefined]);
	const ask = async (address: string): Promise<number> => {
		const headers = { "x-forwarded-for": address };
		return (await fetch(`${relay.url}/r/long-enough-id?role=guest`, { headers })).status;
	};
	let asked = 1;
	while ((await ask("10.0.0.3")) === 426 && asked < 2 * allowances.connections.amount) asked++;
	expect([asked > allowances.connections.amount, await ask("10.0.0.3")]).toEqual([true, 429]);
	expect(await ask("10.0.0.4")).toBe(426);
});

test("a relay reads its environment: an address of the command line comes first, then its own variables", () => {
	const own = { TAU_RELAY_BIND: "0.0.0.0:1", RELAY_BIND: "0.0.0.0:2", HOME: "/home/ann" };
	expect(relayOptions(own, "3").bind).toBe("3");
	expect(relayOptions(own).bind).toBe("0.0.0.0:1");
	expect(relayOptions({ RELAY_BIND: "/run/relay.sock", HOME: "/home/ann" }).bind).toBe("/run/relay.sock");
	expect(relayOptions({ HOME: "/home/ann" }).bind).toBe("7475");
	const more = { TAU_RELAY_REDIS: "redis://a, redis://b", TAU_RELAY_HOST_AWAY: "60", TAU_RELAY_DRAIN: "2" };
	expect(relayOptions({ ...own, ...more })).toMatchObject({
		redis: ["redis://a", "redis://b"],
		hostAwayMs: 60_000,
		drainMs: 2000,
	});
	expect(() => relayOptions({ ...own, TAU_RELAY_DRAIN: "soon" })).toThrow(
		'TAU_RELAY_DRAIN is "soon". Give seconds.',
	);
});
