/** A tool is one value: what the model reads, what it may do, what it does and how a person sees it. */
import type { AgentTool, AgentToolResult, Validated } from "@tau/agent";
import type { JsonSchema } from "@tau/ai";
import { oneLine, type Env } from "@tau/utils";
import { z } from "zod";

import { limits } from "./limits.ts";

/** What a tool may touch while it runs. */
export interface ToolContext {
	readonly toolCallId: string;
	readonly cwd: string;
	readonly env: Env;
	readonly signal: AbortSignal;
	/** Shows what there is so far, while the tool still runs. */
	update(partial: AgentToolResult): void;
	/** A path as the model wrote it, made absolute. */
	resolve(path: string): string;
	/** How long a command may run when the model does not say. */
	readonly commandSeconds?: number;
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

export type ToolPlace = Pick<ToolContext, "cwd" | "env" | "resolve" | "commandSeconds">;

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
	if (parsed.success) return { ok: true, value: parsed.data };
	const problems = parsed.error.issues.map(
		(issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`,
	);
	return {
		ok: false,
		reason: `${problems.join("; ")}. Expected: ${Object.keys(parameters.shape).join(", ")}.`,
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
