/** `npm test`: brings the programs that the tests use, compiles Tau once, runs the tests and counts them in a last line. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { testFiles } from "./suite/lanes.ts";
import { bringPrograms, quietly } from "./suite/programs.ts";
import { runSuite } from "./suite/suite.ts";

const root = join(import.meta.dir, "..");
const asked = readArguments(process.argv.slice(2));

await bringPrograms();
// Once for all: many tests start the program, and each of the first would compile it for itself.
await quietly(["sh", join(root, "tau"), "--version"]);
const compiled = join(root, "node_modules/.cache/tau/tau");
if (!process.env.TAU_FROM_SOURCE && existsSync(compiled)) process.env.TAU_TEST_PROGRAM = compiled;
// The 14 samples of hooks of git's own template take two thirds of the CPU time of `git init`.
process.env.GIT_TEMPLATE_DIR ??= join(root, "test/support/git-template");
process.exitCode = await runSuite({
	root,
	files: testFiles(root, asked.filters),
	options: asked.options,
	costs: asked.costs,
	write: (text) => void process.stdout.write(text),
});

/** Parts of paths, `--costs`, and options of `bun test`; `-t` is the one whose value stands apart. */
function readArguments(args: readonly string[]): { filters: string[]; options: string[]; costs: boolean } {
	const filters: string[] = [];
	const options: string[] = [];
	let costs = false;
	for (let at = 0; at < args.length; at++) {
		const arg = args[at] ?? "";
		if (/^(?:-t|--test-name-pattern)$/.test(arg)) options.push(`--test-name-pattern=${args[++at] ?? ""}`);
		else if (arg === "--costs") costs = true;
		else (arg.startsWith("-") ? options : filters).push(arg);
	}
	return { filters, options, costs };
}
