/** The tool with which an agent reports data: it is checked against the schema, and ends the agent's work. */
import type { AgentTool } from "@tau/agent";
import type { JsonSchema } from "@tau/ai";
import type { Behavior } from "@tau/session/run";
import { z } from "zod";

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
export function schemaProblem(schema: JsonSchema): string | undefined {
	if (JSON.stringify(schema).length > limits.schemaChars)
		return `The schema has more than ${limits.schemaChars} characters.`;
	try {
		z.fromJSONSchema(schema);
		return undefined;
	} catch (error) {
		return `The schema cannot be used: ${error instanceof Error ? error.message : String(error)}`;
	}
}

export function resultBox(schema: JsonSchema): ResultBox {
	const type = z.fromJSONSchema(schema);
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
				session.onAfter((event) => {
					if (event.type === "turn_end" && (result || isHopeless())) session.stop();
				}),
		},
		tool: {
			name: "submit_result",
			label: "Submit result",
			description: prompt.trim(),
			parameters: { type: "object", properties: { result: schema }, required: ["result"] },
			concurrency: "exclusive",
			approval: "read",
			validate: (input) =>
				"result" in input
					? { ok: true, value: { ...input } }
					: { ok: false, reason: "result: is missing. Expected: result." },
			execute: async (_id, params) => {
				const data = readResult(params.result, type);
				const checked = type.safeParse(data);
				if (checked.success) {
					result ??= { data };
					return textResult("The result was accepted.");
				}
				const problem = problemsOf(checked.error);
				wrong = { data, problem };
				failures++;
				return errorResult(`The result does not fit the schema: ${problem}`);
			},
		},
	};
}

/** Some models write the data as JSON text. */
function readResult(value: unknown, type: z.ZodType): unknown {
	if (typeof value !== "string" || type.safeParse(value).success) return value;
	try {
		return JSON.parse(value);
	} catch {
		// Then it is a text, and the schema says what is wrong with it.
		return value;
	}
}

function problemsOf({ issues }: z.ZodError): string {
	const shown = issues
		.slice(0, limits.shownProblems)
		.map(({ path, message }) => `${path.join(".") || "result"}: ${message}`);
	const more = issues.length - shown.length;
	return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
}
