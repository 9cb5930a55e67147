/** Writes small trees for the tests of the checks, and lists the problems of one. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { show } from "./problem.ts";
import type { Check } from "./problem.ts";

/** Contents by path. */
export type Files = Record<string, string>;

export async function writeFixture(files: Files): Promise<{ root: string } & AsyncDisposable> {
	const root = await mkdtemp(join(tmpdir(), "tau-architecture-"));
	await Promise.all(Object.entries(files).map(([path, text]) => Bun.write(join(root, path), text)));
	return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

/** The problems of a tree with these files, as they are printed, sorted. */
export async function problemsIn(check: Check, files: Files): Promise<string[]> {
	await using tree = await writeFixture(files);
	return (await check(tree.root)).map(show).toSorted();
}

/** The problems of a tree one per line; empty if there are none. */
export async function report(check: Check, root: string): Promise<string> {
	return (await check(root)).map(show).join("\n");
}
