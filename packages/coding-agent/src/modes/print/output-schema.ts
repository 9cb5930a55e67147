/** `--output-schema`: the last answer is a JSON value that fits a schema, and the model is asked again until it does. */
import { resolve } from "node:path";

import type { AgentMessage } from "@tau/agent";
import { fill, expandHome, isRecord, UsageError } from "@tau/utils";
import type { SessionHost } from "@tau/session/host";
import { schemaProblem, valueProblems } from "@tau/tools/json-schema";

import { decodeText, readWhole } from "@tau/session-commands/shared/attachments";
import { limits } from "./limits.ts";
import again from "./output-schema-again.md" with { type: "text" };
import instruction from "./output-schema.md" with { type: "text" };
import type { PrintOutcome } from "./run-print.ts";

type Schema = Record<string, unknown>;
type Checked = { ok: true; value: unknown } | { ok: false; problem: string };

export interface OutputSchema {
	/** The message to the model. */
	readonly instruction: string;
	check(answer: string): Promise<Checked>;
}

/** Reads the flag: a JSON object, or the name of a file with one. Throws a `UsageError`. */
export async function readOutputSchema(argument: string, cwd: string): Promise<OutputSchema> {
	const schema = await parseSchema(
		/^\s*[{[]/.test(argument) ? argument : await readSchemaFile(argument, cwd),
	);
	return {
		instruction: fill(instruction, { schema: JSON.stringify(schema) }),
		check: (answer) => check(answer, schema),
	};
}

async function readSchemaFile(path: string, cwd: string): Promise<string> {
	const name = `--output-schema ${path}`;
	const file = Bun.file(resolve(cwd, expandHome(path)));
	return decodeText(await readWhole(file.stream(), name, limits.schemaBytes), name);
}

async function parseSchema(text: string): Promise<Schema> {
	const schema = parsed(text);
	const problem = isRecord(schema) ? await schemaProblem(schema) : "a JSON Schema is an object";
	if (problem !== undefined) throw invalid(problem);
	return schema as Schema;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw invalid(reasonOf(error));
	}
}

function invalid(reason: string): UsageError {
	return new UsageError(`--output-schema: not a valid JSON Schema: ${reason}`);
}

/** The value is as the model wrote it: a schema checks, it does not change. */
async function check(answer: string, schema: Schema): Promise<Checked> {
	let value: unknown;
	try {
		value = JSON.parse(withoutFence(answer));
	} catch (error) {
		return { ok: false, problem: `It is not JSON: ${reasonOf(error)}` };
	}
	const problems = await valueProblems(schema, value, "answer");
	return problems.length === 0 ? { ok: true, value } : { ok: false, problem: problems.join("\n") };
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Models put JSON into a fence even when they are told not to. */
function withoutFence(text: string): string {
	return /^\s*```\w*\n([^]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

/** Asks again while the last answer does not fit. `emit` gets the value when it does. */
export async function structuredOutcome(
	schema: OutputSchema,
	host: Pick<SessionHost, "session">,
	first: PrintOutcome,
	ask: (text: string) => Promise<PrintOutcome>,
	emit: (value: unknown) => void | Promise<void>,
): Promise<PrintOutcome> {
	let outcome = first;
	for (let asked = 0; outcome.kind === "answered"; asked++) {
		const checked = await schema.check(lastText(host.session.state.messages));
		if (checked.ok) {
			await emit(checked.value);
			return outcome;
		}
		if (asked === limits.schemaAttempts) return { kind: "unfit", reason: checked.problem };
		outcome = await ask(fill(again, { problem: checked.problem }));
	}
	return outcome;
}

/** The last answer, with the parts before it that reached the model's output limit. */
function lastText(messages: readonly AgentMessage[]): string {
	const answers = messages.filter((message) => message.role === "assistant");
	const before = answers.slice(0, -1).findLastIndex(({ stopReason }) => stopReason !== "length");
	return answers
		.slice(before + 1)
		.flatMap(({ content }) => content)
		.map((part) => (part.type === "text" ? part.text : ""))
		.join("");
}
