/** A web page is converted by its type, within the settings, and fetched once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { testToolEnv, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { readFixture, pdf, png, type ReadFixture } from "../../../../test/support/read-fixture.ts";
import { limits } from "./limits.ts";
import { markdownAddress } from "./markdown-form.ts";
import type { RenderedPage } from "./index.ts";
import { PageCache } from "./session-pages.ts";

let server: Bun.Server<undefined>;
let base = "";
let hits = 0;
let picture: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
	picture = Uint8Array.from(await png(3, 2));
	server = Bun.serve({
		port: 0,
		fetch(request) {
			hits++;
			const { pathname } = new URL(request.url);
			void asked(pathname);
			asks.get(pathname)?.resolve();
			return pages[pathname]?.() ?? new Response("no such page", { status: 404 });
		},
	});
	base = `http://127.0.0.1:${server.port}`;
});
afterAll(() => server.stop(true));

const article = `<!doctype html><html><head><title>A &amp; B\x1b[31m</title><script>evil()</script></head><body>
	<nav><a href="/">Home</a></nav><article><h1>Head</h1>
	${"<p>Many words of an article, so that it counts as one, with <a href='/next'>a link</a>.</p>".repeat(8)}
	<pre><code class="language-ts">const a = 1;</code></pre></article></body></html>`;

const markdown = `# Guide\n\n${"- a line of the guide\n".repeat(20)}`;

function typed(type: string, body: string | Uint8Array<ArrayBuffer>): () => Response {
	return () => new Response(body, { headers: { "content-type": type } });
}

/** The page comes once its Markdown has been asked for: which of them is faster does not matter then. */
function afterMarkdown(path: string): () => Promise<Response> {
	return async () => {
		await asked(path);
		return typed("text/html", article)();
	};
}

const asks = new Map<string, PromiseWithResolvers<void>>();

function asked(path: string): Promise<void> {
	const entry = asks.get(path) ?? Promise.withResolvers<void>();
	asks.set(path, entry);
	return entry.promise;
}

const pages: Record<string, () => Response | Promise<Response>> = {
	"/article": typed("text/html", article),
	"/json": typed("application/problem+json; charset=utf-8", '{"a":[1,{"b":null}]}'),
	"/torn.json": typed("application/json", '{"a":'),
	"/plain": typed("text/plain", "one\ntwo\nthree\n"),
	"/latin": typed("text/plain; charset=iso-8859-1", Uint8Array.from([0x67, 0x72, 0xfc, 0x6e])),
	"/meta": typed(
		"text/html",
		Uint8Array.from(
			Buffer.from('<html><meta charset="windows-1252"><body><p>gr\xfcn</p></body></html>', "latin1"),
		),
	),
	"/unknown-charset": typed("text/plain; charset=nonsense", "grün"),
	"/untyped": () => {
		const response = new Response(Uint8Array.from(Buffer.from("just words")));
		response.headers.delete("content-type");
		return response;
	},
	"/binary": typed("application/octet-stream", new Uint8Array(10)),
	"/pdf": typed("application/pdf", Uint8Array.from(pdf(["On paper"]))),
	"/picture": () => new Response(picture, { headers: { "content-type": "image/png" } }),
	"/long": typed("text/plain", "0123456789\n".repeat(200_000)),
	"/empty": typed("text/plain", ""),
	"/endless.html": () => {
		const part = new TextEncoder().encode(`<div><p>words <b>and</b> more ${"of them ".repeat(2000)}`);
		const body = new ReadableStream({ pull: (controller) => controller.enqueue(part) });
		return new Response(body, { headers: { "content-type": "text/html" } });
	},
	"/moved": () => Response.redirect("/plain"),
	"/docs/guide": afterMarkdown("/docs/guide.md"),
	"/docs/guide.md": typed("text/markdown; charset=utf-8", markdown),
	"/docs/page.html": typed("text/html", article),
	"/docs/page.md": typed("text/html", article),
	"/docs/short": typed("text/html", article),
	"/docs/short.md": typed("text/plain", "# Not found"),
	"/docs": afterMarkdown("/docs/llms.txt"),
	"/docs/llms.txt": typed("text/plain", markdown.replace("Guide", "Index")),
	"/docs/slow": typed("text/html", article),
	"/docs/slow.md": () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
	"/docs/away": typed("text/html", article),
	"/docs/away.md": () => Response.redirect(`http://localhost:${server.port}/docs/guide.md`),
	"/docs/only-markdown.md": typed("text/markdown", markdown),
};

async function online(): Promise<ReadFixture<TestToolEnv>> {
	const at = readFixture(await testToolEnv());
	await at.env.settings.set("fetch.allowPrivate", true, "session");
	return at;
}

describe("a page", () => {
	test("in HTML is its article as Markdown, with absolute links and no scripts", async () => {
		await using at = await online();
		const { text, details } = await at.read(`${base}/article`);
		expect(text).toStartWith(`[A & B: ${base}/article]\n`);
		expect(text).toContain(`[a link](${base}/next)`);
		expect(text).toContain("```ts\nconst a = 1;\n```");
		expect(text).not.toContain("evil");
		expect(text).not.toContain("Home");
		expect(details).toMatchObject({ url: `${base}/article`, contentType: "text/html", title: "A & B" });
	});

	test.each([
		["/json", '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}'],
		["/torn.json", '{"a":'],
		["/latin", "grün"],
		["/meta", "grün"],
		["/unknown-charset", "grün"],
		["/untyped", "just words"],
		["/pdf", "--- Page 1 of 1 ---\n\nOn paper"],
	])("%s is readable", async (path, expected) => {
		await using at = await online();
		expect((await at.read(base + path)).text).toBe(`[${base}${path}]\n${expected}`);
	});

	test("that is an image is shown", async () => {
		await using at = await online();
		const { content } = await at.read(`${base}/picture`);
		expect(content[1]).toMatchObject({ type: "image", mimeType: "image/png" });
	});

	test("that was moved has its new URL", async () => {
		await using at = await online();
		expect((await at.read(`${base}/moved`)).text).toStartWith(`[${base}/moved (from ${base}/plain)]\none\n`);
	});

	test("is read in parts, and fetched once for all of them", async () => {
		await using at = await online();
		hits = 0;
		expect((await at.read(`${base}/plain`, { limit: 1 })).text).toEndWith(
			"\none\n[lines 1-1 of 3; continue with offset 2]",
		);
		expect((await at.read(`${base}/plain`, { offset: 3 })).text).toEndWith("\nthree");
		expect(hits).toBe(1);
	});

	test("that is longer than the settings allow is cut, and says so", async () => {
		await using at = await online();
		await at.env.settings.set("fetch.maxMegabytes", 1, "session");
		const { text } = await at.read(`${base}/long`, { offset: 90_000, limit: 1 });
		expect(text).toContain("0123456789\n[lines 90000-90000 of ");
		expect(text).toEndWith("[the page is too long and was truncated]");
	});

	test("that never ends, of tags that never close, is cut", async () => {
		await using at = await online();
		await at.env.settings.set("fetch.maxMegabytes", 1, "session");
		const { text } = await at.read(`${base}/endless.html`, { limit: 3 });
		expect(text).toContain("words **and** more");
		expect(text).toEndWith("[the page is too long and was truncated]");
	});

	test("that is unreadable is rejected with what to do", async () => {
		await using at = await online();
		expect(await at.read(`${base}/binary`)).toMatchObject({
			isError: true,
			text: `${base}/binary is application/octet-stream and cannot be read. Download it with bash: curl -O ${base}/binary`,
		});
		expect((await at.read(`${base}/gone`)).text).toBe(`${base}/gone returned 404 Not Found: no such page`);
		expect((await at.read(`${base}/empty`)).text).toBe(`${base}/empty is empty.`);
	});
});

describe("the Markdown of a documentation page", () => {
	test.each([
		["/docs/guide", "/docs/guide.md", "Guide"],
		["/docs", "/docs/llms.txt", ""],
		["/docs/only-markdown", "/docs/only-markdown.md", "Guide"],
	])("%s is read from %s", async (path, from, title) => {
		await using at = await online();
		const { text } = await at.read(base + path);
		expect(text).toStartWith(`[${title === "" ? "" : `${title}: `}${base}${path} (from ${base}${from})]\n# `);
		expect(text).toContain("- a line of the guide");
	});

	test.each(["/docs/page.html", "/docs/short", "/docs/away"])(
		"%s is the page itself, because what is beside it is another page, too short or elsewhere",
		async (path) => {
			await using at = await online();
			expect((await at.read(base + path)).text).toContain("Many words of an article");
		},
	);

	test("that does not come does not hold up the page", async () => {
		await using at = await online();
		expect((await at.read(`${base}/docs/slow`)).text).toContain("Many words of an article");
	});

	test.each([
		["https://docs.example.org/", "https://docs.example.org/llms.txt"],
		["https://docs.example.org/a/b/", "https://docs.example.org/a/b.md"],
		["https://example.org/docs/v1.2", "https://example.org/docs/v1.2.md"],
		["https://example.org/guide/intro.html#x", "https://example.org/guide/intro.md"],
		["https://example.org/", undefined],
		["https://example.org/blog/post", undefined],
		["https://docs.example.org/a.pdf", undefined],
		["https://docs.example.org/a.md", undefined],
		["https://docs.example.org/search?q=x", undefined],
		["not an address", undefined],
	])("%s would be at %s", (address, expected) => {
		expect(markdownAddress(address)).toBe(expected);
	});
});

describe("the settings", () => {
	test("block the machine and its network for models by default", async () => {
		await using at = readFixture(await testToolEnv());
		hits = 0;
		for (const url of [base, base.replace("127.0.0.1", "localhost"), base.replace("127.0.0.1", "[::1]")]) {
			const { text, isError } = await at.read(`${url}/plain`);
			expect(isError).toBe(true);
			expect(text).toContain("fetch.allowPrivate");
		}
		expect(hits).toBe(0);
	});

	test("can disable web access", async () => {
		await using at = await online();
		await at.env.settings.set("fetch.enabled", false, "session");
		expect((await at.read(`${base}/plain`)).text).toContain("fetch.enabled");
	});
});

describe("the page cache", () => {
	const page = (text: string): RenderedPage => {
		return { ok: true, kind: "text", url: "", title: "", contentType: "", text, truncated: false };
	};

	test("is valid for some minutes", () => {
		let now = 0;
		const cache = new PageCache(() => now);
		cache.set("a", page("one"));
		now = limits.cacheMs;
		expect(cache.get("a")).toMatchObject({ text: "one" });
		now++;
		expect(cache.get("a")).toBeUndefined();
	});

	test("is limited in pages and in characters, oldest out first", () => {
		const cache = new PageCache();
		for (let index = 0; index <= limits.cachePages; index++) cache.set(String(index), page("x"));
		expect(cache.get("0")).toBeUndefined();
		expect(cache.get("1")).toBeDefined();
		const half = page("x".repeat(limits.cacheChars / 2 + 1));
		cache.set("half", half);
		cache.set("other half", half);
		expect(cache.get("half")).toBeUndefined();
		expect(cache.get("other half")).toBeDefined();
		cache.set("more than all", page("x".repeat(limits.cacheChars + 1)));
		expect(cache.get("more than all")).toBeUndefined();
		expect(cache.get("other half")).toBeDefined();
	});
});
