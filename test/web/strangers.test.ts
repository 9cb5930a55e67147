/** Nobody but the page of `tau web` in a browser that was let in gets an answer, and nobody can hold the server up. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

import { launchWeb, login, PlayedBrowser, type LaunchedWeb } from "./launch-web.ts";

let tau: LaunchedWeb;
let sessionId: string;

beforeAll(async () => {
	tau = await launchWeb({ steps: ["One."] });
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	sessionId = id;
});
afterAll(() => tau[Symbol.asyncDispose]());

/** The status of a request that has exactly these headers: `fetch` would set some itself. */
async function statusOf(
	path: string,
	headers: Record<string, string | undefined>,
	method = "GET",
): Promise<number> {
	const text = Object.entries(headers)
		.filter((pair) => pair[1] !== undefined)
		.map(([name, value]) => `${name}: ${value}\r\n`)
		.join("");
	return Number(
		/^HTTP\/1\.1 (\d+)/.exec(
			await exchange(`${method} ${path} HTTP/1.1\r\n${text}Connection: close\r\n\r\n`),
		)?.[1],
	);
}

async function exchange(request: string | Uint8Array): Promise<string> {
	const done = Promise.withResolvers<string>();
	const { port } = new URL(tau.origin);
	const socket = connect(Number(port), "127.0.0.1", () => socket.write(request));
	let answer = "";
	socket.on("data", (chunk) => {
		answer += chunk.toString("latin1");
		// An upgrade stays open.
		if (answer.startsWith("HTTP/1.1 101")) socket.destroy();
	});
	socket.on("error", () => {});
	socket.on("close", () => done.resolve(answer));
	return await done.promise;
}

const upgrade = {
	connection: "Upgrade",
	upgrade: "websocket",
	"sec-websocket-version": "13",
	"sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

test("of 48 kinds of requests exactly one is answered, and of 48 WebSockets exactly one is opened", async () => {
	const { host } = new URL(tau.origin);
	const { cookie, key } = tau.browser;
	const hosts = [host, "evil.example", `evil.example:${new URL(tau.origin).port}`, `127.0.0.1.evil.example`];
	const origins = [tau.origin, undefined, "http://127.0.0.1:9999", `${tau.origin}.evil.example`];
	const tokens = [{ cookie, "x-tau-key": key }, {}, { cookie: `${cookie}x`, "x-tau-key": `${key}x` }];
	const kinds = hosts.flatMap((asked) =>
		origins.flatMap((origin) => tokens.map((token) => ({ host: asked, origin, ...token }))),
	);
	expect(kinds).toHaveLength(48);
	const answered = await Promise.all(kinds.map((headers) => statusOf("/api/sessions", headers)));
	expect(answered.filter((status) => status < 400)).toEqual([200]);
	expect(answered[0]).toBe(200);
	const socket = `/ws?session=${sessionId}`;
	const opened = await Promise.all(kinds.map((headers) => statusOf(socket, { ...headers, ...upgrade })));
	expect(opened.filter((status) => status < 400)).toEqual([101]);
	expect(opened[0]).toBe(101);
});

test("a browser's own GET, which has no origin, is answered when it comes from the page, and not from elsewhere", async () => {
	const { host } = new URL(tau.origin);
	const { cookie, key } = tau.browser;
	const own = { host, cookie, "x-tau-key": key };
	const from = (site: string): Promise<number> =>
		statusOf("/api/sessions", { ...own, "sec-fetch-site": site });
	expect(await Promise.all(["same-origin", "same-site", "cross-site", "none"].map(from))).toEqual([
		200, 403, 403, 403,
	]);
	const crossed = { ...own, origin: tau.origin, "sec-fetch-site": "cross-site" };
	expect(await statusOf("/api/sessions", crossed)).toBe(403);
	expect(await statusOf("/api/sessions", { ...own, "sec-fetch-site": "same-origin" }, "POST")).toBe(403);
});

test("the cookie alone is worth nothing: another server of this machine may have been sent it", async () => {
	const { host } = new URL(tau.origin);
	const { cookie } = tau.browser;
	expect(await statusOf("/api/sessions", { host, origin: tau.origin, cookie })).toBe(401);
	const refused = Promise.withResolvers<string>();
	const socket = tau.browser.socket(sessionId);
	socket.addEventListener("open", () =>
		socket.send(JSON.stringify({ type: "hello", version: 1, client: { id: "x", name: "x", kinds: [] } })),
	);
	socket.addEventListener("message", ({ data }) => refused.resolve(String(data)));
	expect(JSON.parse(await refused.promise)).toMatchObject({ type: "hello_refused" });
});

test("regression: a cookie of our name that another server of this machine has set locks nobody out, and lets nobody in", async () => {
	const { host } = new URL(tau.origin);
	const { cookie, key } = tau.browser;
	const [name] = cookie.split("=");
	const own = { host, origin: tau.origin, "x-tau-key": key };
	const asked = async (all: string): Promise<number> => statusOf("/api/sessions", { ...own, cookie: all });
	expect(await asked(`${name}=planted; ${cookie}`)).toBe(200);
	expect(await asked(`${cookie}; ${name}=planted`)).toBe(200);
	expect(await asked(`${name}=planted`)).toBe(401);
	expect(await asked(`x${cookie}`)).toBe(401);
	// One that was let in with another key is no way to this one.
	const other = await PlayedBrowser.open(await tau.link());
	expect(await asked(other.cookie)).toBe(401);
});

test("a link from another page opens ours, but nothing of ours is loaded into another", async () => {
	const { host } = new URL(tau.origin);
	const opened = {
		host,
		"sec-fetch-site": "cross-site",
		"sec-fetch-mode": "navigate",
		"sec-fetch-dest": "document",
	};
	expect(await statusOf("/", opened)).toBe(200);
	expect(await statusOf("/", { ...opened, "sec-fetch-dest": "iframe" })).toBe(403);
	expect(await statusOf("/", { host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" })).toBe(
		403,
	);
	expect(await statusOf("/", { host, origin: "http://evil.example" })).toBe(403);
	expect(await statusOf("/", { host: "evil.example" })).toBe(421);
	expect(await statusOf("/", { host: "" })).toBeGreaterThanOrEqual(400);
	expect(await statusOf("/", { host }, "POST")).toBe(405);
});

test("every answer forbids other pages to use it, and none has a header for other origins", async () => {
	for (const path of ["/", "/api/sessions", "/no-such-file"]) {
		const { headers } = await tau.browser.api("GET", path);
		expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
		expect(headers.get("x-content-type-options")).toBe("nosniff");
		expect(headers.get("referrer-policy")).toBe("no-referrer");
		expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
		expect(headers.get("content-security-policy")).toContain("default-src 'none'");
		expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
	}
	const preflight = await fetch(`${tau.origin}/api/sessions`, {
		method: "OPTIONS",
		headers: { origin: "http://evil.example", "access-control-request-method": "POST" },
	});
	expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([403, null]);
	const { headers } = await login(tau.origin, "wrong");
	expect(headers.get("set-cookie")).toBeNull();
});

test("the cookie is for this server alone and out of reach of scripts; what is stored are hashes", async () => {
	const link = await tau.link();
	const token = new URL(link).hash.slice("#token=".length);
	const response = await login(tau.origin, token);
	const cookie = response.headers.get("set-cookie") ?? "";
	expect(cookie).toMatch(/^tau-web-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
	const { key } = (await response.json()) as { key: string };
	const file = join(tau.home, ".tau/state/web/logins.json");
	expect(statSync(file).mode & 0o777).toBe(0o600);
	const stored = readFileSync(file, "utf8");
	for (const secret of [token, key, cookie.slice(cookie.indexOf("=") + 1, cookie.indexOf(";"))])
		expect(stored).not.toContain(secret);
});

test("a token of another origin, a form and a body that is no JSON let nobody in", async () => {
	const token = new URL(await tau.link()).hash.slice("#token=".length);
	expect((await login(tau.origin, token, { origin: "http://evil.example" })).status).toBe(403);
	expect((await login(tau.origin, token, { "content-type": "text/plain" })).status).toBe(400);
	expect((await login(tau.origin, "")).status).toBe(401);
	expect((await login(tau.origin, "x".repeat(200))).status).toBe(400);
	// It was not used up by these.
	expect((await login(tau.origin, token)).status).toBe(200);
});

describe("hostile peers", () => {
	/** The code with which the server ends the socket. */
	async function closedBy(send: (socket: WebSocket) => void): Promise<number> {
		const closed = Promise.withResolvers<number>();
		const socket = tau.browser.socket(sessionId);
		socket.addEventListener("open", () => send(socket));
		socket.addEventListener("close", ({ code }) => closed.resolve(code));
		return await closed.promise;
	}
	const hello = (): string => {
		const { key } = tau.browser;
		return JSON.stringify({ type: "hello", version: 1, key, client: { id: "h", name: "h", kinds: [] } });
	};

	test("bytes, several lines at once, a huge greeting and no greeting end the socket", async () => {
		expect(await closedBy((socket) => socket.send(new Uint8Array([1, 2, 3])))).toBe(1003);
		expect(await closedBy((socket) => socket.send(`${hello()}\n{"type":"abort"}`))).toBe(1007);
		expect(await closedBy((socket) => socket.send("x".repeat(100_000)))).toBe(1009);
		expect(await closedBy((socket) => socket.send("{not json"))).toBe(1008);
		expect(await closedBy((socket) => socket.send(hello().replace('"version":1', '"version":99')))).toBe(
			1008,
		);
	});

	test("a line that is no JSON after the greeting ends that page, and no other", async () => {
		using page = await tau.browser.join(sessionId);
		const code = await closedBy((socket) => {
			socket.send(hello());
			socket.send("{not json");
		});
		expect(code).toBe(1000);
		expect((await page.request("get_state", {})).sessionId).toBe(sessionId);
	});

	test("frames that break the protocol, and half a request, cost one connection", async () => {
		const { host } = new URL(tau.origin);
		const headers = Object.entries({ host, origin: tau.origin, cookie: tau.browser.cookie, ...upgrade });
		const request = `GET /ws?session=${sessionId} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
		// A frame without a mask, with reserved bits and a length that never comes.
		const broken = Buffer.concat([
			Buffer.from(request),
			Buffer.from([0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
		]);
		await exchange(broken);
		await exchange("GET /\0 HTTP/1.1\r\n\r\n");
		await exchange(`POST /api/login HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 99999999\r\n\r\n`);
		expect((await tau.browser.api("GET", "/api/sessions")).status).toBe(200);
	});

	test("a body that is too large is refused", async () => {
		const huge = { cwd: tau.project, prompt: "x".repeat(3_000_000) };
		expect((await tau.browser.api("POST", "/api/sessions", huge)).status).toBe(413);
	});

	test("a page that does not read does not hold its session or another page up", async () => {
		await using web = await launchWeb({
			steps: [{ answer: { blocks: [{ text: "x".repeat(3_000_000), chunks: 300 }] } }, "After."],
		});
		const { id } = await web.browser.post<{ id: string }>("/api/sessions", { cwd: web.project });
		const { host } = new URL(web.origin);
		const headers = Object.entries({ host, origin: web.origin, cookie: web.browser.cookie, ...upgrade });
		const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
		const slow = connect(Number(new URL(web.origin).port), "127.0.0.1");
		await new Promise<void>((resolve) => {
			slow.once("data", () => resolve());
			slow.write(`GET /ws?session=${id} HTTP/1.1\r\n${lines}\r\n`);
		});
		slow.pause();
		slow.write(
			masked(
				JSON.stringify({
					type: "hello",
					version: 1,
					key: web.browser.key,
					client: { id: "s", name: "slow", kinds: [] },
				}),
			),
		);
		using page = await web.browser.join(id);
		await page.request("prompt", { message: "long" });
		await page.request("wait_for_idle", {});
		await page.request("prompt", { message: "again" });
		await page.request("wait_for_idle", {});
		expect(JSON.stringify(page.view.tail.entries.at(-1))).toContain("After.");
		slow.destroy();
	});

	test("more pages than the server takes are refused, and those that are there stay", async () => {
		const browser = new PlayedBrowser({
			origin: tau.origin,
			cookie: tau.browser.cookie,
			key: tau.browser.key,
		});
		using page = await browser.join(sessionId);
		const sockets: WebSocket[] = [];
		const outcomes = await Promise.all(
			Array.from({ length: 70 }, () => {
				const socket = browser.socket(sessionId);
				sockets.push(socket);
				return new Promise<boolean>((resolve) => {
					socket.addEventListener("open", () => resolve(true));
					socket.addEventListener("error", () => resolve(false));
				});
			}),
		);
		expect(outcomes.filter(Boolean).length).toBe(63);
		for (const socket of sockets) socket.close();
		expect((await page.request("get_state", {})).sessionId).toBe(sessionId);
	});
});

/** A text as one frame of a client. */
function masked(text: string): Buffer {
	const body = Buffer.from(text);
	const head = Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255, 0, 0, 0, 0]);
	return Buffer.concat([head, body]);
}
