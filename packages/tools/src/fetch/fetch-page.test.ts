/** Pages are fetched completely or not at all, and never from the private network unless that is allowed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";

import { fetchPage, type FetchedPage, type FetchPageOptions, type PageProblem } from "./index.ts";

let server: Bun.Server<undefined>;
let base = "";
let requests: { url: string; headers: Record<string, string> }[] = [];
beforeAll(() => {
	server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request) {
			requests.push({ url: request.url, headers: request.headers.toJSON() });
			return answer(new URL(request.url));
		},
	});
	base = `http://127.0.0.1:${server.port}`;
});
afterAll(() => server.stop(true));

function answer(url: URL): Response | Promise<Response> {
	const to = url.searchParams.get("to") ?? "";
	switch (url.pathname) {
		case "/text":
			return new Response("hello", { headers: { "content-type": "text/plain; charset=utf-8" } });
		case "/redirect":
			return new Response("moved", { status: 302, headers: { location: to, "set-cookie": "a=b" } });
		case "/loop":
			return Response.redirect("/loop");
		case "/missing":
			return new Response("nothing of that name", { status: 404, headers: { "content-type": "text/plain" } });
		case "/broken":
			return new Response("<h1>oops</h1>", { status: 500, headers: { "content-type": "text/html" } });
		case "/long":
			return new Response("x".repeat(100_000));
		case "/bomb":
			return packed("gzip", gzipSync(Buffer.alloc(50_000_000)));
		case "/gzip":
			return packed("gzip", gzipSync("unpacked"));
		case "/odd":
			return packed("odd", new Uint8Array(3));
		case "/torn":
			return packed("gzip", gzipSync("x".repeat(1000)).subarray(0, 12));
		case "/endless":
			return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
		default:
			return new Response("?", { status: 404 });
	}
}

function packed(encoding: string, bytes: Uint8Array<ArrayBuffer>): Response {
	return new Response(bytes, { headers: { "content-encoding": encoding, "content-type": "text/plain" } });
}

function get(url: string, more: Partial<FetchPageOptions> = {}): Promise<FetchedPage | PageProblem> {
	requests = [];
	return fetchPage(url.startsWith("/") ? base + url : url, {
		signal: new AbortController().signal,
		timeoutMs: 20_000,
		maxBytes: 10_000,
		allowPrivate: true,
		...more,
	});
}

function textOf(page: FetchedPage | PageProblem): string {
	return page.ok ? new TextDecoder().decode(page.bytes) : page.message;
}

describe("a page", () => {
	test("has its type and encoding, and the request contains a user agent and nothing else", async () => {
		const page = await get("/text?a=1#part");
		expect(page).toMatchObject({
			ok: true,
			url: `${base}/text?a=1`,
			contentType: "text/plain",
			charset: "utf-8",
			truncated: false,
		});
		expect(textOf(page)).toBe("hello");
		const names = Object.keys(requests[0]?.headers ?? {}).toSorted();
		expect(names.filter((name) => name !== "connection")).toEqual([
			"accept",
			"accept-encoding",
			"host",
			"user-agent",
		]);
	});

	test("is requested by name, at the address that was checked", async () => {
		const url = `http://played.test:${server.port}/text`;
		const page = await get(url, { resolveName: async () => ["127.0.0.1"] });
		expect(textOf(page)).toBe("hello");
		expect(requests[0]?.headers.host).toBe(`played.test:${server.port}`);
	});

	test("is fetched from the next address if the first does not answer", async () => {
		// No server listens there: ours is on 127.0.0.1 only.
		const resolveName = async (): Promise<string[]> => ["127.9.9.9", "127.0.0.1"];
		expect(textOf(await get(`http://played.test:${server.port}/text`, { resolveName }))).toBe("hello");
	});

	test("is followed through redirects, without cookies", async () => {
		const page = await get(`/redirect?to=${encodeURIComponent("/redirect?to=/text")}`);
		expect(page).toMatchObject({ ok: true, url: `${base}/text` });
		expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, undefined]);
	});

	test("is decompressed, and a truncated or unknown encoding is rejected", async () => {
		expect(textOf(await get("/gzip"))).toBe("unpacked");
		expect(await get("/odd")).toMatchObject({ ok: false, problem: "unsupported" });
		expect(await get("/torn")).toMatchObject({ ok: false, problem: "network" });
	});

	test("that is too long is cut, also after decompression", async () => {
		for (const path of ["/long", "/bomb"]) {
			const page = await get(path);
			expect(page).toMatchObject({ ok: true, truncated: true });
			expect(page.ok && page.bytes.length).toBe(10_000);
		}
	});

	test("that does not exist has the server's error text, if that is readable", async () => {
		expect(await get("/missing")).toEqual({
			ok: false,
			problem: "not-found",
			message: `${base}/missing returned 404 Not Found: nothing of that name`,
			status: 404,
		});
		expect(await get("/broken")).toMatchObject({
			problem: "status",
			message: expect.stringMatching(/500 .*\.$/),
		});
	});

	test("that does not arrive ends at the timeout or by an abort", async () => {
		expect(await get("/endless", { timeoutMs: 50 })).toMatchObject({ ok: false, problem: "timeout" });
		const stop = new AbortController();
		const waiting = get("/endless", { signal: stop.signal });
		stop.abort(new DOMException("enough", "AbortError"));
		await expect(waiting).rejects.toThrow("enough");
	});

	test("of an unknown host is an error with its name", async () => {
		expect(await get("http://127.0.0.1:1/")).toMatchObject({ ok: false, problem: "network" });
		const nobody = await get("http://nobody.invalid/");
		expect(nobody).toMatchObject({ ok: false });
		expect(textOf(nobody)).toContain("nobody.invalid");
	});
});

describe("a token", () => {
	const token = { ownHeaders: { Authorization: "Bearer secret" }, headers: { Accept: "text/plain" } };
	const sent = (): (string | undefined)[] => requests.map(({ headers }) => headers.authorization);

	test("is sent to the server of the address, also after a redirect to itself", async () => {
		await get("/redirect?to=/text", token);
		expect(sent()).toEqual(["Bearer secret", "Bearer secret"]);
		expect(requests[0]?.headers.accept).toBe("text/plain");
	});

	test("is never sent to another server, and not again after it", async () => {
		const elsewhere = (to: string): string =>
			`http://elsewhere.test:${server.port}/redirect?to=${encodeURIComponent(to)}`;
		const resolveName = async (): Promise<string[]> => ["127.0.0.1"];
		await get(`/redirect?to=${encodeURIComponent(elsewhere(`${base}/text`))}`, { ...token, resolveName });
		expect(requests.map(({ headers }) => headers.host)).toEqual([
			`127.0.0.1:${server.port}`,
			`elsewhere.test:${server.port}`,
			`127.0.0.1:${server.port}`,
		]);
		expect(sent()).toEqual(["Bearer secret", undefined, undefined]);
	});

	test("is not sent to another port of the same host", async () => {
		await using other = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: (request) => new Response(request.headers.get("authorization") ?? "none"),
		});
		const page = await get(`/redirect?to=${encodeURIComponent(`http://127.0.0.1:${other.port}/`)}`, token);
		expect(textOf(page)).toBe("none");
	});

	test("cannot replace the host, and a request with a body is not redirected", async () => {
		await get("/text", { headers: { Host: "evil.example" } });
		expect(requests[0]?.headers.host).toBe(`127.0.0.1:${server.port}`);
		expect(await get("/redirect?to=/text", { ...token, body: "{}" })).toMatchObject({
			ok: false,
			problem: "redirects",
		});
		expect(requests).toHaveLength(1);
	});
});

describe("a redirect", () => {
	test("that never ends is an error", async () => {
		expect(await get("/loop")).toMatchObject({ ok: false, problem: "redirects" });
	});

	test.each([
		["file:///etc/passwd", "bad-url"],
		["ftp://example.org/", "bad-url"],
		["http://user:pass@example.org/", "bad-url"],
		["http://", "redirects"],
	])("to %s is rejected", async (to, problem) => {
		expect(await get(`/redirect?to=${encodeURIComponent(to)}`)).toMatchObject({ ok: false, problem });
		expect(requests).toHaveLength(1);
	});
});

describe("the private network", () => {
	const closed = { allowPrivate: false };

	test.each([
		"http://127.0.0.1/",
		"http://localhost/",
		"http://2130706433/",
		"http://0177.0.0.1/",
		"http://0x7f.1/",
		"http://127.1/",
		"http://0/",
		"http://[::1]/",
		"http://[::ffff:127.0.0.1]/",
		"http://[::ffff:7f00:1]/",
		"http://[fe80::1]/",
		"http://169.254.169.254/latest/meta-data/",
		"http://[fd00:ec2::254]/",
		"http://10.0.0.1/",
		"https://192.168.0.1/",
		"http://１２７.0.0.1/",
		"http://①②⑦.⓪.⓪.①/",
		"http://127.0.0.1./",
		"http://[::ffff:0:7f00:1]/",
		"http://[64:ff9b::7f00:1]/",
		"http://[2002:7f00:1::]/",
		"http://[::ffff:169.254.169.254]/",
		"http://017700000001/",
	])("%s is not fetched", async (url) => {
		expect(await get(url, closed)).toMatchObject({ ok: false, problem: "private" });
	});

	test("is not reached by a name that resolves to it, not even among others", async () => {
		for (const addresses of [["10.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["2606:4700::1", "::1"]]) {
			const resolveName = async (): Promise<string[]> => addresses;
			const found = await get(`http://played.test:${server.port}/text`, { ...closed, resolveName });
			expect(found).toMatchObject({ ok: false, problem: "private" });
			expect(requests).toEqual([]);
		}
	});

	test.each(["http://127.0.0.2/", "http://localhost.test/", "http://[::1]/", "http://169.254.169.254/"])(
		"is not reached by a redirect to %s",
		async (to) => {
			const found = await get(`/redirect?to=${encodeURIComponent(to)}`, {
				allowPrivate: (address) => address === "127.0.0.1",
				resolveName: async () => ["192.168.7.7"],
			});
			expect(found).toMatchObject({ ok: false, problem: "private" });
			expect(textOf(found)).toStartWith(`${base}/redirect`);
			expect(requests).toHaveLength(1);
		},
	);

	test("is not reached by a name that resolves differently the second time", async () => {
		const answers = ["127.0.0.1", "10.0.0.1"];
		const page = await get(`http://played.test:${server.port}/text`, {
			allowPrivate: (address) => address === "127.0.0.1",
			resolveName: async () => [answers.shift() ?? ""],
		});
		expect(textOf(page)).toBe("hello");
		expect(answers).toEqual(["10.0.0.1"]);
	});
});

describe("a URL", () => {
	test.each([
		["not an address", "bad-url"],
		["http://", "bad-url"],
		["http://a:b@example.org/", "bad-url"],
		["https://token@example.org/", "bad-url"],
		[`http://example.org/${"x".repeat(10_000)}`, "bad-url"],
		["gopher://example.org/", "bad-url"],
	])("%s is rejected before any request", async (url, problem) => {
		let requested = 0;
		const resolveName = async (): Promise<string[]> => {
			requested++;
			return [];
		};
		expect(await get(url, { resolveName })).toMatchObject({ ok: false, problem });
		expect(requested).toBe(0);
	});
});
