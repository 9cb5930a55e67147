/** The merge of an agent's tree writes nothing through a link that another process puts in its way. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { secret, swapLinks } from "../../../../test/support/swapped-links.ts";
import { localMachine } from "../machine/index.ts";
import { mergeTree } from "./merge.ts";
import { readTreeEntry } from "./entry.ts";
import type { TreeEntry } from "./types.ts";

const rounds = samples(2_000, 200);

test("while links are exchanged, a merge changes nothing behind them and brings nothing from there", async () => {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-merge-")));
	try {
		const root = join(base, "project");
		mkdirSync(root);
		await using swapped = await swapLinks(root, join(base, "outside"));
		const { signal } = new AbortController();
		let merged = 0;
		for (let round = 0; round < rounds; round++) {
			const path = `${["moved", "link"][round % 2]}/${["config", "code.ts", `new-${round % 9}`, `a${round % 7}/b`][round % 4]}`;
			const theirs: TreeEntry = { kind: "file", bytes: Buffer.from(`line\nround ${round}\n`), mode: 0o644 };
			const source = {
				root,
				machine: localMachine(),
				files: [{ path, kind: "changed" as const }],
				theirs: () => (round % 5 === 4 ? ({ kind: "absent" } as const) : theirs),
				// As if the tree had begun with what is there: then theirs wins.
				base: () => readTreeEntry(join(root, path)),
			};
			const outcome = await mergeTree(source, { signal });
			expect(JSON.stringify(outcome)).not.toContain(secret);
			merged += outcome.merged.length;
		}
		expect(swapped.damage()).toEqual([]);
		expect(merged).toBeGreaterThan(0);
	} finally {
		rmSync(base, { recursive: true, force: true });
	}
}, 60_000);
