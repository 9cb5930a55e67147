/** Built-in tools that an extension creates with its own operations use only those operations. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTool, type OwnTool, type ToolOptions } from "../builtin-tools.ts";

const cwd = "/nowhere/at/all";

/** Files in memory, as if on another machine. */
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

	test("reads through them, whole or in part, and says how to continue", async () => {
		expect(await run(read, { path: "a.txt" })).toBe("one\ntwo\nthree\nfour");
		expect(await run(read, { path: "a.txt:2-3" })).toBe(
			"two\nthree\n[lines 2-3 of 4; continue with offset 4]",
		);
	});

	test("returns the text of a file of this machine to its last line feed, and what is left out", async () => {
		const directory = mkdtempSync(join(tmpdir(), "tau-read-"));
		using stack = new DisposableStack();
		stack.defer(() => rmSync(directory, { recursive: true, force: true }));
		writeFileSync(join(directory, "a.txt"), "one\n  two\n");
		writeFileSync(join(directory, "long.txt"), "x\n".repeat(6000));
		const local = createTool("read", directory);
		expect(local.description).not.toContain("line numbers");
		expect(await run(local, { path: "a.txt" })).toBe("one\n  two\n");
		const { content, details } = await local.execute("1", { path: "long.txt" });
		expect(content).toMatchObject([
			{ text: expect.stringMatching(/^x\nx\n[^]*continue with offset 5001\]$/) },
		]);
		expect(details).toMatchObject({
			truncation: { truncated: true, truncatedBy: "lines", totalLines: 6000, outputLines: 5000 },
		});
	});

	test("a missing file, or an offset past the end, is an error", async () => {
		await expect(run(read, { path: "b.txt" })).rejects.toThrow("ENOENT");
		await expect(run(read, { path: "a.txt", offset: 9 })).rejects.toThrow("past its end");
	});

	test("a file is an image if they say so", async () => {
		const detecting = { ...operations, detectImageMimeType: async () => "image/png" };
		const pictures = createTool("read", cwd, { operations: detecting });
		expect(await run(pictures, { path: "p.png" })).toContain("<image/png>");
	});
});

test("write creates the directory and writes through them", async () => {
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

	test("replaces each match once, keeps the line endings and shows what changed", async () => {
		const { tool, text } = editing("one\r\ntwo\r\nthree\r\n");
		const edits = [
			{ oldText: "two", newText: "2\n2b" },
			{ oldText: "one", newText: "1" },
		];
		const { details } = await tool.execute("call", { path: "a.txt", edits });
		expect(text()).toBe("1\r\n2\r\n2b\r\nthree\r\n");
		expect(details).toMatchObject({ firstChangedLine: 1, diff: expect.stringContaining("+3 2b") });
	});

	test("a text that is missing or not unique changes nothing", async () => {
		const { tool, text } = editing("same\nsame\n");
		await expect(run(tool, { path: "a.txt", edits: [{ oldText: "same", newText: "x" }] })).rejects.toThrow(
			/oldText occurs 2 times/,
		);
		await expect(run(tool, { path: "a.txt", edits: [{ oldText: "gone", newText: "x" }] })).rejects.toThrow(
			"does not occur",
		);
		expect(text()).toBe("same\nsame\n");
	});
});

describe("tools with operations have the features of the built-in ones", () => {
	test("a near match is reported, pi's old arguments are accepted, and changes by others are not lost", async () => {
		const { contents, at, bytes } = elsewhere({ "a.txt": "function one() {\n\treturn 1;\n}\n" });
		let isChanging = false;
		const edit = createTool("edit", cwd, {
			operations: {
				access: async (path) => void at(path),
				readFile: async (path) => {
					const read = await bytes(path);
					// Another program writes the file between two reads.
					if (isChanging) contents.set(path, `${at(path)}// theirs\n`);
					return read;
				},
				writeFile: async (path, content) => void contents.set(path, content),
			},
		});
		const path = join(cwd, "a.txt");
		const far = run(edit, { path: "a.txt", edits: [{ oldText: "return 2;\n\treturn 3;", newText: "x" }] });
		await expect(far).rejects.toThrow(/closest match/);
		await run(edit, { path: "a.txt", oldText: "return 1;", newText: "return 2;" });
		expect(at(path)).toContain("return 2;");
		isChanging = true;
		const refused = run(edit, { path: "a.txt", edits: [{ oldText: "return 2;", newText: "return 3;" }] });
		expect(refused).rejects.toThrow(/was changed by another program/);
		expect(at(path)).not.toContain("return 3;");
	});

	test("a file that changed after it was read is not overwritten", async () => {
		const { contents, at, bytes } = elsewhere({ "a.txt": "one\n" });
		const operations = {
			access: async (path: string) => void at(path),
			readFile: bytes,
			writeFile: async (path: string, content: string) => void contents.set(path, content),
			mkdir: async () => {},
		};
		const write = createTool("write", cwd, { operations });
		await run(write, { path: "a.txt", content: "two\n" });
		contents.set(join(cwd, "a.txt"), "theirs\n");
		await expect(run(write, { path: "a.txt", content: "three\n" })).rejects.toThrow(
			/was changed since you read it/,
		);
	});

	test("a long output is cut, and the whole is in an artifact", async () => {
		const exec = async (_: string, __: string, { onData }: { onData(data: Buffer): void }) => {
			for (let line = 0; line < 20_000; line++) onData(Buffer.from(`line ${line} of a long output\n`));
			return { exitCode: 0 };
		};
		const bash = createTool("bash", cwd, { operations: { exec } });
		const { content, details } = await bash.execute("call", { command: "x" });
		expect(JSON.stringify(content)).toContain("artifact://");
		expect(details).toMatchObject({ truncated: true, totalLines: 20_000 });
	});

	test("a command ends on abort and timeout, whatever the operations do", async () => {
		const exec = (_: string, __: string, { signal }: { signal?: AbortSignal }) =>
			new Promise<never>((_resolve, reject) => {
				signal?.addEventListener("abort", () => reject(new Error("aborted")));
			});
		const bash = createTool("bash", cwd, { operations: { exec } });
		await expect(run(bash, { command: "sleep 100", timeout: 1 })).rejects.toThrow(/timed out after 1 s/);
		const stop = new AbortController();
		const running = bash.execute("call", { command: "sleep 100" }, stop.signal);
		stop.abort();
		await expect(running).rejects.toThrow(/interrupted by the user/);
	});
});

test("ls lists through them, directories with a slash, and leaves out missing files", async () => {
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
	expect(run(ls, { path: "A.txt" })).rejects.toThrow("A.txt is a file. Use read.");
	await expect(run(ls, { path: "none" })).rejects.toThrow("There is no directory none.");
});

test("find gets the files from them, and shows paths relative to the directory", async () => {
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
	expect(await run(find, { pattern: "*.ts", limit: 50 })).toContain("a.ts");
	expect(asked).toEqual([["*.ts", cwd, 50]]);
});

describe("grep", () => {
	let directory = "";
	beforeEach(() => {
		directory = mkdtempSync(join(tmpdir(), "tau-grep-"));
		writeFileSync(join(directory, "a.txt"), "one\nneedle\nthree\n");
	});
	afterEach(() => rmSync(directory, { recursive: true, force: true }));

	test("searches locally and shows the lines that they read", async () => {
		const grep = createTool("grep", directory, {
			operations: { isDirectory: () => true, readFile: () => "ONE\nNEEDLE\nTHREE" },
		});
		expect(await run(grep, { pattern: "needle", context: 1 })).toBe(
			"a.txt-1- ONE\na.txt:2: NEEDLE\na.txt-3- THREE",
		);
		expect(await run(grep, { pattern: "nothing" })).toBe("No matches for nothing.");
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

	test("a command that fails is an error with its output", async () => {
		const exec = async (_: string, __: string, { onData }: { onData(data: Buffer): void }) => {
			onData(Buffer.from("no such thing\n"));
			return { exitCode: 3 };
		};
		const bash = createTool("bash", cwd, { operations: { exec } });
		await expect(run(bash, { command: "x" })).rejects.toThrow(/no such thing[^]*exited with code 3/);
	});
});
