/** A tool is one value: what the model reads, what it may do, what it does and how a person sees it. */
import type { AgentTool, AgentToolResult, Validated } from "@tau/agent";
import type { JsonSchema } from "@tau/ai";
import { oneLine } from "@tau/utils";
import { z } from "zod";

import { limits } from "./limits.ts";
import type { ToolPlace } from "./place.ts";
import { putRight, strangers } from "./put-right.ts";

/** What a tool may touch while it runs. */
export interface ToolContext extends ToolPlace {
	readonly toolCallId: string;
	readonly signal: AbortSignal;
	/** Shows what there is so far, while the tool still runs. */
	update(partial: AgentToolResult): void;
}

/** How a person sees a call; what it returns is made one clean line. */
export interface ToolView<P> {
	call(params: P): string;
}

export interface ToolSpec<P extends z.ZodObject = z.ZodObject> {
	name: string;
	label: string;
	/** The model's words, from `prompt.md`. */
	prompt: string;
	concurrency: "shared" | "exclusive";
	/** What it may do to the machine: the tier that approval rules speak of. */
	approval: "read" | "write" | "exec";
	parameters: P;
	execute(params: z.infer<P>, context: ToolContext): Promise<AgentToolResult>;
	view: ToolView<Partial<z.infer<P>>>;
}

/** A tool of any parameters, as a registry holds it. */
export interface BuiltinTool {
	readonly name: string;
	readonly approval: ToolSpec["approval"];
	/** One line that shows a call, also one whose arguments are still streaming or wrong. */
	describeCall(args: Record<string, unknown>): string;
	/** The tool bound to a place, ready for the loop. */
	bind(place: ToolPlace): AgentTool;
}

export function defineTool<P extends z.ZodObject>(spec: ToolSpec<P>): BuiltinTool {
	let schema: JsonSchema | undefined;
	return {
		name: spec.name,
		approval: spec.approval,
		describeCall: (args) => oneLine(spec.view.call(shownArguments(spec.parameters, args)), limits.callChars),
		bind: (place) => ({
			name: spec.name,
			label: spec.label,
			description: spec.prompt.trim(),
			get parameters() {
				return (schema ??= schemaOf(spec.parameters));
			},
			concurrency: spec.concurrency,
			validate: (input) => validate(spec.parameters, input),
			execute: (toolCallId, params, signal, update) =>
				// `validate` stands before every call of the loop, so the parameters have the schema's shape.
				spec.execute(params as z.infer<P>, { ...place, toolCallId, signal, update }),
		}),
	};
}

function schemaOf(parameters: z.ZodObject): JsonSchema {
	const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: "input" });
	return schema;
}

function validate(parameters: z.ZodObject, input: Record<string, unknown>): Validated {
	const parsed = parameters.safeParse(input);
	const unknown = strangers(parameters, input);
	const right = parsed.success ? { value: parsed.data, notes: [] } : putRight(parameters, input);
	if (right) {
		const notes = [...right.notes, ...unknown.map((problem) => `${problem}; it was ignored`)];
		return { ok: true, value: right.value, ...(notes.length > 0 ? { notes } : {}) };
	}
	const issues = parsed.error?.issues ?? [];
	const problems = issues.map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
	return {
		ok: false,
		reason: `${[...problems, ...unknown].join("; ")}. Expected: ${Object.keys(parameters.shape).join(", ")}.`,
	};
}

/** Keeps the arguments that have the right type already; a view never sees a wrong one. */
function shownArguments<P extends z.ZodObject>(
	parameters: P,
	args: Record<string, unknown>,
): Partial<z.infer<P>> {
	const shown: Record<string, unknown> = {};
	for (const [name, schema] of Object.entries(parameters.shape)) {
		const value = z.safeParse(schema, args[name]);
		if (value.success && value.data !== undefined) shown[name] = value.data;
	}
	return shown as Partial<z.infer<P>>;
}
