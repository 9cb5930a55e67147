/** Reads a YAML file that a user wrote: its value, and every problem with file, line and field. */
import type { ShapeResult } from "@tau/utils";

import type { ConfigProblem } from "./config-problem.ts";
import { limits } from "./limits.ts";

export type Path = (string | number)[];

/** A problem at a path in the value. */
export interface Finding {
	path: Path;
	message: string;
}

/** The value of the file, undefined if it cannot be read; and a function to report problems with it. */
export interface YamlFile {
	path: string;
	value: unknown;
	problems: ConfigProblem[];
	/** Adds the findings of a check, each with its line. */
	report(findings: readonly Finding[]): Promise<void>;
}

/** Returns undefined if the file does not exist. */
export async function readYamlFile(path: string): Promise<YamlFile | undefined> {
	const text = await readText(path);
	if (text === undefined) return undefined;
	const file: YamlFile = { path, value: undefined, problems: [], report: async () => {} };
	if (text instanceof Error) {
		file.problems.push({ file: path, message: `cannot be read: ${text.message}` });
		return file;
	}
	try {
		file.value = Bun.YAML.parse(text);
	} catch (error) {
		const { syntaxProblem } = await import("./yaml-positions.ts");
		file.problems.push(syntaxProblem(path, text, error));
		return file;
	}
	file.report = async (findings) => {
		if (findings.length > 0) file.problems.push(...(await placed(path, text, findings)));
	};
	return file;
}

/** The issues of a shape as findings, with `path` prepended to their paths. */
export function findingsOf(result: ShapeResult<unknown>, path: Path): Finding[] {
	if (result.ok) return [];
	return result.issues.map((issue) => ({ path: [...path, ...issue.path], message: issue.message }));
}

async function placed(path: string, text: string, findings: readonly Finding[]): Promise<ConfigProblem[]> {
	const { linesOf } = await import("./yaml-positions.ts");
	const lineOf = linesOf(text);
	return findings.map(({ path: at, message }) => {
		const line = lineOf(at);
		return { file: path, field: at.join("."), message, ...(line === undefined ? {} : { line }) };
	});
}

async function readText(path: string): Promise<string | Error | undefined> {
	const file = Bun.file(path);
	try {
		if (file.size > limits.configFileBytes) return new Error(`larger than ${limits.configFileBytes} bytes`);
		return await file.text();
	} catch (error) {
		if (!(error instanceof Error)) return new Error(String(error));
		return "code" in error && error.code === "ENOENT" ? undefined : error;
	}
}
