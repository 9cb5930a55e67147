/** Grows small trees for the tests of the checks, and says what a check finds in one. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { show } from "./problem.ts";
import type { Check } from "./problem.ts";

/** Contents by path. */
export type Files = Record<string, string>;

export async function plant(files: Files): Promise<{ root: string } & AsyncDisposable> {
	const root = await mkdtemp(join(tmpdir(), "tau-house-"));
	await Promise.all(Object.entries(files).map(([path, text]) => Bun.write(join(root, path), text)));
	return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

/** The problems of a tree with these files, as a person would read them, in the order of the alphabet. */
export async function found(check: Check, files: Files): Promise<string[]> {
	await using tree = await plant(files);
	return (await check(tree.root)).map(show).toSorted();
}

/** The problems of a grown tree as one text, a line each: "" is a clean house. */
export async function report(check: Check, root: string): Promise<string> {
	return (await check(root)).map(show).join("\n");
}
