/** A directory with files and the language servers of the tests, and the tool `lsp` in it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { builtinTools } from "@tau/integrations/builtin";

import { callTool, testToolEnv, textOf, type TestToolEnv } from "../tool-env.ts";

/** Where npm has put the servers. */
export const programs = join(import.meta.dir, "../../../node_modules");

export async function project(files: Record<string, string>): Promise<TestToolEnv> {
	const env = await testToolEnv();
	const PATH = `${join(programs, ".bin")}:${process.env.PATH}`;
	const found = { ...env, env: { ...env.env, PATH } };
	for (const [name, text] of Object.entries(files)) write(found, name, text);
	return found;
}

export function write({ cwd }: TestToolEnv, name: string, text: string): void {
	mkdirSync(dirname(join(cwd, name)), { recursive: true });
	writeFileSync(join(cwd, name), text);
}

/** A server that is slow to start is asked again, as the answer says. */
export async function ask(
	env: TestToolEnv,
	args: Record<string, unknown>,
	signal?: AbortSignal,
): Promise<string> {
	for (const end = performance.now() + 60_000; ;) {
		const text = await use(env, "lsp", args, signal);
		if (!text.includes("No answer in time") || performance.now() > end) return text;
	}
}

/** Calls a built-in tool. Returns what the model reads. */
export async function use(
	env: TestToolEnv,
	name: string,
	args: Record<string, unknown>,
	signal?: AbortSignal,
): Promise<string> {
	const tool = builtinTools.find((one) => one.name === name);
	if (!tool) throw new Error(`there is no tool ${name}`);
	return textOf(await callTool(tool.bind(env), args, signal));
}
