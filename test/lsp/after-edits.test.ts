/** The model sees the errors that its edits introduce, in the result of the edit, from the project's own language server. */
// takes 23 s
import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, root, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

const model = ["--model", "played/played-1"];

function call(name: string, args: Record<string, unknown>) {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

/** Waits for the server, however busy the machine is: what it finds after an edit is in the result, or in a note after it. */
function answered(...paths: string[]) {
	return paths.map((path) => call("lsp", { action: "diagnostics", path }));
}

/** What was added to results of edits and noted after them, not what the model has asked for. */
function reported({ played }: Launched): string {
	const { messages } = JSON.parse(played.requests.at(-1)?.rawBody ?? "{}") as { messages: unknown[] };
	const texts: string[] = [];
	JSON.stringify(messages, (_key, value: unknown) => {
		if (typeof value === "string" && /new errors/i.test(value)) texts.push(value);
		return value;
	});
	return texts.join("\n");
}

/** A project with TypeScript 7, which brings its language server. */
function typescriptProject({ project }: Launched, files: Record<string, string>): void {
	mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
	symlinkSync(join(root, "node_modules/typescript"), join(project, "node_modules/typescript"));
	symlinkSync("../typescript/bin/tsc", join(project, "node_modules/.bin/tsc"));
	writeFileSync(join(project, "tsconfig.json"), '{ "compilerOptions": { "strict": true, "noEmit": true } }');
	for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
}

test("new errors of the edited file and of open files that depend on it are in the results, old ones are not", async () => {
	await using tau = await launch({
		steps: [
			// Opens both files; the first start of the server may take longer than a result waits.
			...answered("a.ts", "b.ts"),
			call("edit", { path: "a.ts", edits: [{ oldText: "= 1", newText: '= "x"' }] }),
			...answered("a.ts", "b.ts"),
			call("edit", { path: "a.ts", edits: [{ oldText: "a: number", newText: "a: string" }] }),
			...answered("a.ts", "b.ts"),
			"Done.",
		],
		fallback: "Done.",
	});
	typescriptProject(tau, {
		"a.ts": "export const a: number = 1;\nexport const old: number = null;\n",
		"b.ts": 'import { a } from "./a";\nexport const b: number = a + 1;\n',
	});
	const { code, out } = await tau.run(["-p", "go", "--mode", "json", ...model]);
	expect(code).toBe(0);
	// For programs: in the details of the result or of the note.
	expect(out.includes('"diagnostics":{"summary":"1 error","messages":["a.ts: 1:14 Type')).toBe(true);
	const found = reported(tau);
	expect(found).toContain("\na.ts\n  1:14 Type 'string' is not assignable to type 'number'. ts(2322)");
	expect(found).toContain("b.ts\n  2:14 Type 'string' is not assignable to type 'number'. ts(2322)");
	expect(found).not.toContain("null");
});

test("an edit that breaks a file which is not open says so", async () => {
	await using tau = await launch({
		steps: [
			...answered("lib/util.ts"),
			call("edit", { path: "lib/util.ts", edits: [{ oldText: "number", newText: "string" }] }),
			...answered("lib/util.ts", "main.ts"),
			"Done.",
		],
		fallback: "Done.",
	});
	mkdirSync(join(tau.project, "lib"));
	typescriptProject(tau, {
		"lib/util.ts": "export declare function size(): number;\n",
		"main.ts": 'import { size } from "./lib/util";\nexport const twice: number = size() * 2;\n',
		"other.ts": "export const other = 1;\n",
	});
	await tau.run(["-p", "go", ...model]);
	expect(reported(tau)).toContain("main.ts\n  2:30 The left-hand side of an arithmetic operation");
});

/** Two files, of which the second depends on the first, and an edit of the first. */
interface Dependence {
	files: Record<string, string>;
	edit: [path: string, oldText: string, newText: string];
	/** What the model reads unasked. */
	error: string;
	env?: Record<string, string>;
	setUp?(project: string): void;
}

async function edited({ files, edit: [path, oldText, newText], error, env = {}, setUp }: Dependence) {
	const names = Object.keys(files).filter(
		(name) => !/^(go\.mod|compile_flags\.txt|package\.json)$/.test(name),
	);
	const change = call("edit", { path, edits: [{ oldText, newText }] });
	const undo = call("edit", { path, edits: [{ oldText: newText, newText: oldText }] });
	const known = answered(...names);
	await using tau = await launch({
		// More than once: a note comes after the answer of the server, and its mending tells nothing.
		steps: [...known, change, ...known, ...known, ...known, undo, ...known, "Done."],
		fallback: "Done.",
	});
	setUp?.(tau.project);
	for (const [name, text] of Object.entries(files)) writeFileSync(join(tau.project, name), text);
	const { code } = await tau.run(["-p", "go", ...model], { env });
	expect(code).toBe(0);
	const found = reported(tau);
	expect(found).toContain(error);
	// Once, and nothing for the edit that mends it.
	expect(found.split(error)).toHaveLength(2);
}

const npmPrograms = { PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}` };

test("a server that names no versions tells its errors: typescript-language-server", async () => {
	await edited({
		files: { "package.json": "{}", "a.ts": "export const a: number = 1;\n" },
		edit: ["a.ts", "= 1", '= "x"'],
		error: "a.ts\n  1:14 Type 'string' is not assignable to type 'number'.",
		env: npmPrograms,
		setUp(project) {
			mkdirSync(join(project, "node_modules"));
			symlinkSync(join(root, "node_modules/typescript-5"), join(project, "node_modules/typescript"));
		},
	});
});

test("a server that names no versions tells its errors: yaml-language-server", async () => {
	await edited({
		files: { "a.yaml": "list: [1, 2]\nb: 3\n" },
		edit: ["a.yaml", "[1, 2]", "[1, 2"],
		error: "a.yaml\n  2:1 ",
		env: npmPrograms,
	});
});

needs("gopls", "go")(
	"an error that an edit makes in another open file is error: gopls",
	async () => {
		await edited({
			files: {
				"go.mod": "module example.com/a\n\ngo 1.19\n",
				"a.go": "package main\n\nfunc addOne(x int) int { return 1 }\n",
				"b.go": "package main\n\nfunc main() { println(addOne(2)) }\n",
			},
			edit: ["a.go", "x int", "x string"],
			error: "b.go\n  3:30 cannot use 2",
		});
	},
	180_000,
);

needs("clangd")(
	"an error that an edit makes in another open file is error: clangd",
	async () => {
		await edited({
			files: {
				"compile_flags.txt": "-xc\n",
				"a.h": "int add_one(int x);\n",
				"b.c": '#include "a.h"\nint main(void) { return add_one(2); }\n',
			},
			edit: ["a.h", "int x", "int x, int y"],
			error: "b.c\n  2:34 Too few arguments",
		});
	},
	180_000,
);
