/** The entry point `@tau/tools/testing`: the JSON Schema of every built-in tool, for the script and the test of `parameters.json`. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

import { z } from "zod";

import { schemaOf } from "../tool/define-tool.ts";

const tools = join(import.meta.dir, "..");
const modules = ["tool.ts", "form.ts"];

export interface ToolSchema {
	readonly file: string;
	/** The JSON Schema of the parameters as the code declares them. */
	readonly derived: object;
}

/** The schemas of all built-in tools, and of the modes of tools that have several. */
export async function toolSchemas(): Promise<ToolSchema[]> {
	const prompts = await Array.fromAsync(new Bun.Glob("**/prompt.md").scan(tools));
	const directories = prompts.map((prompt) => join(tools, dirname(prompt))).toSorted();
	// A new tool imports its schema, so the files have to exist before any tool can be loaded.
	for (const directory of directories) {
		if (!existsSync(fileIn(directory))) await Bun.write(fileIn(directory), "{}\n");
	}
	return await Promise.all(directories.map(schemaIn));
}

function fileIn(directory: string): string {
	return join(directory, "parameters.json");
}

async function schemaIn(directory: string): Promise<ToolSchema> {
	const module = modules.find((name) => existsSync(join(directory, name))) ?? "tool.ts";
	const exported: Record<string, unknown> = await import(join(directory, module));
	for (const value of Object.values(exported)) {
		const parameters = value instanceof Object && "parameters" in value ? value.parameters : undefined;
		if (parameters instanceof z.ZodObject) return { file: fileIn(directory), derived: schemaOf(parameters) };
	}
	throw new Error(`${join(directory, module)} exports no tool or form with parameters.`);
}
