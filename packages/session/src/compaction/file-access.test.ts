/** The files of a conversation are those that its tools declare in `touches`. */
import { expect, test } from "bun:test";

import { hiddenTools } from "../../../../test/support/hidden-tools.ts";
import { fileAccess } from "./file-access.ts";

const tools = hiddenTools("/work");
const access = fileAccess({ findTool: (name) => tools.get(name), cwd: "/work" });

const patch = [
	"*** Begin Patch",
	"*** Add File: new.ts",
	"+x",
	"*** Update File: /work/src/old.ts",
	"*** Delete File: gone.ts",
	"*** End Patch",
].join("\n");

const cases: [call: string, args: Record<string, unknown>, touched: string][] = [
	["read", { path: "./src/a.ts" }, "read src/a.ts"],
	["read", { path: "/elsewhere/a.ts" }, "read /elsewhere/a.ts"],
	["read", { path: "https://example.org/a" }, ""],
	["read", { path: "artifact://3" }, ""],
	["write", { path: "a.ts", content: "x" }, "written a.ts"],
	["edit", { path: "a.ts", edits: [] }, "edited a.ts"],
	["edit", { input: patch }, "written new.ts, edited src/old.ts, edited gone.ts"],
	["notebook", { path: "a.ipynb" }, "edited a.ipynb"],
	["grep", { pattern: "x", path: "src" }, ""],
	["ls", {}, ""],
	["bash", { command: "rm -rf src" }, ""],
	["read", { path: 5 }, ""],
	["unknown", { path: "a.ts" }, ""],
];

test.each(cases)("%s %j: %s", (name, args, touched) => {
	const matches = access({ name, arguments: args }).map(({ kind, path }) => `${kind} ${path}`);
	expect(matches.join(", ")).toBe(touched);
});
