/** Files that are dropped into the page reach the session as its tools read them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { RemoteSession } from "@tau/wire/remote";

import { docx, pdf, pptx, shape, xlsx, zipped } from "../support/document-files.ts";
import { png } from "../support/read-fixture.ts";
import { launchWeb, type LaunchedWeb } from "./launch-web.ts";

interface Uploaded {
	id: string;
	type: string;
	fileName: string;
	size: number;
	path: string;
	mimeType: string;
	content: string;
	extractedText?: string;
	block: string;
	problem?: string;
}

const samples: [name: string, bytes: Uint8Array][] = [
	["report.pdf", pdf(["First page", "Second page"])],
	["letter.docx", docx("<w:p><w:r><w:t>Dear reader</w:t></w:r></w:p>")],
	["slides.pptx", pptx([{ shapes: shape("A title") }])],
	["book.xlsx", xlsx({ Prices: "<row><c><v>7</v></c></row>" })],
	["table.csv", new TextEncoder().encode("name,count\napples,3\n")],
	["notes.ipynb", new TextEncoder().encode(JSON.stringify(notebook()))],
	["files.zip", zipped({ "a.txt": "one", "b/c.txt": "two" })],
];

function notebook(): object {
	const cell = { cell_type: "code", source: ["print(1)\n"], metadata: {}, outputs: [], execution_count: 1 };
	return { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
}

let tau: LaunchedWeb;
let page: RemoteSession;
let base: string;

beforeAll(async () => {
	const calls = samples.map(([path]) => ({ toolCall: { name: "read", arguments: { path } } }));
	tau = await launchWeb({ steps: [{ answer: { blocks: calls } }, "Read them.", "Seen."] });
	for (const [name, bytes] of samples) writeFileSync(join(tau.project, name), bytes);
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	page = await tau.browser.join(id);
	base = `/api/sessions/${id}/uploads`;
});
afterAll(async () => {
	page[Symbol.dispose]();
	await tau[Symbol.asyncDispose]();
});

async function put(uploadId: string, offset: number, bytes: Uint8Array): Promise<Response> {
	const { origin, headers } = tau.browser;
	return await fetch(`${origin}${base}/${uploadId}?offset=${offset}`, {
		method: "PUT",
		headers: { ...headers, "content-type": "application/octet-stream" },
		body: new Uint8Array(bytes),
	});
}

async function upload(name: string, bytes: Uint8Array, mimeType = ""): Promise<Uploaded> {
	const begun = { name, mimeType, size: bytes.length };
	const { uploadId, chunkBytes } = await tau.browser.post<{ uploadId: string; chunkBytes: number }>(
		base,
		begun,
	);
	for (let offset = 0; offset < bytes.length; offset += chunkBytes)
		expect((await put(uploadId, offset, bytes.subarray(offset, offset + chunkBytes))).status).toBe(200);
	return await tau.browser.post<Uploaded>(`${base}/${uploadId}/done`, {});
}

test("the text of a file is the one that the tool read gives to the model", async () => {
	await page.request("prompt", { message: "read them" });
	await page.request("wait_for_idle", {});
	const results = page.view.tail.entries
		.map(({ message }) => message as { role?: string; content?: { text: string }[] } | undefined)
		.filter((message) => message?.role === "toolResult");
	for (const [at, [name, bytes]] of samples.entries()) {
		const uploaded = await upload(name, bytes);
		expect(uploaded).toMatchObject({ type: "document", fileName: name, size: bytes.length });
		// What names the file, and the numbers for edits, are not of its text.
		const shown = (results[at]?.content?.[0]?.text ?? "").split("\n").map(withoutNumber).join("\n");
		const text = (uploaded.extractedText ?? "").replaceAll(uploaded.path, name);
		expect(lines(text)).toEqual(lines(shown));
		expect(readFileSync(uploaded.path)).toEqual(Buffer.from(bytes));
		expect(statSync(uploaded.path).mode & 0o777).toBe(0o600);
	}
});

test("an image becomes one that models take, and a file without text can still be worked on", async () => {
	const image = await upload("shot.png", await png(40, 30), "image/png");
	expect(image).toMatchObject({ type: "image", fileName: "shot.png", mimeType: "image/png", block: "" });
	const binary = await upload("data.bin", new Uint8Array([0, 1, 2, 0, 255]));
	expect(binary.extractedText).toBeUndefined();
	expect(binary.problem).toBeTruthy();
	expect(binary.block).toContain(binary.path);
	const images = [{ type: "image" as const, data: image.content, mimeType: "image/png" }];
	const message = `${binary.block}\n\nlook`;
	await page.request("prompt", { message, images, userText: "look" });
	await page.request("wait_for_idle", {});
	expect(JSON.stringify(tau.played.requests.at(-1))).toContain("data.bin");
});

test("50 MB come in parts; a part that is sent again, or too early, is not written twice", async () => {
	const size = 50 * 2 ** 20;
	const begun = { name: "large.csv", mimeType: "text/csv", size };
	const { uploadId, chunkBytes } = await tau.browser.post<{ uploadId: string; chunkBytes: number }>(
		base,
		begun,
	);
	const chunk = Buffer.alloc(chunkBytes, "a,b,c,d\n");
	expect(await (await put(uploadId, chunkBytes, chunk)).json()).toEqual({ received: 0 });
	for (let offset = 0; offset < size; offset += chunkBytes) {
		const part = chunk.subarray(0, Math.min(chunkBytes, size - offset));
		expect(await (await put(uploadId, offset, part)).json()).toEqual({ received: offset + part.length });
		if (offset === 0) expect(await (await put(uploadId, 0, part)).json()).toEqual({ received: chunkBytes });
	}
	const { path, extractedText } = await tau.browser.post<Uploaded>(`${base}/${uploadId}/done`, {});
	expect(statSync(path).size).toBe(size);
	expect(extractedText).toContain("a,b,c,d");
});

test("names that lead elsewhere, sizes that are wrong and uploads of others are refused", async () => {
	const odd = await upload("../../../../.bashrc", new TextEncoder().encode("x"));
	expect(odd.fileName).toBe("bashrc");
	expect(odd.path).toContain("/uploads/");
	expect((await upload("..\\..\\a\u0000b\n.txt", new TextEncoder().encode("x"))).fileName).not.toMatch(
		/[\\/\0\n]/,
	);
	const tooLarge = { name: "x", mimeType: "", size: 51 * 2 ** 20 };
	expect((await tau.browser.api("POST", base, tooLarge)).status).toBe(413);
	const { uploadId } = await tau.browser.post<{ uploadId: string }>(base, {
		name: "x",
		mimeType: "",
		size: 3,
	});
	expect((await put(uploadId, 0, new Uint8Array(4))).status).toBe(413);
	expect((await put(uploadId, 0, new Uint8Array(5 * 2 ** 20))).status).toBe(413);
	expect((await tau.browser.api("POST", `${base}/${uploadId}/done`, {})).status).toBe(409);
	const elsewhere = base.replace(/sessions\/[^/]+/, "sessions/other");
	expect((await tau.browser.api("POST", `${elsewhere}/${uploadId}/done`, {})).status).toBe(404);
	expect((await tau.browser.api("DELETE", `${base}/${uploadId}`)).status).toBe(204);
	expect((await tau.browser.api("DELETE", `${base}/..%2f..`)).status).toBe(404);
});

test("a page reads the files that the session works on, and is led to no others", async () => {
	writeFileSync(join(tau.project, "page.html"), "<p>hi</p>");
	writeFileSync(join(tau.home, "key"), "secret");
	symlinkSync(join(tau.home, "key"), join(tau.project, "link.txt"));
	expect((await page.request("complete_path", { query: "page" })).paths).toContain("page.html");
	const { content } = await page.request("read_path", { path: "page.html" });
	expect(content).toEqual([{ type: "text", text: expect.stringContaining("<p>hi</p>") }]);
	const { data } = await page.request("get_file", { path: "page.html" });
	expect(Buffer.from(data, "base64").toString()).toBe("<p>hi</p>");
	for (const path of ["link.txt", "../home/key", join(tau.home, "key"), "/etc/passwd", "~/key"])
		for (const command of ["read_path", "get_file"] as const)
			expect(page.request(command, { path })).rejects.toThrow(/not in a directory|no file/);
});

function lines(text: string): string[] {
	return text
		.split("\n")
		.map((line) => line.trim())
		.filter(Boolean);
}

function withoutNumber(line: string): string {
	return line.replace(/^\s*\d+\s{2}/, "");
}
