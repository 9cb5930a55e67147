/** An agent in somebody else's page, in a real browser: the example page with the real gateway and a played model behind it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { afterAll, afterEach, beforeAll, expect } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { serveGateway } from "../gateway/gateway.ts";
import { root } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { png } from "../support/read-fixture.ts";
import { shareChromium, textOf, until, untilText, type Chromium } from "./chromium.ts";

const test = needs("chromium");
let chromium: Chromium;
let server: Bun.Server<undefined> | undefined;
let origin = "";
let folder = "";

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	chromium = await shareChromium();
	folder = mkdtempSync(join(tmpdir(), "tau-agent-page-"));
	// As docs/web-api.md says. A process of its own: in the one of a test, Bun has read the packages as a program does.
	const page = join(root, "packages/web/examples/agent-page/index.html");
	const options = ["--splitting", "--minify", "--define", 'process.env.NODE_ENV="production"'];
	const build = Bun.spawn([process.execPath, "build", page, "--outdir", folder, ...options], {
		stdout: "ignore",
		stderr: "pipe",
	});
	expect({ code: await build.exited, err: await build.stderr.text() }).toEqual({ code: 0, err: "" });
	server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch(request) {
			const name = new URL(request.url).pathname.slice(1) || "index.html";
			if (name === "favicon.ico") return new Response(null, { status: 204 });
			return new Response(Bun.file(join(folder, basename(name))));
		},
	});
	origin = server.url.origin;
});
afterEach(() => chromium?.closePages());

afterAll(async () => {
	await server?.stop(true);
	if (folder !== "") rmSync(folder, { recursive: true });
	await chromium?.[Symbol.asyncDispose]();
});

async function ask(page: Awaited<ReturnType<Chromium["open"]>>, text: string): Promise<void> {
	const message = await page.waitForSelector('textarea[aria-label="Message"]');
	await message?.type(text);
	await page.keyboard.press("Enter");
}

test("an agent in a page runs its own tool, asks through the gateway, and has its conversation after a reload", async () => {
	await using gateway = await serveGateway(
		{
			steps: [
				{ answer: { blocks: [{ toolCall: { name: "count_stock", arguments: { article: "bolt" } } }] } },
				{ answer: { blocks: [{ text: "There are **120** bolts.", chunks: 4 }] } },
			],
		},
		{ origins: [origin] },
	);
	const choice = new URLSearchParams({
		gateway: gateway.url,
		token: "token",
		model: "messages/played-messages",
	});
	const page = await chromium.open(`${origin}/#${choice.toString()}`);
	await ask(page, "How many bolts?");
	await untilText(page, "There are 120 bolts.");
	const second = gateway.played.requests[1]?.rawBody ?? "";
	expect(second).toContain("count_stock");
	expect(second).toContain("120");
	expect(await textOf(page, "main strong")).toBe("120");
	await until(page, `document.querySelector('button[aria-label="Send"]') !== null`);

	await page.reload();
	await untilText(page, "There are 120 bolts.");
	expect(gateway.played.requests).toHaveLength(2);
	expect(chromium.errors).toEqual([]);
});

test("a dropped document and a picture go with the prompt and with a message that steers, as a model takes them", async () => {
	await using gateway = await serveGateway(
		{
			steps: [{ answer: { blocks: [{ text: "word ".repeat(50), chunks: 50 }], delayMs: 100 } }, "Both read."],
		},
		{ origins: [origin] },
	);
	const choice = new URLSearchParams({
		gateway: gateway.url,
		token: "token",
		model: "messages/played-messages",
	});
	const picture = await png(8, 8);
	const page = await chromium.open(`${origin}/#${choice.toString()}`);
	await page.waitForSelector("textarea");
	await page.evaluate(drop('new File(["ten bolts"], "list.txt", { type: "text/plain" })'));
	await untilText(page, "list.txt", ".attachments");
	await page.evaluate(
		drop(`new File([new Uint8Array(${JSON.stringify([...picture])})], "bolt.png", { type: "image/png" })`),
	);
	await page.waitForSelector('.attachment img[src^="data:image/png;base64,"]');
	await ask(page, "Look");
	await untilText(page, "@list.txt", ".transcript");
	await page.waitForSelector(".transcript img");
	await untilText(page, "word word", ".transcript");
	const first = gateway.played.requests[0]?.rawBody ?? "";
	expect(first).toContain("[list.txt]\\nten bolts");
	expect(first).toContain('"type":"image"');
	expect(first).not.toContain("extractedText");
	await page.evaluate(drop('new File(["two nuts"], "more.txt", { type: "text/plain" })'));
	await untilText(page, "more.txt", ".attachments");
	await ask(page, "and this");
	await untilText(page, "Both read.", ".transcript");
	expect(gateway.played.requests[1]?.rawBody).toContain("[more.txt]\\ntwo nuts");
	expect(chromium.errors).toEqual([]);
});

const drop = (file: string): string => `{
	const dataTransfer = new DataTransfer();
	dataTransfer.items.add(${file});
	const event = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer });
	document.querySelector("textarea").dispatchEvent(event);
}`;

test("a file becomes an attachment with every field of the specification; one without text is refused, and not left out unseen", async () => {
	const source = join(root, "packages/web/src/page/agent/load-attachment.ts");
	const entry = `import { loadAttachment } from ${JSON.stringify(source)}; globalThis.load = loadAttachment;`;
	const path = join(folder, "load.ts");
	const built = await Bun.build({ entrypoints: [path], files: { [path]: entry }, target: "browser" });
	const page = await chromium.open(`${origin}/`);
	await page.addScriptTag({ type: "module", content: (await built.outputs[0]?.text()) ?? "" });
	await until(page, "globalThis.load !== undefined");
	const load = (file: string, options = "{}"): Promise<unknown> =>
		page.evaluate(`load(new File(${file}), ${options})`);
	const asked = '{ extract: async () => "Ten bolts", preview: async () => "cGljdHVyZQ==" }';
	expect(await load('["%PDF"], "report.pdf", { type: "application/pdf" }', asked)).toEqual({
		id: expect.stringMatching(/^[\da-f-]{36}$/),
		type: "document",
		fileName: "report.pdf",
		mimeType: "application/pdf",
		size: 4,
		content: btoa("%PDF"),
		extractedText: "[report.pdf]\nTen bolts",
		preview: "cGljdHVyZQ==",
	});
	const notes = await load('["two nuts"], "notes.md", { type: "text/markdown" }');
	expect(notes).toMatchObject({ content: btoa("two nuts"), extractedText: "[notes.md]\ntwo nuts" });
	const picture = JSON.stringify([...(await png(8, 8))]);
	const image = await load(`[new Uint8Array(${picture})], "bolt.png", { type: "image/png" }`);
	expect(image).toMatchObject({
		type: "image",
		mimeType: "image/png",
		content: expect.stringMatching(/^iVBOR/),
	});
	expect(image).toHaveProperty("preview");
	expect(load('[new Uint8Array([0, 255, 254])], "data.bin"')).rejects.toThrow("data.bin is no text");
	expect(chromium.errors).toEqual([]);
});

test("a refused token is said in the page", async () => {
	await using gateway = await serveGateway({ steps: ["Never asked."] }, { origins: [origin] });
	const choice = new URLSearchParams({
		gateway: gateway.url,
		token: "wrong",
		model: "messages/played-messages",
	});
	const page = await chromium.open(`${origin}/#${choice.toString()}`);
	await ask(page, "Hello");
	await untilText(page, "401");
	expect(gateway.played.requests).toEqual([]);
	// The browser reports the refused request by itself.
	expect(chromium.errors.splice(0).filter((error) => !error.includes("401"))).toEqual([]);
});

test("without a key the provider is not asked; a key that was given is sealed in the browser and leaves the address", async () => {
	await using played = await playModel({ steps: ["Hello from the provider."] });
	// A provider that answers pages, as Anthropic does.
	await using provider = allowing(played.anthropicUrl);
	const choice = new URLSearchParams({ at: provider.url });
	const page = await chromium.open(`${origin}/#${choice.toString()}`);
	await ask(page, "Hello");
	await untilText(page, "There is no key for anthropic in this browser");
	expect(played.requests).toEqual([]);

	choice.set("key", "sk-ant-secret-of-the-user");
	await page.goto("about:blank");
	await page.goto(`${origin}/#${choice.toString()}`);
	await page.waitForSelector("textarea");
	expect(await page.evaluate("location.href")).not.toContain("secret");
	await ask(page, "Hello again");
	await untilText(page, "Hello from the provider.");
	expect(provider.headers[0]?.get("x-api-key")).toBe("sk-ant-secret-of-the-user");
	expect(provider.headers[0]?.get("anthropic-dangerous-direct-browser-access")).toBe("true");
	const { isExtractable, text } = (await page.evaluate(storedKeys)) as {
		isExtractable: boolean;
		text: string;
	};
	expect(isExtractable).toBe(false);
	expect(text).toContain("anthropic");
	expect(text).not.toContain("secret");
	expect(chromium.errors).toEqual([]);
});

/** Everything that the page has kept of keys, as far as it can be read. */
const storedKeys = `(async () => {
	const settled = (request) => new Promise((resolve, reject) => {
		request.onsuccess = () => resolve(request.result);
		request.onerror = () => reject(request.error);
	});
	const store = await settled(indexedDB.open("tau-agent-keys"));
	const [key] = await settled(store.transaction("keys").objectStore("keys").getAll());
	const records = await settled(store.transaction("sealed").objectStore("sealed").getAll());
	const text = records.map((each) => each.name + new TextDecoder("latin1").decode(each.bytes)).join();
	return { isExtractable: key.extractable, text: text + JSON.stringify(localStorage) };
})()`;

/** The played model has no answer for pages of other origins. */
function allowing(target: string): { url: string; headers: Headers[] } & AsyncDisposable {
	const headers: Headers[] = [];
	const cors = { "access-control-allow-origin": origin, "access-control-allow-headers": "*" };
	const proxy = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
			headers.push(request.headers);
			const { pathname } = new URL(request.url);
			const answer = await fetch(new URL(target).origin + pathname, {
				method: request.method,
				headers: request.headers,
				body: await request.text(),
			});
			return new Response(answer.body, {
				status: answer.status,
				headers: { ...cors, "content-type": answer.headers.get("content-type") ?? "" },
			});
		},
	});
	return { url: proxy.url.origin, headers, [Symbol.asyncDispose]: () => proxy.stop(true) };
}
