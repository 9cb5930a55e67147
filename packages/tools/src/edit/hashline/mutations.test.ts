/** An edit by line numbers restores any mutated file byte for byte, or reports that it cannot. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

import { samples } from "../../../../../test/support/depth.ts";
import { callTool, testToolEnv, textOf } from "../../../../../test/support/tool-env.ts";
import { recordRead } from "../../files/snapshots.ts";
import { Dice, quickFolder, repairs, spoil, type Repair } from "../../../../../test/support/mutations.ts";
import { edit } from "../tool.ts";

function editsOf(all: readonly Repair[]): Record<string, unknown>[] {
	return all.map(({ start, end, lines }) => {
		const text = lines.map((line) => `${line}\n`).join("");
		return start === end ? { after: start, text } : { from: start + 1, to: end, text };
	});
}

const files = samples(2000);

test("mutated files are restored", async () => {
	using folder = quickFolder();
	await using env = await testToolEnv({ cwd: folder.path });
	await env.settings.set("edit.mode", "hashline", "session");
	const tool = edit.bind(env);
	const path = env.resolve("f");
	const dice = new Dice(1);
	let restored = 0;
	while (restored < files) {
		const spoilt = spoil(dice);
		const edits = editsOf(repairs(spoilt));
		if (edits.length === 0) continue;
		writeFileSync(path, spoilt.spoilt);
		const tag = await recordRead(env, path, spoilt.spoilt);
		const result = await callTool(tool, { path: "f", tag, edits });
		if (result.isError) throw new Error(textOf(result));
		if (readFileSync(path, "utf8") !== spoilt.original) throw new Error(JSON.stringify({ ...spoilt, edits }));
		restored++;
	}
	expect(restored).toBe(files);
});

test("a file that changed after it was read is restored around the change, or the edit is rejected", async () => {
	using folder = quickFolder();
	await using env = await testToolEnv({ cwd: folder.path });
	await env.settings.set("edit.mode", "hashline", "session");
	const tool = edit.bind(env);
	const path = env.resolve("f");
	const dice = new Dice(2);
	let [moved, refused] = [0, 0];
	for (let round = 0; round < samples(400, 100); round++) {
		const spoilt = spoil(dice);
		const edits = editsOf(repairs(spoilt));
		if (edits.length === 0) continue;
		const tag = await recordRead(env, path, spoilt.spoilt);
		// Lines added at the top and the bottom: the numbers are no longer valid.
		const around = (text: string) => ["// one", "// two", text, "// three", ""].join(spoilt.end);
		writeFileSync(path, around(spoilt.spoilt));
		const result = await callTool(tool, { path: "f", tag, edits });
		const now = readFileSync(path, "utf8");
		if (result.isError) {
			refused++;
			expect(now).toBe(around(spoilt.spoilt));
			expect(textOf(result)).toContain("[f#");
		} else {
			moved++;
			expect(now).toBe(around(spoilt.original));
		}
	}
	expect(moved).toBeGreaterThan(refused);
	expect(refused).toBeGreaterThan(0);
});
