/**
 * Every rule of the patch envelope, and every way to break it, as folders: what was there, the patch, what is there then.
 * `{cwd}` in a patch stands for the directory in which it is applied.
 */
import { expect, test } from "bun:test";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, testToolEnv, textOf } from "../../../../../test/support/tool-env.ts";
import { edit } from "../tool.ts";

const fixtures = join(import.meta.dir, "fixtures");
const names = readdirSync(fixtures).toSorted();

/** All files below a directory with their contents, decoded so that every byte is kept. */
function tree(directory: string): Record<string, string> {
	if (!existsSync(directory)) return {};
	const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
	const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	return Object.fromEntries(
		paths.toSorted().map((path) => [path.slice(directory.length + 1), readFileSync(path, "latin1")]),
	);
}

test("there are enough of them", () => {
	expect(names.length).toBeGreaterThanOrEqual(60);
});

test.each(names)("%s", async (name) => {
	await using env = await testToolEnv();
	await env.settings.set("edit.mode", "apply_patch", "session");
	const at = (part: string) => join(fixtures, name, part);
	if (existsSync(at("input"))) cpSync(at("input"), env.cwd, { recursive: true });
	const input = readFileSync(at("patch.txt"), "utf8").replaceAll("{cwd}", env.cwd);
	const result = await callTool(edit.bind(env), { input });
	const error = existsSync(at("error.txt")) ? readFileSync(at("error.txt"), "utf8") : undefined;
	expect(result.isError ? `${textOf(result)}\n` : undefined).toBe(error);
	// The result text is recorded where it matters.
	if (existsSync(at("result.txt"))) {
		expect(`${textOf(result).replaceAll(env.cwd, "{cwd}")}\n`).toBe(readFileSync(at("result.txt"), "utf8"));
	}
	expect(tree(env.cwd)).toEqual(tree(at(error === undefined ? "expected" : "input")));
});
