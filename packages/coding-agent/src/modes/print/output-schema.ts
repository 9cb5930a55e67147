/** `--output-schema`: the last answer is a JSON value that fits a schema, and the model is asked again until it does. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { AgentMessage } from "@tau/agent";
import { fill } from "@tau/session/prompts";
import type { SessionHost } from "@tau/session/host";
import { expandHome, isRecord, UsageError } from "@tau/utils";
import { z } from "zod";

import { limits } from "./limits.ts";
import again from "./output-schema-again.md" with { type: "text" };
import instruction from "./output-schema.md" with { type: "text" };
import type { PrintOutcome } from "./run-print.ts";

type Checked = { ok: true; value: unknown } | { ok: false; problem: string };

export interface OutputSchema {
	/** The message to the model. */
	readonly instruction: string;
	check(answer: string): Checked;
}

/** Reads the flag: a JSON object, or the name of a file with one. Throws a `UsageError`. */
export function readOutputSchema(argument: string, cwd: string): OutputSchema {
	const text = argument.trimStart().startsWith("{") ? argument : readSchemaFile(argument, cwd);
	const schema = parseSchema(text);
	return {
		instruction: fill(instruction, { schema: JSON.stringify(schema) }),
		check: (answer) => check(answer, compile(schema)),
	};
}

function readSchemaFile(path: string, cwd: string): string {
	try {
		return readFileSync(resolve(cwd, expandHome(path)), "utf8");
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new UsageError(`--output-schema ${path}: cannot read it: ${reason}`);
	}
}

function parseSchema(text: string): Record<string, unknown> {
	try {
		const schema: unknown = JSON.parse(text);
		if (!isRecord(schema)) throw new Error("a JSON Schema is an object");
		compile(schema);
		return schema;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new UsageError(`--output-schema: not a valid JSON Schema: ${reason}`);
	}
}

function compile(schema: Record<string, unknown>): z.ZodType {
	return z.fromJSONSchema(schema);
}

function check(answer: string, schema: z.ZodType): Checked {
	let value: unknown;
	try {
		value = JSON.parse(withoutFence(answer));
	} catch (error) {
		return {
			ok: false,
			problem: `It is not JSON: ${error instanceof Error ? error.message : String(error)}`,
		};
	}
	const parsed = schema.safeParse(value);
	// The value as the model wrote it: a schema checks, it does not change.
	if (parsed.success) return { ok: true, value };
	const problems = parsed.error.issues.map(({ path, message }) =>
		[path.join("."), message].filter(Boolean).join(": "),
	);
	return { ok: false, problem: problems.slice(0, limits.schemaProblems).join("\n") };
}

/** Models put JSON into a fence even when they are told not to. */
function withoutFence(text: string): string {
	return /^\s*```\w*\n([^]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

/** Asks again while the last answer does not fit. The value is put out when it does. */
export async function structuredOutcome(
	schema: OutputSchema,
	host: Pick<SessionHost, "session">,
	first: PrintOutcome,
	ask: (text: string) => Promise<PrintOutcome>,
	write: (json: string) => void | Promise<void>,
): Promise<PrintOutcome> {
	let outcome = first;
	for (let asked = 0; outcome.kind === "answered"; asked++) {
		const checked = schema.check(lastText(host.session.state.messages));
		if (checked.ok) {
			await write(`${JSON.stringify(checked.value)}\n`);
			return outcome;
		}
		if (asked === limits.schemaAttempts) return { kind: "unfit", reason: checked.problem };
		outcome = await ask(fill(again, { problem: checked.problem }));
	}
	return outcome;
}

function lastText(messages: readonly AgentMessage[]): string {
	const answer = messages.findLast(({ role }) => role === "assistant");
	if (answer?.role !== "assistant") return "";
	return answer.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
