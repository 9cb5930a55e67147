/** The tool `lsp` with the language server of TypeScript 7: questions are answered, changes are shown and then made. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { ask, programs, project, write } from "../../../../test/support/lsp/project.ts";
import { callTool, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { resolve } from "@tau/tools/basic";
import { lsp } from "./tool.ts";

const shapes = `export interface Shape {
	area(): number;
}
export class Circle implements Shape {
	constructor(readonly radius: number) {}
	area(): number {
		return square(this.radius) * Math.PI;
	}
}
export function square(value: number): number {
	return value * value;
}
`;
const main = `import { Circle, square } from "./shapes";
const circle = new Circle(2);
console.log(circle.area(), square(3));
`;

describe("TypeScript 7", () => {
	let env: TestToolEnv;
	beforeAll(async () => {
		env = await project({
			"tsconfig.json": '{"compilerOptions":{"strict":true}}',
			"shapes.ts": shapes,
			"main.ts": main,
		});
		mkdirSync(join(env.cwd, "node_modules/.bin"), { recursive: true });
		symlinkSync(join(programs, "typescript"), join(env.cwd, "node_modules/typescript"));
		symlinkSync("../typescript/bin/tsc", join(env.cwd, "node_modules/.bin/tsc"));
	});
	afterAll(() => env[Symbol.asyncDispose]());

	test("finds definitions, references, implementations and types", async () => {
		const at = { path: "main.ts", line: 3, symbol: "square" };
		expect(await ask(env, { action: "definition", ...at })).toBe(
			"shapes.ts\n  10:17 export function square(value: number): number {",
		);
		expect(await ask(env, { action: "references", ...at })).toBe(
			[
				"main.ts",
				'  1:18 import { Circle, square } from "./shapes";',
				"  3:28 console.log(circle.area(), square(3));",
				"shapes.ts",
				"  7:10 return square(this.radius) * Math.PI;",
				"  10:17 export function square(value: number): number {",
			].join("\n"),
		);
		const shape = { path: "shapes.ts", line: 1, symbol: "Shape" };
		expect(await ask(env, { action: "implementation", ...shape })).toContain("4:14 export class Circle");
		expect(await ask(env, { action: "type_definition", path: "main.ts", symbol: "circle" })).toContain(
			"shapes.ts",
		);
	});

	test("explains a symbol, lists symbols and calls", async () => {
		expect(await ask(env, { action: "hover", path: "main.ts", line: 2, symbol: "circle" })).toContain(
			"const circle: Circle",
		);
		expect(await ask(env, { action: "symbols", path: "shapes.ts" })).toContain(
			"4 class Circle\n  5 constructor constructor",
		);
		expect(await ask(env, { action: "workspace_symbols", query: "Circl" })).toContain(
			"shapes.ts\n  4:14 class Circle",
		);
		expect(
			await ask(env, { action: "incoming_calls", path: "shapes.ts", line: 10, symbol: "square" }),
		).toContain("7:10 method area");
		expect(
			await ask(env, { action: "outgoing_calls", path: "shapes.ts", line: 6, symbol: "area" }),
		).toContain("function square");
	});

	test("reports errors, also after a change that nobody announced", async () => {
		expect(await ask(env, { action: "diagnostics", path: "main.ts" })).toBe("No errors or warnings.");
		write(env, "main.ts", `${main}square("x");\n`);
		expect(await ask(env, { action: "diagnostics", path: "main.ts" })).toBe(
			"1 error\nmain.ts\n  4:8 Argument of type 'string' is not assignable to parameter of type 'number'. ts(2345)",
		);
		write(env, "main.ts", main);
		expect(await ask(env, { action: "diagnostics" })).toBe("No errors or warnings.");
	});

	test("a rename over several files is shown, and made at once by resolve", async () => {
		const shown = await ask(env, {
			action: "rename",
			path: "shapes.ts",
			line: 10,
			symbol: "square",
			new_name: "squared",
		});
		expect(shown).toStartWith("Rename square to squared: 2 files\n\nmain.ts\n");
		expect(readFileSync(join(env.cwd, "main.ts"), "utf8")).toBe(main);
		await callTool(resolve.bind(env), { action: "apply" });
		expect(readFileSync(join(env.cwd, "main.ts"), "utf8")).toBe(main.replaceAll("square", "squared"));
		expect(env.journal.entries.slice(-2).map(({ path }) => path)).toEqual([
			join(env.cwd, "main.ts"),
			join(env.cwd, "shapes.ts"),
		]);
		write(env, "main.ts", main);
		write(env, "shapes.ts", shapes);
	});

	test("a rename at a use changes the definition and every other use", async () => {
		const at = { path: "main.ts", line: 3, symbol: "square" };
		const shown = await ask(env, { action: "rename", ...at, new_name: "squared" });
		expect(shown).toStartWith("Rename square to squared: 2 files\n\nmain.ts\n");
		expect(shown).toContain("+export function squared(value: number)");
		await callTool(resolve.bind(env), { action: "discard" });
	});

	test("a rename over 200 files is one commit of the journal", async () => {
		const names = Array.from({ length: 200 }, (_, at) => `many/f${at}.ts`);
		write(env, "many/common.ts", "export const common = 1;\n");
		for (const name of names)
			write(env, name, 'import { common } from "./common";\nexport default common;\n');
		await ask(env, {
			action: "rename",
			path: "many/common.ts",
			line: 1,
			symbol: "common",
			new_name: "shared",
		});
		const commits: number[] = [];
		using _journal = env.journal.subscribe((event) => {
			if (event.type === "recorded") commits.push(event.entries.length);
		});
		await callTool(resolve.bind(env), { action: "apply" });
		expect(commits).toEqual([201]);
		const texts = names.map((name) => readFileSync(join(env.cwd, name), "utf8"));
		expect(new Set(texts)).toEqual(new Set(['import { shared } from "./common";\nexport default shared;\n']));
	});

	test("a change after the preview stops it", async () => {
		await ask(env, { action: "rename", path: "shapes.ts", line: 10, symbol: "square", new_name: "squared" });
		write(env, "main.ts", `${main}// mine\n`);
		const { content, isError } = await callTool(resolve.bind(env), { action: "apply" });
		expect(isError).toBe(true);
		expect(JSON.stringify(content)).toContain("main.ts has changed since the preview");
		expect(readFileSync(join(env.cwd, "shapes.ts"), "utf8")).toBe(shapes);
		write(env, "main.ts", main);
	});

	test("imports are organized, files are formatted, fixes are listed and shown", async () => {
		write(
			env,
			"messy.ts",
			'import { square } from "./shapes";\nimport { Circle } from "./shapes";\nexport const x=new Circle( 1 );\n',
		);
		expect(await ask(env, { action: "format", path: "messy.ts" })).toContain(
			"+export const x = new Circle(1);",
		);
		expect(await ask(env, { action: "organize_imports", path: "messy.ts" })).toContain(
			'-import { square } from "./shapes";',
		);
		write(env, "fix.ts", "export const s = square(2);\n");
		const list = await ask(env, { action: "code_actions", path: "fix.ts", line: 1, symbol: "square" });
		expect(list).toMatch(/^1\. .*import from "\.\/shapes".*quickfix/i);
		expect(
			await ask(env, { action: "code_actions", path: "fix.ts", line: 1, symbol: "square", apply: "1" }),
		).toContain('+import { square } from "./shapes";');
	});

	test("a file that moves takes its imports along", async () => {
		const shown = await ask(env, { action: "rename_file", path: "shapes.ts", new_name: "lib/shapes.ts" });
		expect(shown).toContain('+import { Circle, square } from "./lib/shapes";');
		expect(shown).toContain("shapes.ts → lib/shapes.ts");
		await callTool(resolve.bind(env), { action: "apply" });
		expect(readFileSync(join(env.cwd, "lib/shapes.ts"), "utf8")).toBe(shapes);
		expect(await ask(env, { action: "diagnostics", path: "main.ts" })).toBe("No errors or warnings.");
	});

	test("the line ends and the mark of a file stay as they are, behind links, too", async () => {
		write(env, "win/real.ts", "\uFEFFexport const one = 1;\r\nexport const two = one;\r\n");
		symlinkSync("win/real.ts", join(env.cwd, "link.ts"));
		const shown = await ask(env, {
			action: "rename",
			path: "link.ts",
			line: 1,
			symbol: "one",
			new_name: "first",
		});
		expect(shown).toStartWith(
			"Rename one to first: 1 file\n\nwin/real.ts\n@@ -1,2 +1,2 @@\n-export const one = 1;\n-export const two = one;\n+export const first = 1;\n+export const two = first;\n",
		);
		await callTool(resolve.bind(env), { action: "apply" });
		expect(readFileSync(join(env.cwd, "link.ts"), "utf8")).toBe(
			"\uFEFFexport const first = 1;\r\nexport const two = first;\r\n",
		);
	});

	test("what cannot be answered says why", async () => {
		expect(await ask(env, { action: "hover", path: "main.ts", line: 2, symbol: "cirlce" })).toContain(
			"Did you mean Circle, circle?",
		);
		expect(await ask(env, { action: "hover", path: "main.ts", line: 99 })).toContain("there is no line 99");
		expect(await ask(env, { action: "definition", path: "nothing.ts", symbol: "x" })).toBe(
			"There is no file nothing.ts.",
		);
		expect(await ask(env, { action: "definition" })).toBe("definition needs path.");
		expect(
			await ask(env, { action: "request", path: "main.ts", method: "workspace/executeCommand" }),
		).toContain("changes files");
		expect(await ask(env, { action: "request", path: "main.ts", method: "textDocument/didClose" })).toBe(
			"textDocument/didClose is a notification, not a request.",
		);
	});
});

test("a file without an installed server names the command that installs one", async () => {
	await using env = await project({ "a.rs": "fn main() {}\n" });
	const withoutPath = { ...env, env: { HOME: env.env.HOME, PATH: "/nonexistent" } };
	const { content } = await callTool(lsp.bind(withoutPath), { action: "diagnostics", path: "a.rs" });
	expect(JSON.stringify(content)).toContain("rustup component add rust-analyzer");
});
