/** Real language servers of many languages: each is started once for a small project, and asked everything that it offers. */
import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { ask, programs, project, write } from "../../../../test/support/lsp/project.ts";
import { needs } from "../../../../test/support/needs.ts";

interface Example {
	files: Record<string, string>;
	/** What is asked, in order, and what is answered. */
	asked: [args: Record<string, unknown>, answer: string | RegExp][];
	/** The text of a file that has an error at first, without it. */
	mended: [name: string, text: string];
	/** Names of packages that the project has, and where they are. */
	packages?: Record<string, string>;
}

const clean = "No errors or warnings.";
const on = (action: string, path: string, line?: number, symbol?: string): Record<string, unknown> => ({
	action,
	path,
	...(line === undefined ? {} : { line }),
	...(symbol === undefined ? {} : { symbol }),
});

async function check({ files, asked, mended: [name, text], packages = {} }: Example): Promise<void> {
	await using env = await project(files);
	for (const [to, from] of Object.entries(packages)) {
		mkdirSync(join(env.cwd, "node_modules"), { recursive: true });
		symlinkSync(join(programs, from), join(env.cwd, "node_modules", to));
	}
	for (const [args, answer] of asked) {
		expect(await ask(env, args)).toMatch(answer);
	}
	write(env, name, text);
	const { path } = asked[0]?.[0] ?? {};
	expect(await ask(env, { action: "diagnostics", path: path ?? name })).toStartWith(clean.slice(0, -1));
}

test("typescript-language-server", async () => {
	await check({
		files: {
			"package.json": "{}",
			"a.ts": "export const a = 1;\nexport const b: string = a;\n",
			"c.ts": 'import { a } from "./a";\nexport const c = a;\n',
		},
		packages: { typescript: "typescript-5" },
		asked: [
			[on("diagnostics", "a.ts"), "2:14 Type 'number' is not assignable to type 'string'."],
			[on("definition", "c.ts", 2, "a"), "a.ts\n  1:14 export const a = 1;"],
			[on("references", "a.ts", 1, "a"), "c.ts\n  1:10 import"],
			[on("hover", "c.ts", 2, "a"), /const a: 1/],
			[on("symbols", "a.ts"), "1 constant a\n2 constant b"],
			[{ ...on("rename", "a.ts", 1, "a"), new_name: "first" }, "+import { first } from"],
			// At a use, too: no alias of the import is made.
			[{ ...on("rename", "c.ts", 2, "a"), new_name: "first" }, "+export const first = 1;"],
			[{ action: "status" }, "typescript in"],
		],
		mended: ["a.ts", "export const a = 1;\n"],
	});
});

test("pyright", async () => {
	await check({
		files: {
			"shapes.py": "def square(value: int) -> int:\n    return value * value\n",
			"main.py": 'from shapes import square\n\nprint(square(3))\nwrong: int = "x"\n',
		},
		asked: [
			[on("diagnostics", "main.py"), /1 error\nmain\.py\n {2}4:14 Type .* is not assignable/],
			[on("definition", "main.py", 3, "square"), "shapes.py\n  1:5 def square"],
			[on("references", "shapes.py", 1, "square"), "  3:7 print(square(3))"],
			[on("hover", "main.py", 3, "square"), "(function) def square(value: int) -> int"],
			[on("symbols", "shapes.py"), "1 function square"],
			[{ ...on("rename", "shapes.py", 1, "square"), new_name: "squared" }, "2 files"],
			[{ action: "workspace_symbols", query: "square" }, "shapes.py\n  1:5 function square"],
		],
		mended: ["main.py", "from shapes import square\n\nprint(square(3))\n"],
	});
});

needs("shellcheck")(
	"bash-language-server",
	async () => {
		await check({
			files: {
				"a.sh": '#!/bin/bash\ngreet() {\n\techo "hi $1"\n}\ngreet bob\ncat $1\n',
				"b.sh": "#!/bin/bash\nsource ./a.sh\ngreet x\n",
			},
			asked: [
				// It answers before it has read its configuration, with nothing: it is asked again.
				[on("symbols", "a.sh"), "2 function greet"],
				[on("diagnostics", "b.sh"), clean],
				[on("definition", "b.sh", 3, "greet"), "a.sh\n  2:1 greet() {"],
				[on("references", "a.sh", 5, "greet"), "b.sh\n  3:1 greet x"],
				[on("hover", "a.sh", 5, "greet"), "Function: **greet**"],
				[{ ...on("rename", "a.sh", 5, "greet"), new_name: "salute" }, "2 files"],
				[{ action: "status" }, "bash in"],
			],
			mended: ["a.sh", '#!/bin/bash\ngreet() {\n\techo "hi $1"\n}\ngreet bob\ncat "$1"\n'],
		});
	},
	180_000,
);

needs("clangd")(
	"clangd",
	async () => {
		await check({
			files: {
				"compile_flags.txt": "-Wall\n",
				"a.c": "int add(int a, int b) { return a + b; }\nint main(void) { return add(1, x); }\n",
			},
			asked: [
				[on("diagnostics", "a.c"), "1 error\na.c\n  2:32 Use of undeclared identifier 'x'"],
				[on("definition", "a.c", 2, "add"), "a.c\n  1:5 int add"],
				[on("references", "a.c", 1, "add"), "  2:25 int main"],
				[on("hover", "a.c", 2, "add"), "int add(int a, int b)"],
				[on("symbols", "a.c"), "1 function add"],
				[{ ...on("rename", "a.c", 1, "add"), new_name: "sum" }, "+int sum(int a, int b)"],
				[{ action: "workspace_symbols", query: "add" }, "a.c\n  1:5 function add"],
			],
			mended: ["a.c", "int main(void) { return 0; }\n"],
		});
	},
	180_000,
);

needs("clangd")(
	"clangd finds uses in files that nobody has opened, and a rename names those that keep the word",
	async () => {
		await using env = await project({
			"compile_flags.txt": "-xc\n",
			"a.h": "int add_one(int x);\n",
			"a.c": '#include "a.h"\nint add_one(int x) { return x + 1; }\n',
			"b.c": '#include "a.h"\n\nint main(void) { return add_one(2); }\n',
			"other.c": "static int add_one = 3;\nint three(void) { return add_one; }\n",
			"notes.c": "/* add_ones is another word */\n",
		});
		const at = on("references", "b.c", 3, "add_one");
		expect(await ask(env, at)).toContain("a.c\n  2:5 int add_one");
		const shown = await ask(env, { ...at, action: "rename", new_name: "plus_one" });
		expect(shown).toStartWith("Rename add_one to plus_one: 3 files\n\na.c\n");
		expect(shown).toContain("Not changed, though they contain add_one: other.c.\n");
	},
	180_000,
);

needs("gopls", "go")(
	"gopls",
	async () => {
		await check({
			files: {
				"go.mod": "module example.com/a\n\ngo 1.19\n",
				"a.go":
					"package main\n\nfunc add(a, b int) int { return a + b }\n\nfunc main() { println(add(1, three)) }\n",
				"b.go": 'package main\n\nvar three int = "x"\n\nvar four = add(1, 3)\n',
			},
			asked: [
				[on("diagnostics", "b.go"), '1 error\nb.go\n  3:17 cannot use "x"'],
				[on("definition", "b.go", 5, "add"), "a.go\n  3:6 func add"],
				[on("references", "a.go", 3, "add"), "b.go\n  5:12 var four"],
				[on("hover", "b.go", 5, "add"), "func add(a int, b int) int"],
				[on("symbols", "a.go"), "3 function add"],
				[{ ...on("rename", "a.go", 3, "add"), new_name: "sum" }, "2 files"],
				[{ action: "workspace_symbols", query: "add" }, "a.go\n  3:6 function add"],
			],
			mended: ["b.go", "package main\n\nvar three int = 3\n"],
		});
	},
	180_000,
);

test("vscode-json-language-server", async () => {
	await check({
		files: {
			"a.json": '{ "$schema": "./s.json", "count": "x", "list": [1,, 2] }\n',
			"s.json": '{"properties": {"count": {"type": "number", "description": "How many"}}}\n',
		},
		asked: [
			[on("diagnostics", "a.json"), /1 error, 1 warning\na\.json\n.*Expected "number"/],
			[on("hover", "a.json", 1, "count"), "How many"],
			[on("symbols", "a.json"), "1 array list"],
			[on("format", "s.json"), /\+\{\n(.*\n)*\+\}\n(?!\\)/],
			[on("references", "a.json", 1, "count"), "json does not offer textDocument/references."],
		],
		mended: ["a.json", '{ "$schema": "./s.json", "count": 1 }\n'],
	});
});

test("vscode-css-language-server", async () => {
	await check({
		files: { "a.css": ":root {\n\t--main: red;\n}\na {\n\tcolor: var(--main);\n}\nb { color: }\n" },
		asked: [
			[on("diagnostics", "a.css"), "7:12 property value expected"],
			[on("definition", "a.css", 5, "--main"), "a.css\n  2:2 --main: red;"],
			[on("references", "a.css", 2, "--main"), "5:13 color: var(--main);"],
			// The icons of the server are left out.
			[on("hover", "a.css", 5, "color"), /^Sets the color of an element's text(?![\s\S]*data:)/],
			[on("symbols", "a.css"), "1 class :root\n4 class a"],
			[{ ...on("rename", "a.css", 2, "--main"), new_name: "--first" }, "+\tcolor: var(--first);"],
		],
		mended: ["a.css", "b { color: red }\n"],
	});
});

test("vscode-html-language-server", async () => {
	await check({
		files: {
			"a.html":
				"<main>\n\t<p>text</p>\n</main>\n<style>\na { color: }\n</style>\n<script>\nconst one = 1;\nconsole.log(one);\n</script>\n",
		},
		asked: [
			[on("diagnostics", "a.html"), "1 error\na.html\n  5:12 property value expected"],
			[on("definition", "a.html", 9, "one"), "a.html\n  8:7 const one = 1;"],
			[on("references", "a.html", 8, "one"), "9:13 console.log(one);"],
			[on("hover", "a.html", 2, "p"), /^The p element represents a paragraph\.(?![\s\S]*data:)/],
			[on("symbols", "a.html"), "1 field main"],
			[{ ...on("rename", "a.html", 1, "main"), new_name: "section" }, "+</section>"],
		],
		mended: ["a.html", "<p>text</p>\n"],
	});
});

test("yaml-language-server", async () => {
	await check({
		files: { "a.yaml": "base: &base\n  one: 1\nmore:\n  <<: *base\nlist: [1, 2\nb: 3\n" },
		asked: [
			[on("diagnostics", "a.yaml"), "Flow sequence in block collection"],
			[on("symbols", "a.yaml"), "1 module base\n  2 number one 1"],
			[on("definition", "a.yaml", 4, "base"), "a.yaml\n  2:3 one: 1"],
			[{ ...on("rename", "a.yaml", 4, "base"), new_name: "first" }, "+base: &first"],
			[on("references", "a.yaml", 4, "base"), "yaml does not offer textDocument/references."],
		],
		mended: ["a.yaml", "base: 1\n"],
	});
});
