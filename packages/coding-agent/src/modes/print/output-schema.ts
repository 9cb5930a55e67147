/** `--output-schema`: the last answer is a JSON value that fits a schema, and the model is asked again until it does. */
import { resolve } from "node:path";

import type { AgentMessage } from "@tau/agent";
import { problemsOf } from "@tau/extensions/typebox";
import { fill } from "@tau/session/prompts";
import type { SessionHost } from "@tau/session/host";
import { expandHome, isRecord, UsageError } from "@tau/utils";

import { decodeText, readWhole } from "../shared/attachments.ts";
import { limits } from "./limits.ts";
import again from "./output-schema-again.md" with { type: "text" };
import instruction from "./output-schema.md" with { type: "text" };
import type { PrintOutcome } from "./run-print.ts";

type Schema = Record<string, unknown>;
type Checked = { ok: true; value: unknown } | { ok: false; problem: string };

export interface OutputSchema {
	/** The message to the model. */
	readonly instruction: string;
	check(answer: string): Checked;
}

/** Reads the flag: a JSON object, or the name of a file with one. Throws a `UsageError`. */
export async function readOutputSchema(argument: string, cwd: string): Promise<OutputSchema> {
	const schema = parseSchema(/^\s*[{[]/.test(argument) ? argument : await readSchemaFile(argument, cwd));
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

function parseSchema(text: string): Schema {
	try {
		const schema: unknown = JSON.parse(text);
		if (!isRecord(schema)) throw new Error("a JSON Schema is an object");
		assertValid(schema, schema);
		// References that lead back to themselves are noticed when something is checked.
		for (const probe of [null, "", 0, [], {}]) problemsOf(schema, probe, "answer");
		return schema;
	} catch (error) {
		throw new UsageError(`--output-schema: not a valid JSON Schema: ${reasonOf(error)}`);
	}
}

const types = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(["const", "enum", "default", "examples"]);

/** The checker ignores types that it does not know and rejects everything for references that lead nowhere. */
function assertValid(part: unknown, root: Schema, depth = 0): void {
	if (depth > limits.schemaDepth) throw new Error(`it is nested more than ${limits.schemaDepth} levels deep`);
	if (Array.isArray(part)) for (const each of part) assertValid(each, root, depth + 1);
	if (!isRecord(part)) return;
	const { type, $ref, pattern } = part;
	// A property may be called `type`: then its schema is there.
	for (const name of [type].flat())
		if (typeof name === "string" && !types.has(name)) throw new Error(`there is no type "${name}"`);
	if (typeof $ref === "string") assertReference($ref, root);
	if (typeof pattern === "string") RegExp(pattern, "u");
	for (const [keyword, value] of Object.entries(part))
		if (!dataKeywords.has(keyword)) assertValid(value, root, depth + 1);
}

/** Nothing is read from other files or servers. */
function assertReference(reference: string, root: Schema): void {
	if (!/^#(?:\/|$)/.test(reference))
		throw new Error(`only references within the schema (#/…) are supported, not ${reference}`);
	const names = decodeURIComponent(reference).split("/").slice(1);
	let target: unknown = root;
	for (const name of names) {
		const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
		target =
			typeof target === "object" && target !== null && Object.hasOwn(target, key)
				? Reflect.get(target, key)
				: undefined;
	}
	if (target === undefined) throw new Error(`$ref "${reference}" leads nowhere`);
}

function check(answer: string, schema: Schema): Checked {
	let value: unknown;
	try {
		value = JSON.parse(withoutFence(answer));
	} catch (error) {
		return { ok: false, problem: `It is not JSON: ${reasonOf(error)}` };
	}
	try {
		// The value as the model wrote it: a schema checks, it does not change.
		const problems = problemsOf(schema, value, "answer");
		return problems.length === 0 ? { ok: true, value } : { ok: false, problem: problems.join("\n") };
	} catch (error) {
		return { ok: false, problem: `It cannot be checked: ${reasonOf(error)}` };
	}
}

function reasonOf(error: unknown): string {
	// The only bound of a checker that calls itself.
	if (error instanceof RangeError) return "it is nested too deeply, or a $ref leads back to itself";
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
		const checked = schema.check(lastText(host.session.state.messages));
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
