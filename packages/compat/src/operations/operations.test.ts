/** Built-in tools that an extension makes with operations of its own work through them, and through nothing else. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createTool, type OwnTool, type ToolOptions } from "../builtin-tools.ts";

const cwd = "/nowhere/at/all";

/** Files that are only in memory, as if on another machine. */
function elsewhere(files: Record<string, string>) {
	const contents = new Map(Object.entries(files).map(([name, text]) => [join(cwd, name), text]));
	const at = (path: string): string => {
		const text = contents.get(path);
		if (text === undefined) throw new Error(`ENOENT ${path}`);
		return text;
	};
	return { contents, at, bytes: async (path: string) => Buffer.from(at(path)) };
}

async function run(tool: OwnTool, params: Record<string, unknown>): Promise<string> {
	const { content } = await tool.execute("call", params);
	return content.map((part) => (part.type === "text" ? part.text : `<${part.mimeType}>`)).join("\n");
}

describe("read", () => {
	const { at, bytes } = elsewhere({ "a.txt": "one\ntwo\nthree\nfour", "p.png": "not really" });
	const operations = { readFile: bytes, access: async (path: string) => void at(path) };
	const read = createTool("read", cwd, { operations });

	test("reads through them, whole or a part, and says how to go on", async () => {
		expect(await run(read, { path: "a.txt" })).toBe("one\ntwo\nthree\nfour");
		expect(await run(read, { path: "a.txt", offset: 2, limit: 2 })).toBe(
			"two\nthree\n\n[Lines 2-3 of 4. Continue with offset=4.]",
		);
	});

	test("what is not there, or lies past the end, is an error", async () => {
		expect(run(read, { path: "b.txt" })).rejects.toThrow("ENOENT");
		expect(run(read, { path: "a.txt", offset: 9 })).rejects.toThrow("past the end");
	});

	test("a picture is one where they say so", async () => {
		const detecting = { ...operations, detectImageMimeType: async () => "image/png" };
		const pictures = createTool("read", cwd, { operations: detecting });
		expect(await run(pictures, { path: "p.png" })).toContain("<image/png>");
	});
});

test("write makes the directory and writes through them", async () => {
	const done: string[] = [];
	const write = createTool("write", cwd, {
		operations: {
			mkdir: async (directory) => void done.push(`mkdir ${directory}`),
			writeFile: async (path, content) => void done.push(`${path}: ${content}`),
		},
	});
	await run(write, { path: "deep/a.txt", content: "hello" });
	expect(done).toEqual([`mkdir ${cwd}/deep`, `${cwd}/deep/a.txt: hello`]);
});

describe("edit", () => {
	function editing(text: string) {
		const { contents, at, bytes } = elsewhere({ "a.txt": text });
		const tool = createTool("edit", cwd, {
			operations: {
				readFile: bytes,
				access: async (path) => void at(path),
				writeFile: async (path, content) => void contents.set(path, content),
			},
		});
		return { tool, text: () => at(join(cwd, "a.txt")) };
	}

	test("replaces each place once, keeps the line ends and shows what changed", async () => {
		const { tool, text } = editing("one\r\ntwo\r\nthree\r\n");
		const edits = [
			{ oldText: "two", newText: "2\n2b" },
			{ oldText: "one", newText: "1" },
		];
		const { details } = await tool.execute("call", { path: "a.txt", edits });
		expect(text()).toBe("1\r\n2\r\n2b\r\nthree\r\n");
		expect(details).toMatchObject({ firstChangedLine: 1, diff: expect.stringContaining("+2b") });
	});

	test("a text that is not there, or there twice, changes nothing", async () => {
		const { tool, text } = editing("same\nsame\n");
		expect(run(tool, { path: "a.txt", edits: [{ oldText: "same", newText: "x" }] })).rejects.toThrow(
			"2 times",
		);
		expect(run(tool, { path: "a.txt", edits: [{ oldText: "gone", newText: "x" }] })).rejects.toThrow(
			"does not occur",
		);
		expect(text()).toBe("same\nsame\n");
	});
});

test("ls lists through them, directories with a slash, and leaves out what is gone", async () => {
	const kinds: Record<string, boolean> = { [cwd]: true, [`${cwd}/b`]: true, [`${cwd}/A.txt`]: false };
	const ls = createTool("ls", cwd, {
		operations: {
			exists: (path) => path in kinds,
			stat: (path) => {
				const isDirectory = kinds[path];
				if (isDirectory === undefined) throw new Error("gone");
				return { isDirectory: () => isDirectory };
			},
			readdir: () => ["b", "A.txt", "gone"],
		},
	});
	expect(await run(ls, {})).toBe("A.txt\nb/");
	expect(await run(ls, { limit: 1 })).toContain("[1 of 3 entries]");
	expect(run(ls, { path: "A.txt" })).rejects.toThrow("not a directory");
});

test("find asks them for the files, and shows them below the directory", async () => {
	const asked: unknown[] = [];
	const find = createTool("find", cwd, {
		operations: {
			exists: () => true,
			glob: (pattern, root, options) => {
				asked.push([pattern, root, options.limit]);
				return [`${cwd}/src/a.ts`, "src/b.ts"];
			},
		},
	});
	expect(await run(find, { pattern: "*.ts", limit: 50 })).toBe("src/a.ts\nsrc/b.ts");
	expect(asked).toEqual([["*.ts", cwd, 50]]);
});

describe("grep", () => {
	let directory = "";
	beforeEach(() => {
		directory = mkdtempSync(join(tmpdir(), "tau-grep-"));
		writeFileSync(join(directory, "a.txt"), "one\nneedle\nthree\n");
	});
	afterEach(() => rmSync(directory, { recursive: true, force: true }));

	test("finds here and shows the lines that they read", async () => {
		const grep = createTool("grep", directory, {
			operations: { isDirectory: () => true, readFile: () => "ONE\nNEEDLE\nTHREE" },
		});
		expect(await run(grep, { pattern: "needle", context: 1 })).toBe(
			"a.txt-1- ONE\na.txt:2: NEEDLE\na.txt-3- THREE",
		);
		expect(await run(grep, { pattern: "nothing" })).toBe("No matches found");
	});
});

describe("bash", () => {
	test("runs through them, after the prefix and the hook", async () => {
		const seen: unknown[] = [];
		const options: ToolOptions<"bash"> = {
			commandPrefix: "set -e",
			spawnHook: ({ command, env }) => ({ command, cwd: "/remote", env: { ...env, MARK: "1" } }),
			operations: {
				async exec(command, place, { onData, env }) {
					seen.push(command, place, env?.MARK);
					onData(Buffer.from("remote output\n"));
					return { exitCode: 0 };
				},
			},
		};
		expect(await run(createTool("bash", cwd, options), { command: "ls" })).toContain("remote output");
		expect(seen).toEqual(["set -e\nls", "/remote", "1"]);
	});

	test("a command that fails is an error with what it said", async () => {
		const exec = async (_: string, __: string, { onData }: { onData(data: Buffer): void }) => {
			onData(Buffer.from("no such thing\n"));
			return { exitCode: 3 };
		};
		const bash = createTool("bash", cwd, { operations: { exec } });
		expect(run(bash, { command: "x" })).rejects.toThrow(/no such thing[^]*exited with 3/);
	});
});
