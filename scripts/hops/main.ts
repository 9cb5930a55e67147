/** Counts the files that a prompt passes between a key and the socket, and its answer between the socket and the terminal. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openTau } from "../../test/interactive/driver.ts";
import { root } from "../../test/support/launch.ts";
import { hopsFile, wayIn, wayOut, type Reached } from "./reached.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-hops-"));
const file = join(directory, "calls.jsonl");
const text = `${"Some **words** of an answer, which come one after the other. ".repeat(8)}That is all.`;
try {
	await using tau = await openTau(
		{ steps: [{ answer: { blocks: [{ text, chunks: 40 }], delayMs: 120 } }] },
		{
			command: [
				process.execPath,
				"--no-env-file",
				`--config=${join(root, "scripts/runtime.toml")}`,
				"--preload",
				join(import.meta.dir, "trace.ts"),
				join(root, "packages/coding-agent/src/cli/main.ts"),
			],
			env: { [hopsFile]: file },
		},
	);
	await tau.until("played-1");
	tau.type("Hello");
	await tau.until("Hello");
	tau.press("enter");
	await tau.until("That is all.");
	const reached = readFileSync(file, "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as Reached);
	report("From a key to the socket", wayIn(reached));
	report("From the socket to the terminal", wayOut(reached));
} finally {
	rmSync(directory, { recursive: true, force: true });
}

function report(title: string, files: readonly string[]): void {
	if (files.length === 0) throw new Error(`${title}: no call was recorded`);
	process.stdout.write(`${title}: ${files.length} files\n${files.map((each) => `  ${each}\n`).join("")}`);
}
