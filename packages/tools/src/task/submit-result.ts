/** The tool with which an agent reports data: it is checked against the schema, and ends the agent's work. */
import type { AgentTool } from "@tau/agent";
import type { JsonSchema } from "@tau/ai";
import type { Behavior } from "@tau/session/run";
import { isRecord } from "@tau/utils";

import { schemaProblem, valueProblems } from "../json-schema/index.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { limits } from "./limits.ts";
import prompt from "./submit-result.md" with { type: "text" };

export interface ResultBox {
	readonly tool: AgentTool;
	/** Ends the run once there is a result, or no right one is to be expected. */
	readonly behavior: Behavior;
	/** The right result. */
	readonly result: { data: unknown } | undefined;
	/** The last wrong one, with what is wrong with it. */
	readonly wrong: { data: unknown; problem: string } | undefined;
	readonly isHopeless: boolean;
}

/** Why the schema cannot be used; undefined if it can. */
export async function resultSchemaProblem(
	schema: JsonSchema,
	signal: AbortSignal,
): Promise<string | undefined> {
	if (JSON.stringify(schema).length > limits.schemaChars)
		return `The schema has more than ${limits.schemaChars} characters.`;
	const problem = await schemaProblem(schema, signal);
	return problem === undefined ? undefined : `The schema cannot be used: ${problem}`;
}

export function resultBox(schema: JsonSchema): ResultBox {
	let result: ResultBox["result"];
	let wrong: ResultBox["wrong"];
	let failures = 0;
	const isHopeless = (): boolean => failures >= limits.wrongResults;
	return {
		get result() {
			return result;
		},
		get wrong() {
			return wrong;
		},
		get isHopeless() {
			return isHopeless();
		},
		behavior: {
			name: "submitted-result",
			attach: (session) =>
				session.onAfter(["turn_end"], () => {
					if (result || isHopeless()) session.stop();
				}),
		},
		tool: {
			name: "submit_result",
			label: "Submit result",
			description: prompt.trim(),
			parameters: parametersWith(schema),
			concurrency: "exclusive",
			approval: "read",
			validate: (input) =>
				"result" in input
					? { ok: true, value: { ...input } }
					: { ok: false, reason: "result: is missing. Expected: result." },
			execute: async (_id, params, signal) => {
				const { data, problems } = await readResult(params.result, schema, signal);
				if (problems.length === 0) {
					result ??= { data };
					return textResult("The result was accepted.");
				}
				const problem = `${problems.join("; ")}.`;
				wrong = { data, problem };
				failures++;
				return errorResult(`The result does not fit the schema: ${problem}`);
			},
		},
	};
}

/** References count from the root of the parameters: definitions go there, and other references get the longer path. */
function parametersWith(schema: JsonSchema): JsonSchema {
	const { $defs, definitions, ...result } = relocated(schema) as JsonSchema;
	return {
		type: "object",
		properties: { result },
		required: ["result"],
		...($defs === undefined ? {} : { $defs }),
		...(definitions === undefined ? {} : { definitions }),
	};
}

function relocated(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(relocated);
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, part]) => [
			key,
			key === "$ref" && typeof part === "string" ? relocatedReference(part) : relocated(part),
		]),
	);
}

function relocatedReference(reference: string): string {
	const isMoved =
		reference === "#" || (reference.startsWith("#/") && !/^#\/(\$defs|definitions)\//.test(reference));
	return isMoved ? `#/properties/result${reference.slice(1)}` : reference;
}

/** Some models write the data as JSON text. */
async function readResult(
	value: unknown,
	schema: JsonSchema,
	signal: AbortSignal,
): Promise<{ data: unknown; problems: string[] }> {
	const problems = await valueProblems(schema, value, "result", signal);
	if (typeof value !== "string" || problems.length === 0) return { data: value, problems };
	try {
		const data: unknown = JSON.parse(value);
		return { data, problems: await valueProblems(schema, data, "result", signal) };
	} catch (error) {
		// Then it is a text, and the schema says what is wrong with it.
		if (error instanceof SyntaxError) return { data: value, problems };
		throw error;
	}
}
