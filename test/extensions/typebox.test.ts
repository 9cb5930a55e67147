/** TypeBox in the program: loaded only for extensions, and complete in the compiled executable. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch, root, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

/** The modules of TypeBox that a run of the sources has loaded. */
async function typeboxModules(tau: Launched, args: readonly string[]): Promise<string[]> {
	const list = join(tau.home, "modules.txt");
	const preload = join(import.meta.dir, "fixtures/loaded-modules.ts");
	const main = join(root, "packages/coding-agent/src/cli/main.ts");
	const run = Bun.spawn([process.execPath, "--preload", preload, main, "-p", ...model, ...args], {
		cwd: tau.project,
		env: { ...tau.env, LOADED_MODULES: list },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err] = await Promise.all([run.stdout.text(), run.stderr.text()]);
	expect({ out, err }).toEqual({ out: "Here.\n", err: "" });
	return readFileSync(list, "utf8")
		.split("\n")
		.filter((path) => /[\\/](?:@sinclair\+)?typebox@[^\\/]+[\\/]node_modules[\\/]/.test(path));
}

test("a run without extensions of the user loads nothing of TypeBox", async () => {
	await using tau = await launch({ steps: ["Here.", "Here.", "Here."] });
	expect(await typeboxModules(tau, ["hi"])).toEqual([]);
	// A resumed session loads extensions that ship with Tau.
	expect(await typeboxModules(tau, ["--continue", "hi"])).toEqual([]);
	const extension = join(tau.project, "own.ts");
	writeFileSync(extension, "export default () => {};");
	const loaded = await typeboxModules(tau, ["-e", extension, "hi"]);
	expect(loaded.length).toBeGreaterThan(0);
	// Version 0.34 is loaded only for an extension that imports it.
	expect(loaded.filter((path) => path.includes("sinclair"))).toEqual([]);
});

test("both versions are complete in the compiled program", async () => {
	await using tau = await launch({
		steps: [{ answer: { blocks: [{ toolCall: { name: "probe", arguments: { n: "5" } } }] } }, "Done."],
	});
	const extension = join(tau.project, "probe.ts");
	writeFileSync(
		extension,
		`import { Type } from "typebox";
		import { Compile } from "typebox/compile";
		import { Value } from "typebox/value";
		import { Type as Old } from "@sinclair/typebox";
		import { TypeCompiler } from "@sinclair/typebox/compiler";
		import { Value as OldValue } from "@sinclair/typebox/value";
		const length = Old.Transform(Old.String()).Decode((text) => text.length).Encode(String);
		const tree = Old.Recursive((This) => Old.Object({ children: Old.Array(This) }));
		const parameters = Type.Object({ n: Type.Integer() });
		export default (pi) => pi.registerTool({
			name: "probe", label: "Probe", description: "Probes", parameters,
			async execute(_id, params) {
				const facts = [
					params.n, Compile(parameters).Check(params), Value.Errors(parameters, {}).length,
					OldValue.Decode(length, "abc"), TypeCompiler.Compile(tree).Check({ children: [{ children: [] }] }),
				];
				return { content: [{ type: "text", text: "facts " + facts.join(" ") }] };
			},
		});`,
	);
	const { code, out, err } = await tau.run(["-p", ...model, "-e", extension, "probe"]);
	expect({ code, out, err }).toEqual({ code: 0, out: "Done.\n", err: "" });
	expect(tau.played.requests[1]?.rawBody).toContain("facts 5 true 1 3 true");
});
