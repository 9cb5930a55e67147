/** Files other than plain text are converted by type: images, documents, notebooks, archives. */
import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";

import { testToolEnv, writeArchiveEntry, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { testModel } from "../../../../test/support/session.ts";
import { limits } from "./limits.ts";
import { readFixture, pdf, png, type ReadFixture } from "../../../../test/support/read-fixture.ts";

describe("an image", () => {
	test("is sent to the model unchanged, with its properties", async () => {
		await using at = readFixture(await testToolEnv());
		const bytes = await png(30, 20);
		at.put("picture.bin", bytes);
		const { content, details, isError } = await at.read("picture.bin");
		expect(isError).toBeUndefined();
		expect(content).toEqual([
			{ type: "text", text: `picture.bin (image/png, 30x20 pixels, ${bytes.length} B)` },
			{ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: "image/png" },
		]);
		expect(details).toMatchObject({ mimeType: "image/png", width: 30, height: 20, sent: true });
	});

	test("that is too large is scaled down, and the model learns the factor", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("large.png", await png(4000, 100));
		const { text, content, details } = await at.read("large.png");
		expect(text).toContain("shown as 2000x50: multiply coordinates by 2.00");
		expect(content[1]?.type).toBe("image");
		expect(details).toMatchObject({ sentWidth: 2000, sentHeight: 50 });
	});

	test("is described to a model without vision", async () => {
		const model = testModel({ input: ["text"] });
		const conversation = {
			model,
			messages: [],
			history: () => [],
			hasTool: () => true,
			emit: async () => {},
			deliver: () => {},
		};
		await using at = readFixture(await testToolEnv({ session: conversation }));
		at.put("a.png", await png(30, 20));
		const { content, text } = await at.read("a.png");
		expect(content).toHaveLength(1);
		expect(text).toMatch(
			/^a\.png is an image \(image\/png, 30x20 pixels, \d+ B\)\. This model does not support images/,
		);
	});

	test("that is broken is reported as such", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("a.png", (await png(300, 200)).slice(0, 60));
		expect(await at.read("a.png")).toMatchObject({
			isError: true,
			text: expect.stringContaining("truncated or broken"),
		});
	});
});

describe("a document", () => {
	test("is read as its text, page by page", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("a.pdf", pdf(["Hello", "World", "again"]));
		const whole = await at.read("a.pdf");
		expect(whole.text).toContain("--- Page 1 of 3 ---\n\nHello\n\n--- Page 2 of 3 ---\n\nWorld");
		expect(whole.details).toMatchObject({ kind: "pdf", pages: 3, truncated: false });
		expect((await at.read("a.pdf:2")).text).toBe(
			"--- Page 2 of 3 ---\n\nWorld\n\n--- Page 3 of 3 ---\n\nagain",
		);
		expect((await at.read("a.pdf:2-2")).text).toBe("--- Page 2 of 3 ---\n\nWorld");
		expect(await at.read("a.pdf:7")).toMatchObject({
			isError: true,
			text: "a.pdf: There is no page 7: there are 3.",
		});
		expect(await at.read("a.pdf", { offset: 3, limit: 1 })).toMatchObject({
			text: "Hello\n[lines 3-3 of 11; continue with offset 4]",
		});
	});

	test("of an Office program is recognized by its extension", async () => {
		await using at = readFixture(await testToolEnv());
		const w = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
		const body = `<w:body><w:p><w:r><w:t>From Word</w:t></w:r></w:p></w:body>`;
		const xml = `<?xml version="1.0"?><w:document xmlns:w="${w}">${body}</w:document>`;
		await writeArchiveEntry(at.at("made.zip"), "word/document.xml", xml);
		at.put("a.docx", await Bun.file(at.at("made.zip")).bytes());
		expect((await at.read("a.docx")).text).toBe("From Word");
	});

	test("that is damaged, or only has the extension, is reported", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("torn.pdf", "%PDF-1.7\nand nothing");
		at.put("text.pdf", "just words\n");
		expect(await at.read("torn.pdf")).toMatchObject({
			isError: true,
			text: expect.stringContaining("damaged"),
		});
		expect((await at.read("text.pdf")).text).toBe("     1  just words");
	});
});

describe("a notebook", () => {
	const cells = [
		{ cell_type: "markdown", metadata: {}, source: ["# Title\n", "words"] },
		{
			cell_type: "code",
			execution_count: 3,
			metadata: {},
			outputs: [
				{ output_type: "stream", name: "stdout", text: ["1\n", "2\n"] },
				{ output_type: "display_data", data: { "image/png": "AAAA", "text/plain": "<Figure>" } },
				{ output_type: "error", ename: "ValueError", evalue: "no \u001b[31mway", traceback: [] },
			],
			source: "print(1)",
		},
		{ cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: [] },
	];
	const notebook = JSON.stringify({
		cells,
		metadata: { kernelspec: { language: "py\u001b[31mthon" } },
		nbformat: 4,
	});

	test("shows its cells with the numbers that the notebook tool accepts, and short outputs", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("a.ipynb", notebook);
		expect((await at.read("a.ipynb")).text).toBe(
			[
				"[a.ipynb: 3 cells, python]",
				"--- cell 0: markdown ---\n# Title\nwords\n",
				"--- cell 1: code [3] ---\nprint(1)",
				"--- output ---\n1\n2",
				"--- output ---\n<Figure>\n--- output: image/png ---",
				"--- output ---\nValueError: no way\n",
				"--- cell 2: code ---\n",
			]
				.join("\n")
				.trimEnd(),
		);
		expect((await at.read("a.ipynb:1-1")).text).toContain("cell 1:");
		expect((await at.read("a.ipynb:1-1")).text).not.toContain("cell 2:");
		expect(await at.read("a.ipynb:5")).toMatchObject({
			isError: true,
			text: "a.ipynb has cells 0 to 2; there is no cell 5.",
		});
	});

	test("cuts long outputs", async () => {
		await using at = readFixture(await testToolEnv());
		const text = Array.from({ length: 100 }, (_, index) => `${index}\n`);
		const outputs = [{ output_type: "stream", text }];
		at.put("a.ipynb", JSON.stringify({ cells: [{ cell_type: "code", outputs, source: "x" }] }));
		const shown = (await at.read("a.ipynb")).text.split("\n");
		expect(shown.at(-1)).toBe("… output truncated");
		expect(shown).toHaveLength(4 + limits.outputLines + 1);
	});

	test("with invalid content is shown as text", async () => {
		await using at = readFixture(await testToolEnv());
		at.put("a.ipynb", "{ torn");
		expect((await at.read("a.ipynb")).text).toBe("     1  { torn");
	});
});

describe("an archive", () => {
	async function packed(at: ReadFixture<TestToolEnv>, name: string): Promise<void> {
		const entries: [string, string | Uint8Array][] = [
			["src/main.ts", "one\ntwo\nthree\n"],
			["src/deep/odd:2", "odd\n"],
			["docs/a.pdf", pdf(["Inside"])],
			["picture.png", await png(3, 2)],
			["blob", new Uint8Array([0, 1, 2])],
			["inner.zip", "PK\x03\x04"],
		];
		for (const [entry, content] of entries) {
			expect(await writeArchiveEntry(at.at(name), entry, content)).toMatchObject({ ok: true });
		}
	}

	test.each(["a.zip", "a.tar", "a.tar.gz", "a.tgz"])(
		"%s lists its contents, and reads single files",
		async (name) => {
			await using at = readFixture(await testToolEnv());
			await packed(at, name);
			const list = await at.read(name);
			expect(list.text).toContain("src/main.ts  14 B\nsrc/deep/odd:2  4 B\n");
			expect(list.details).toMatchObject({ entries: 6 });
			expect((await at.read(`${name}:src/main.ts`)).text).toBe("     1  one\n     2  two\n     3  three");
			expect((await at.read(`${name}:src/main.ts:2-2`)).text).toContain("     2  two\n[lines 2-2 of 3");
			expect((await at.read(`${name}:src/main.ts`, { offset: 3 })).text).toBe("     3  three");
			expect((await at.read(`${name}:src/deep/odd:2`)).text).toBe("     1  odd");
			expect((await at.read(`${name}:src/`)).text).toBe("src/main.ts  14 B\nsrc/deep/odd:2  4 B");
			expect((await at.read(`${name}:docs/a.pdf`)).text).toContain("Inside");
			expect((await at.read(`${name}:picture.png`)).content[1]?.type).toBe("image");
		},
	);

	test("reports what it cannot read", async () => {
		await using at = readFixture(await testToolEnv());
		await packed(at, "a.zip");
		const refused: [path: string, message: string][] = [
			["a.zip:src/mian.ts", "a.zip: src/mian.ts is not in the archive. Did you mean src/main.ts?"],
			["a.zip:blob", "Cannot read binary file a.zip:blob"],
			["a.zip:inner.zip", "a.zip:inner.zip must be unpacked first"],
			["a.zip:../../etc/passwd", "is not in the archive"],
			["a.zip?q=SELECT 1", "a.zip is not a SQLite database"],
		];
		for (const [path, message] of refused) {
			const { text, isError } = await at.read(path);
			expect(isError).toBe(true);
			expect(text).toContain(message);
		}
	});

	test("is recognized by its bytes too, and an invalid one is reported", async () => {
		await using at = readFixture(await testToolEnv());
		await packed(at, "a.zip");
		at.put("tool.jar", await Bun.file(at.at("a.zip")).bytes());
		at.put("torn.zip", (await Bun.file(at.at("a.zip")).bytes()).slice(0, 100));
		at.put("text.tgz", gzipSync("no tar"));
		expect((await at.read("tool.jar:src/main.ts:1-1")).text).toContain("     1  one");
		expect(await at.read("torn.zip")).toMatchObject({
			isError: true,
			text: expect.stringContaining("damaged"),
		});
		expect(await at.read("text.tgz")).toMatchObject({
			isError: true,
			text: expect.stringContaining("neither"),
		});
	});
});
