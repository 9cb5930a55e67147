/** A patch restores any mutated file byte for byte. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

import { samples } from "../../../../../test/support/depth.ts";
import { callTool, testToolEnv, textOf } from "../../../../../test/support/tool-env.ts";
import {
	Dice,
	quickFolder,
	repairs,
	spoil,
	withContext,
	type Repair,
	type Spoilt,
} from "../../../../../test/support/mutations.ts";
import { edit } from "../tool.ts";

function hunkOf({ lines }: Spoilt, { start, end, lines: wanted }: Repair): string[] {
	const sought = lines.slice(start, end);
	const isLast = end === lines.length;
	let head = 0;
	while (head < Math.min(sought.length, wanted.length) && sought[head] === wanted[head]) head++;
	let tail = 0;
	const most = Math.min(sought.length, wanted.length) - head;
	while (tail < most && sought.at(-1 - tail) === wanted.at(-1 - tail)) tail++;
	return [
		"@@",
		...sought.slice(0, head).map((line) => ` ${line}`),
		...sought.slice(head, sought.length - tail).map((line) => `-${line}`),
		...wanted.slice(head, wanted.length - tail).map((line) => `+${line}`),
		...sought.slice(sought.length - tail).map((line) => ` ${line}`),
		...(isLast ? ["*** End of File"] : []),
	];
}

const files = samples(2000);

test("mutated files are restored", async () => {
	using folder = quickFolder();
	await using env = await testToolEnv({ cwd: folder.path });
	await env.settings.set("edit.mode", "apply_patch", "session");
	const tool = edit.bind(env);
	const path = env.resolve("f");
	const dice = new Dice(5);
	let restored = 0;
	while (restored < files) {
		const spoilt = spoil(dice);
		const hunks = withContext(spoilt, repairs(spoilt), 3).flatMap((repair) => hunkOf(spoilt, repair));
		if (hunks.length === 0) continue;
		const input = ["*** Begin Patch", "*** Update File: f", ...hunks, "*** End Patch", ""].join("\n");
		writeFileSync(path, spoilt.spoilt);
		const result = await callTool(tool, { input });
		const now = readFileSync(path, "utf8");
		if (result.isError || now !== spoilt.original) {
			throw new Error(`${textOf(result)}\n${input}\n${JSON.stringify(spoilt)}`);
		}
		restored++;
	}
	expect(restored).toBe(files);
});
