/** How long an edit of a 5 MB file takes in each form, beside reading and writing the file. */
import { join } from "node:path";

import { times, type Row } from "./report.ts";

const megabytes = 5;
const rounds = 15;
const modes = ["hashline", "replace", "apply_patch"] as const;

type Measured = Record<(typeof modes)[number] | "rewrite", number>;

export async function editing(): Promise<Row[]> {
	const measured = await measureInChild();
	return modes.map((mode) => ({
		name: `edit of ${megabytes} MB, ${mode}`,
		value: measured[mode],
		unit: "ms",
		budget: 50,
		beside: times(measured[mode], measured.rewrite, "reading and writing it"),
	}));
}

/** A process of its own: the tool is measured as it is inside the application, behind the package's door. */
async function measureInChild(): Promise<Measured> {
	const at = (path: string) => JSON.stringify(join(import.meta.dir, "..", path));
	const code = `
		import { readFileSync, renameSync, writeFileSync } from "node:fs";
		import { callTool, testToolEnv, textOf } from ${at("test/support/tool-env.ts")};
		import { edit } from ${at("packages/tools/src/edit/tool.ts")};
		import { recordRead } from ${at("packages/tools/src/files/snapshots.ts")};
		const lineOf = (index) => "\\tconst value" + index + " = compute(" + index + ", 'some text that fills a line');";
		let text = "";
		for (let index = 0; text.length < ${megabytes} * 1024 * 1024; index++) text += lineOf(index) + "\\n";
		const [before, old, now] = [lineOf(39999), lineOf(40000), "\\tchanged();"];
		await using place = await testToolEnv();
		const path = place.resolve("large.ts");
		const calls = {
			hashline: async () => ({ path, tag: await recordRead(place, path, text), edits: [{ from: 40001, text: now }] }),
			replace: () => ({ path, edits: [{ oldText: old, newText: now }] }),
			apply_patch: () => ({
				input: ["*** Begin Patch", "*** Update File: large.ts", "@@", " " + before, "-" + old, "+" + now, "*** End Patch"].join("\\n"),
			}),
		};
		const run = {
			// The least that any editor has to do.
			rewrite: () => {
				writeFileSync(path + ".tmp", readFileSync(path, "utf8").replace(old, now));
				renameSync(path + ".tmp", path);
			},
		};
		for (const mode of Object.keys(calls)) {
			run[mode] = async (args) => {
				const result = await callTool(edit.bind(place), args);
				if (result.isError) throw new Error(textOf(result));
			};
		}
		const measured = {};
		for (const [name, work] of Object.entries(run)) {
			if (calls[name]) await place.settings.set("edit.mode", name, "session");
			const samples = [];
			// The first two rounds load and compile, and are thrown away.
			for (let round = -2; round < ${rounds}; round++) {
				writeFileSync(path, text);
				const args = await calls[name]?.();
				const started = performance.now();
				await work(args);
				if (round >= 0) samples.push(performance.now() - started);
			}
			measured[name] = samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];
		}
		process.stdout.write(JSON.stringify(measured));
	`;
	const child = Bun.spawn([process.execPath, "-e", code], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		cwd: import.meta.dir,
	});
	const [ended, out, errors] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
	if (ended !== 0) throw new Error(`measuring edits ended with ${ended}: ${errors.trim()}`);
	return JSON.parse(out) as Measured;
}
