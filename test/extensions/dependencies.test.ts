/** An extension can use packages that were installed with it, also in the compiled program. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { writeTree as put } from "../support/files.ts";
import { launch } from "../support/launch.ts";

test("packages with exports, subpaths and CommonJS are resolved, and so are self-imports", async () => {
	await using tau = await launch({ steps: ["Hi."] });
	const directory = join(tau.home, "my-package");
	const json = (value: unknown): string => JSON.stringify(value);
	put(directory, {
		"package.json": json({
			name: "my-package",
			type: "module",
			imports: { "#src/*": "./src/*" },
			pi: { extensions: ["./src/index.ts"] },
		}),
		"src/index.ts": [
			`import { modern } from "modern";`,
			`import deep from "@scope/modern/deep";`,
			`import old from "old";`,
			`import { own } from "#src/own.ts";`,
			`export default (pi) => pi.on("session_start", () => process.stderr.write([modern, deep, old.word, own].join(" ") + "\\n"));`,
		].join("\n"),
		"src/own.ts": `export const own: string = "own";`,
		"node_modules/modern/package.json": json({
			name: "modern",
			type: "module",
			exports: { ".": { import: "./dist/esm.js", require: "./dist/none.cjs" } },
		}),
		"node_modules/modern/dist/esm.js": `export const modern = "modern";`,
		"node_modules/@scope/modern/package.json": json({
			name: "@scope/modern",
			exports: { "./deep": "./lib/deep.mjs" },
		}),
		"node_modules/@scope/modern/lib/deep.mjs": `export default "deep";`,
		"node_modules/old/package.json": json({ name: "old", main: "./lib/main" }),
		"node_modules/old/lib/main.js": `module.exports = { word: "old" };`,
	});
	const { err, code } = await tau.run(["-p", "hello", "-e", directory, "--model", "played/played-1"]);
	expect(err.trim()).toBe("modern deep old own");
	expect(code).toBe(0);
});
