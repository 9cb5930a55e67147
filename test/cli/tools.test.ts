/** Every tool works in the real program: called by the demo model, as a user can try it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "bun:test";

import { builtinTools } from "@tau/integrations/builtin";
import { launch, type Launched } from "../support/launch.ts";

let tau: Launched;
beforeAll(async () => {
	tau = await launch({ steps: [] });
	writeFileSync(join(tau.project, "note.txt"), "first line\nsecond line\n");
	writeFileSync(join(tau.project, "code.ts"), "log(1, 2);\n");
	// Its grammar is a library that the executable contains.
	writeFileSync(join(tau.project, "code.py"), "def f(x):\n    return hush(x)\n");
	const cells = [{ cell_type: "markdown", metadata: {}, source: ["# Title"] }];
	writeFileSync(
		join(tau.project, "book.ipynb"),
		JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 }),
	);
	mkdirSync(join(tau.project, "sub"));
	writeFileSync(join(tau.project, "sub/deep.txt"), "deep");
});
afterAll(() => tau[Symbol.asyncDispose]());

const project = (name: string): string => readFileSync(join(tau.project, name), "utf8");

const calls: Record<string, [args: object, said: string | RegExp, check?: () => void]> = {
	read: [{ path: "note.txt", offset: 2 }, "second line"],
	write: [
		{ path: "new/made.txt", content: "made\n" },
		"made.txt",
		() => expect(project("new/made.txt")).toBe("made\n"),
	],
	edit: [
		{ path: "note.txt", edits: [{ oldText: "first", newText: "1st" }] },
		"Edited note.txt",
		() => expect(project("note.txt")).toStartWith("1st line\n"),
	],
	bash: [{ command: "echo from-the-shell" }, "from-the-shell"],
	job: [{ action: "list" }, /job/i],
	grep: [{ pattern: "second" }, "note.txt"],
	find: [{ pattern: "*.txt" }, "deep.txt"],
	ls: [{ path: "sub" }, "deep.txt"],
	ast_grep: [{ pattern: "hush($A)" }, "$A=x"],
	ast_edit: [{ pattern: "log($A, $B)", rewrite: "log($B, $A)" }, "Nothing is written yet"],
	browser: [{ action: "tabs" }, /browser|tab/],
	web_search: [{ query: "x" }, "No web search provider configured."],
	generate_image: [{ subject: "x" }, "No service for images has a key."],
	debug: [{ action: "sessions" }, "No program is being debugged."],
	ssh: [{}, "No hosts are configured."],
	lsp: [{ action: "status" }, "No language server running"],
	resolve: [{ action: "apply" }, "No pending action"],
	eval: [{ language: "js", code: "6 * 7" }, "42"],
	notebook: [
		{ path: "book.ipynb", action: "insert", cell_index: 1, content: "print(1)" },
		"Inserted code cell 1",
		() => expect(project("book.ipynb")).toContain("print(1)"),
	],
	todo: [{ ops: [{ op: "init", list: [{ phase: "A", items: ["one", "two"] }] }] }, "2 of 2 left."],
	task: [{ tasks: [{ assignment: "say hello", name: "Hello" }] }, "[agent Hello (task) completed"],
	irc: [{ op: "list" }, /irc/],
	// Only in plan mode.
	submit_plan: [{ plan: "x" }, /There is no tool "submit_plan"/],
	ask: [{ questions: [{ question: "Which?" }] }, "No user is available to answer"],
};

test.each(builtinTools.map(({ name }) => name))("%s", async (name) => {
	const [args, said, check] = calls[name] ?? [{}, "a call in this table"];
	// Named, because some are not in the first request otherwise.
	const options = ["--tools", `+${name}`, "--model", "tau/demo"];
	const { code, out } = await tau.run(["-p", `call ${name} ${JSON.stringify(args)}`, ...options]);
	expect(out).toMatch(said);
	expect(code).toBe(0);
	check?.();
});

test("in a read-only directory, the tools report it and nothing breaks", async () => {
	using owned = new DisposableStack();
	const directory = mkdtempSync(join(tmpdir(), "tau-tools-"));
	owned.defer(() => rmSync(directory, { recursive: true, force: true }));
	writeFileSync(join(directory, "taken"), "a file, not a directory");
	const call = `call write ${JSON.stringify({ path: "taken/inside.txt", content: "x" })}`;
	const { code, out } = await tau.run(["-p", call, "--model", "tau/demo"], { cwd: directory });
	expect(code).toBe(0);
	expect(out).toContain("failed");
	expect(readFileSync(join(directory, "taken"), "utf8")).toBe("a file, not a directory");
});

test("a tool that is searched for is called by its name, too", async () => {
	const { out } = await tau.run(["-p", 'call lsp {"action":"status"}', "--model", "tau/demo"]);
	expect(out).toContain("No language server running");
});

test("--tools wins over the settings of single tools", async () => {
	await using other = await launch({ steps: ["Done.", "Done."] });
	writeFileSync(join(other.agentDir, "config.yml"), "bash: { enabled: false }\ntodo: { enabled: false }\n");
	await other.run(["-p", "go"]);
	await other.run(["-p", "go", "--tools", "read,bash,todo"]);
	const [set, named] = other.played.requests.map(({ body }) =>
		(body as { tools: { name: string }[] }).tools.map(({ name }) => name),
	);
	expect(set).not.toContainAnyValues(["bash", "todo"]);
	expect(named?.toSorted()).toEqual(["bash", "read", "todo"]);
});
