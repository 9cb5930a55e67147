/** Programs that are killed while agents work in isolated trees: every file that was written is found again. */
import { afterAll, describe, expect } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { localMachine } from "@tau/sys";
import { isolate, leftoverTrees, reopenTree } from "./isolate.ts";

const base = mkdtempSync(join(tmpdir(), "tau-kills-"));
afterAll(() => {
	Bun.spawnSync(["chmod", "-R", "u+rwX", base]);
	rmSync(base, { recursive: true, force: true });
});

const kills = samples(200, 8);
const { signal } = new AbortController();

describe.each(["overlay", "copy"] as const)("%s", (mode) => {
	needs(...(mode === "overlay" ? ["overlay"] : []))(
		"nothing that was written before a kill is lost",
		async () => {
			const [root, trees] = [join(base, mode, "project"), join(base, mode, "trees")];
			mkdirSync(root, { recursive: true });
			writeFileSync(join(root, "first.txt"), "first\n");
			const written: string[] = [];
			for (let round = 0; round < kills; round++)
				written.push(...(await workAndKill(mode, root, trees, round)));
			expect(written.length).toBeGreaterThan(0);
			const kept: string[] = [];
			for (const { path } of leftoverTrees(trees)) {
				// Nobody has worked in a tree that was never complete; any other one can be opened.
				await using tree = await reopenTree(localMachine(), path, signal).catch((error: unknown) => {
					expect(String(error)).toContain("never complete");
					return undefined;
				});
				const { conflicts, problem } = (await tree?.merge({ signal })) ?? { conflicts: [] };
				expect(conflicts).toEqual([]);
				// The kill may have left a lock without an owner: then it is merged later.
				if (problem !== undefined)
					kept.push(...((await tree?.changes(signal))?.files ?? []).map((file) => file.path));
			}
			const lost = written.filter((path) => !existsSync(join(root, path)) && !kept.includes(path));
			expect(lost).toEqual([]);
		},
		// Each round starts a program from sources, which takes seconds on a busy machine.
		20_000 + kills * 10_000,
	);
});

needs("overlay")("a tree that nobody has worked in is deleted by the next program", async () => {
	const [root, trees] = [join(base, "untouched/project"), join(base, "untouched/trees")];
	mkdirSync(root, { recursive: true });
	const child = Bun.spawn([process.execPath, "-e", program("overlay", root, trees, 0)], { stdout: "pipe" });
	const reader = child.stdout.getReader();
	while (!(await reader.read()).done && leftReady(trees).length === 0);
	child.kill("SIGKILL");
	await child.exited;
	const [left] = leftReady(trees);
	expect(left).toBeDefined();
	await using tree = await isolate(localMachine(), {
		root,
		cwd: root,
		mode: "copy",
		directory: trees,
		signal,
	});
	const deadline = performance.now() + 60_000;
	while (existsSync(left ?? "") && performance.now() < deadline) await Bun.sleep(5);
	expect(readdirSync(trees)).toEqual([tree.id]);
});

/** The trees that are complete. */
function leftReady(trees: string): string[] {
	return (existsSync(trees) ? readdirSync(trees) : [])
		.map((name) => join(trees, name))
		.filter((path) => {
			const record = join(path, "tree.json");
			// A directory is there before its record.
			return existsSync(record) && readFileSync(record, "utf8").includes('"isReady":true');
		});
}

async function workAndKill(mode: string, root: string, trees: string, round: number): Promise<string[]> {
	const child = Bun.spawn([process.execPath, "-e", program(mode, root, trees)], {
		stdout: "pipe",
		stderr: "inherit",
	});
	const lines: string[] = [];
	let rest = "";
	for await (const chunk of child.stdout) {
		rest += new TextDecoder().decode(chunk);
		const found = rest.split("\n");
		rest = found.pop() ?? "";
		lines.push(...found);
		// Each round gets a little further: into the mount, the writes, the merge, the deletion.
		if (lines.length > round % 9) setTimeout(() => child.kill("SIGKILL"), (round * 7) % 40);
	}
	await child.exited;
	return lines.filter((line) => line !== "ready");
}

/** Works in isolated trees and merges them until it is killed. Prints each file that it has written. */
function program(mode: string, root: string, directory: string, files = 4): string {
	const modules = ["../../../sys/src/machine/index.ts", "./isolate.ts"].map((path) =>
		JSON.stringify(join(import.meta.dir, path)),
	);
	return `
		import { localMachine } from ${modules[0]};
		import { isolate } from ${modules[1]};
		const [mode, root, directory] = ${JSON.stringify([mode, root, directory])};
		const { signal } = new AbortController();
		process.stdout.write("ready\\n");
		for (let round = 0; ; round++) {
			await using tree = await isolate(localMachine(), { root, cwd: root, mode, directory, signal });
			const { files } = tree.machine;
			if (${files} === 0) {
				process.stdout.write("made\\n");
				await new Promise(() => setTimeout(() => {}, 60_000));
			}
			for (let at = 0; at < ${files}; at++) {
				const path = "made/" + process.pid + "-" + round + "-" + at + ".txt";
				const before = await files.readText(path, tree.cwd + "/" + path);
				await files.commit([{ before, after: { text: path, hasBom: false } }], { signal });
				process.stdout.write(path + "\\n");
			}
			await tree.merge({ signal });
		}
	`;
}
