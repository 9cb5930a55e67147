/** The merge of an agent's tree writes nothing through a link that another process puts in its way. */
import { expect, test } from "bun:test";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { secret, swapLinks } from "../../../../test/support/swapped-links.ts";
import { localMachine, withJudged } from "@tau/sys";
import { isolate } from "./isolate.ts";
import { mergeTree } from "./merge.ts";
import { readTreeEntry } from "./entry.ts";
import type { TreeEntry } from "./types.ts";

const rounds = samples(10_000, 200);

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
});

test("a judged call in an agent's tree sees the tree, with the links that are there", async () => {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-judged-tree-")));
	const { signal } = new AbortController();
	try {
		const root = join(base, "project");
		for (const name of ["real", "other"]) {
			mkdirSync(join(root, name), { recursive: true });
			writeFileSync(join(root, name, "file"), `needle in ${name}\n`);
		}
		symlinkSync("real", join(root, "link"));
		await using tree = await isolate(localMachine(), {
			root,
			cwd: root,
			mode: "auto",
			directory: join(base, "trees"),
			isTrusted: true,
			signal,
		});
		// The project's own path in an overlay, another one in a copy.
		const { cwd } = tree;
		const at = (name: string): string => join(cwd, name);
		const env = { PATH: process.env.PATH ?? "", HOME: base };
		const command = "rm link && ln -s other link && echo needle in the tree > other/file";
		await tree.machine.shell.run({ command, cwd, env, signal, timeoutMs: 20_000, onOutput: () => {} });
		// Judged by the links of the project.
		const { files } = withJudged(tree.machine, {
			realPath: (path) => path.replace(at("link"), at("real")),
			allows: () => true,
			accepts: () => true,
			changed: () => {},
		});
		const text = await files.readText("link/file", at("link/file"));
		expect(text).toMatchObject({ ok: true, text: "needle in the tree\n" });
		expect(await files.stat(at("other/file"))).toMatchObject({ kind: "file" });
		expect((await files.list(at("other"))).map(({ name }) => name)).toEqual(["file"]);
		expect((await files.glob({ root: cwd, pattern: "**/file" })).entries).toHaveLength(2);
		const found: string[] = [];
		await files.search({ pattern: "the tree", paths: [cwd], cwd }, ({ path }) => void found.push(path));
		expect(new Set(found)).toEqual(new Set([at("other/file")]));
		if (!text.ok) throw new Error(text.reason);
		const done = await files.commit([{ before: text, after: { text: "new\n", hasBom: false } }], { signal });
		expect(done).toMatchObject({ ok: true });
		expect(readFileSync(join(root, "other/file"), "utf8")).toBe("needle in other\n");
		expect(await files.readText("other/file", at("other/file"))).toMatchObject({ text: "new\n" });
	} finally {
		Bun.spawnSync(["chmod", "-R", "u+rwX", base]);
		rmSync(base, { recursive: true, force: true });
	}
});
