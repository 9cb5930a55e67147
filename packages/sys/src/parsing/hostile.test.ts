/** Documents, archives, images and pages that were made to hang, fill or crash their reader. */
import { deflateSync, gzipSync } from "node:zlib";

import { describe, expect, test } from "bun:test";
import { isFullDepth, samples } from "../../../../test/support/depth.ts";
import { docx, openDocument, pdf, xlsx, zipped } from "../../../../test/support/document-files.ts";
import { documentText, fitImage, htmlToMarkdown, listArchive, readArchiveEntry } from "./index.ts";
import { limits } from "./limits.ts";
import { tasks } from "./tasks.ts";
import { WorkerPool } from "../worker/index.ts";

const megabyte = 1024 * 1024;
/** Under heavy load a time limit may be hit first. */
const patience = 180_000;

/** The turns of the event loop while something else runs: none if that blocks the thread. */
async function turnsDuring<T>(
	work: () => Promise<T>,
): Promise<{ value: T; turns: number; grownBytes: number }> {
	const before = process.memoryUsage().rss;
	let turns = 0;
	const timer = setInterval(() => turns++, 1);
	try {
		const value = await work();
		return { value, turns, grownBytes: process.memoryUsage().rss - before };
	} finally {
		clearInterval(timer);
	}
}

/** A PDF whose only page has this content, compressed. */
function pdfWithContent(content: Buffer): Uint8Array {
	const packed = deflateSync(content, { level: samples(9, 1) });
	const head = Buffer.from(pdf([""])).toString("latin1");
	const stream = `<< /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed.toString("latin1")}\nendstream`;
	return Buffer.from(
		head.replace(/<< \/Length 0 >>\nstream\n\nendstream/, () => stream),
		"latin1",
	);
}

describe("a hostile PDF", () => {
	test(
		"that unpacks to many megabytes is stopped by a limit with a way out, and keys are handled meanwhile",
		async () => {
			const shown = "a".repeat(isFullDepth ? 24 : 100);
			const line = Buffer.from(`BT /F1 12 Tf 10 10 Td (${shown}) Tj ET q 1 0 0 1 0 0 cm\n`);
			const bomb = pdfWithContent(Buffer.alloc(samples(200, 12) * megabyte, line));
			expect(bomb.length).toBeLessThan(2 * megabyte);
			// It is read until the limit, whose usual 20 s no other test needs.
			const ms = isFullDepth ? limits.document.ms : 1000;
			const { value, turns, grownBytes } = await turnsDuring(() => documentText(bomb, "pdf", { ms }));
			if (value.ok) expect(value.truncated).toBe(true);
			else {
				expect(value.problem).toBe("limit");
				expect(value.message).toMatch(
					/^Reading was stopped: it (?:took longer than (?:20|1) s|needed more than 768 MB of memory)\. Read fewer pages/,
				);
			}
			expect(turns).toBeGreaterThan(20);
			expect(grownBytes).toBeLessThan(128 * megabyte);
		},
		patience,
	);

	test(
		"ends at once when its reader aborts",
		async () => {
			const bomb = pdfWithContent(Buffer.alloc(samples(100, 20) * megabyte, "q Q 1 0 0 1 0 0 cm\n"));
			const stop = new AbortController();
			const reading = documentText(bomb, "pdf", { signal: stop.signal });
			await Bun.sleep(0);
			stop.abort();
			expect(await reading).toMatchObject({ ok: false, problem: "aborted" });
		},
		patience,
	);

	test(
		"with objects nested without end gives a result",
		async () => {
			const deep = Buffer.from(pdf(["text"])).toString("latin1");
			const nested = deep.replace("/Type /Catalog", () => `/Type /Catalog /X ${"[".repeat(300_000)}`);
			const result = await documentText(Buffer.from(nested, "latin1"), "pdf");
			expect(typeof result.ok).toBe("boolean");
		},
		patience,
	);
});

describe("a hostile Office document", () => {
	test(
		"that defines entities which expand without end is damaged",
		async () => {
			const entities = Array.from(
				{ length: 12 },
				(_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`,
			).join("");
			const bomb = `<!DOCTYPE w [<!ENTITY e0 "lol">${entities}]><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>&e12;</w:t></w:r></w:p></w:body></w:document>`;
			const bytes = zipped({ "word/document.xml": bomb });
			const { value, grownBytes } = await turnsDuring(() => documentText(bytes, "docx"));
			if (value.ok) expect(value.text.length).toBeLessThan(1000);
			else expect(value.problem).toBe("damaged");
			expect(grownBytes).toBeLessThan(64 * megabyte);
		},
		patience,
	);

	test(
		"with elements nested without end gives a result",
		async () => {
			const body = "<w:sdt>".repeat(200_000) + "</w:sdt>".repeat(200_000);
			expect(typeof (await documentText(docx(body), "docx")).ok).toBe("boolean");
			const odt = "<text:p>".repeat(100_000) + "</text:p>".repeat(100_000);
			const text = openDocument(`<office:text>${odt}</office:text>`);
			expect(typeof (await documentText(text, "odt")).ok).toBe("boolean");
		},
		patience,
	);

	test(
		"whose part unpacks to more than is supported is rejected with the number",
		async () => {
			const bytes = docx("", { "word/document.xml": " ".repeat(40 * megabyte) });
			expect(await documentText(bytes, "docx")).toMatchObject({
				ok: false,
				problem: "too-large",
				message: expect.stringContaining("at most 33554432 are supported"),
			});
		},
		patience,
	);
});

test(
	"a sheet of 200,000 rows is read in less than 150 MB, every row with its number",
	async () => {
		const rows = Array.from({ length: 200_000 }, (_, at) => {
			const row = at + 1;
			return `<row r="${row}"><c r="A${row}"><v>${row}</v></c><c r="B${row}" t="s"><v>0</v></c><c r="C${row}"><v>0.5</v></c></row>`;
		}).join("");
		const bytes = xlsx({ Big: rows }, ["<t>word</t>"]);
		// A process that has run before may have grown already.
		const fresh = new WorkerPool<typeof tasks>({
			name: "sys",
			entry: "@tau/sys/worker",
			load: async () => tasks,
		});
		const bounds = { ...limits.document, memoryBytes: 150 * megabyte, ms: patience };
		const result = await fresh.run("document", [bytes, "xlsx", {}], { limits: bounds });
		if (!result.ok) throw new Error(result.message);
		expect(result.truncated).toBe(false);
		expect(result.text).toEndWith("200000\t200000\tword\t0.5");
	},
	patience,
);

describe("a hostile archive", () => {
	test(
		"of gzip that unpacks to gigabytes is refused",
		async () => {
			const bytes = gzipSync(Buffer.alloc(400 * megabyte), { level: 1 });
			const { value, turns } = await turnsDuring(() => listArchive({ name: "bomb.tgz", bytes }));
			expect(value).toMatchObject({ ok: false, problem: "too-large" });
			expect(turns).toBeGreaterThan(5);
		},
		patience,
	);

	test("whose entry is larger than it declares is damaged", async () => {
		const bytes = Buffer.from(zipped({ "a.txt": "x".repeat(megabyte) }));
		const directory = bytes.lastIndexOf("PK\x01\x02");
		bytes.writeUInt32LE(10, directory + 24);
		expect(await readArchiveEntry({ name: "a.zip", bytes }, "a.txt")).toMatchObject({
			ok: false,
			problem: "damaged",
		});
	});
});

test(
	"an image that is large but valid is decoded elsewhere, and one that claims too much not at all",
	async () => {
		const side = 3000;
		const bitmap = Buffer.alloc(54 + side * side * 3, 0x40);
		bitmap.write("BM");
		bitmap.writeUInt32LE(54, 10);
		bitmap.writeUInt32LE(40, 14);
		bitmap.writeInt32LE(side, 18);
		bitmap.writeInt32LE(side, 22);
		bitmap.writeUInt16LE(1, 26);
		bitmap.writeUInt16LE(24, 28);
		bitmap.writeUInt32LE(0, 30);
		const { value, turns } = await turnsDuring(() => fitImage(bitmap));
		expect(value).toMatchObject({ ok: true, width: 2000, height: 2000 });
		expect(turns).toBeGreaterThan(5);
		const png = Buffer.from(await new Bun.Image(bitmap).resize(4, 4).png().bytes());
		png.writeUInt32BE(60_000, 16);
		png.writeUInt32BE(60_000, 20);
		expect(await fitImage(png)).toMatchObject({ ok: false, problem: "too-large" });
	},
	patience,
);

test(
	"a page with elements nested without end is converted or stopped, while keys are handled",
	async () => {
		const html = `<html><body>${"<div><b>".repeat(60_000)}text`;
		const { turns } = await turnsDuring(() =>
			htmlToMarkdown(html, { readability: true }).catch(() => undefined),
		);
		expect(turns).toBeGreaterThan(5);
	},
	patience,
);
