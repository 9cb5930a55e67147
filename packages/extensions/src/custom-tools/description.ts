/** Reads the description by which a model can call a program: from a file beside it, or from the program itself. */
import { closeSync, openSync, readSync } from "node:fs";
import { basename, extname } from "node:path";

import { commandEnvironment, runProgram } from "@tau/sys";
import { cutUnits, oneLine } from "@tau/utils";
import { z } from "zod";

import { readText } from "@tau/resources/discovery";
import { limits } from "./limits.ts";
import { commandOf } from "./program-files.ts";

const schema = z.object({
	name: z
		.string()
		.regex(/^[\w-]{1,64}$/, "only letters, digits, _ and -")
		.optional(),
	label: z.string().optional(),
	description: z.string().min(1).max(limits.descriptionChars),
	/** A JSON schema of an object. */
	parameters: z.looseObject({ type: z.literal("object") }).optional(),
	approval: z.enum(["read", "write", "exec"]).optional(),
	/** Seconds that a call may take. */
	timeout: z.number().positive().optional(),
});

export type ToolDescription = z.infer<typeof schema> & { name: string };

export type Described = { ok: true; description: ToolDescription } | { ok: false; error: string };

/** The word that a program has to know before it is asked: one that does not would do its work instead. */
const describeFlag = "--describe";

/** Reads `foo.json` beside `foo.sh`; undefined if there is none. */
export function besideIt(path: string): Described | undefined {
	const file = `${path.slice(0, path.length - extname(path).length)}.json`;
	if (file === path) return undefined;
	const read = readText(file, limits.descriptionBytes);
	if (!read) return undefined;
	return read.ok ? described(read.text, path) : { ok: false, error: `${basename(file)} ${read.message}.` };
}

/** Runs it with `--describe`, if it knows the word. */
export async function readDescription(path: string, cwd: string): Promise<Described> {
	if (!mentions(path, describeFlag))
		return { ok: false, error: `It does not support ${describeFlag}, and there is no .json file beside it.` };
	let printed = "";
	let wrong = "";
	const decoder = new TextDecoder();
	try {
		const { exitCode, stopped } = await runProgram({
			command: [...commandOf(path), describeFlag],
			cwd,
			env: commandEnvironment(process.env),
			input: "",
			timeoutMs: limits.describeMs,
			signal: new AbortController().signal,
			onOutput: (chunk) => {
				if (printed.length <= limits.descriptionBytes) printed += decoder.decode(chunk, { stream: true });
			},
			onError: (chunk) => {
				if (wrong.length < limits.errorChars) wrong += new TextDecoder().decode(chunk);
			},
		});
		if (stopped !== undefined) return { ok: false, error: `${describeFlag} timed out.` };
		if (exitCode !== 0)
			return {
				ok: false,
				error: `${describeFlag} exited with ${exitCode ?? "a signal"}: ${oneLine(wrong, 200)}`,
			};
		return described(printed, path);
	} catch (error) {
		return { ok: false, error: error instanceof Error ? error.message : String(error) };
	}
}

export function described(text: string, path: string): Described {
	if (text.length > limits.descriptionBytes) return { ok: false, error: "Its description is too long." };
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { ok: false, error: `Its description is not valid JSON: ${reason}` };
	}
	const parsed = schema.safeParse(json);
	if (!parsed.success) {
		const problems = parsed.error.issues.map(({ path: at, message }) => `${at.join(".")}: ${message}`);
		return { ok: false, error: `Its description is invalid: ${cutUnits(problems.join("; "), 500)}` };
	}
	const { name = nameOf(path) } = parsed.data;
	return { ok: true, description: { ...parsed.data, name } };
}

/** What the file is called, as far as a tool may be called so. */
function nameOf(path: string): string {
	return (
		basename(path, extname(path))
			.replaceAll(/[^\w-]/g, "_")
			.slice(0, 64) || "tool"
	);
}

function mentions(path: string, word: string): boolean {
	const head = Buffer.alloc(limits.headBytes);
	const file = openSync(path, "r");
	try {
		return head.subarray(0, readSync(file, head)).includes(word);
	} finally {
		closeSync(file);
	}
}
