/** A tool is one value: its prompt, its permissions, its implementation and its view for the user. */
import type {
	AgentMessage,
	AgentTool,
	AgentToolResult,
	CarriedFact,
	JudgedPaths,
	Preview,
	TextChange,
	ToolApproval,
	Touch,
	Validated,
} from "@tau/agent";
import type { JsonSchema } from "@tau/ai";
import { withJudged } from "@tau/sys";
import { isRecord, once, oneLine } from "@tau/utils";
import { z } from "zod";

import type { ClaudeForm } from "./claude-form.ts";
import { limits } from "./limits.ts";
import type { ToolEnv } from "./env.ts";
import { coerceArguments, unknownKeys } from "./coerce-arguments.ts";
import { PlainArguments } from "./plain-arguments.ts";

/** What a tool may touch while it runs. */
export interface ToolContext extends ToolEnv {
	readonly toolCallId: string;
	readonly signal: AbortSignal;
	/** What the call was judged by; absent where nothing judges calls. */
	readonly judged?: JudgedPaths | undefined;
	/** Shows what there is so far, while the tool still runs. */
	update(partial: AgentToolResult): void;
}

/** How a user sees a call; the result is made one clean line. */
export interface ToolView<P> {
	call(params: P): string;
	/** True for a call whose effect is seen elsewhere on the screen; `details` are absent until it has ended. */
	isQuiet?(details: unknown): boolean;
	/** True when the images of a result are for the user's eyes: they are drawn below the call. */
	readonly showsImages?: boolean;
	/** Markdown of a successful call that stays below it, however little of calls is shown. */
	shows?(params: P, details: unknown): string | undefined;
}

/** Where a call would work: all that is needed to say what it touches. */
export type TouchContext = Pick<ToolEnv, "cwd" | "resolve"> &
	Partial<Pick<ToolEnv, "services" | "settings" | "sandbox">>;

/** The arguments that hold source which a call writes; what is taken out of a file is not written. */
export interface SourceArguments {
	readonly text: readonly string[];
	/** Of these, what a patch adds. */
	readonly patch?: readonly string[];
}

/** What a call is for. */
export type CallKind = "read" | "edit" | "delete" | "search" | "execute" | "fetch" | "think" | "other";

/** What a tool says of itself beside its work, so that nothing else has to know it by name. */
export interface ToolFacts {
	readonly name: string;
	/** What it may do to the machine: the tier that approval rules refer to. */
	readonly approval: ToolApproval;
	readonly source?: SourceArguments;
	/** Arguments beside those of `source` that the user may change before allowing a call. */
	readonly amends?: readonly string[];
	/** What its calls are for, where that is more than what they touch. */
	readonly kind?: CallKind;
	/** What Claude Code calls it, for hooks. */
	readonly claude?: ClaudeForm;
	/** True when a call waits for an answer of the user. */
	readonly asksUser?: boolean;
	/** True for a tool of the session that the user talks to: agents of the session do not have it. */
	readonly isForMainOnly?: boolean;
	/** True for a tool of agents: the session itself has it once agents work in the background. */
	readonly isForAgents?: boolean;
	/** True when a call opens agents: those that may open none do not have the tool. */
	readonly opensAgents?: boolean;
	/** What it is for, in a few words that its name does not say; may be empty. Its schema is in no request until it is searched for or called. */
	readonly searchHint?: string;
}

export interface ToolSpec<P extends z.ZodObject = z.ZodObject> extends ToolFacts {
	label: string;
	/** The model's words, from `prompt.md`. */
	prompt: string;
	concurrency: "shared" | "exclusive";
	/** Built-in tools have a function, which is called at the first use: all schemas take a start 5 ms to build. */
	parameters: P | (() => P);
	/** The parameters as JSON Schema, from `parameters.json`: deriving those of all tools costs a start 6 ms. */
	schema?: JsonSchema;
	/** Other names that permission rules may use for it. */
	aliases?: readonly string[];
	/** What a call would touch. Arguments that are missing or of a wrong type are left out. */
	touches?(params: Partial<z.infer<P>>, context: TouchContext): readonly Touch[];
	/** The texts that a call would replace, as far as they are known; paths are absolute. */
	changes?(params: Partial<z.infer<P>>, context: TouchContext): readonly TextChange[];
	/** The tier of a call that needs less than the tool's: a call is otherwise judged by that, whatever it touches. */
	approvalFor?(params: Partial<z.infer<P>>): ToolApproval;
	/** What a call would change, for the user who is asked to approve it; undefined where it cannot be shown whole. */
	preview?(params: z.infer<P>, context: ToolContext): Promise<Preview | undefined>;
	/** Called when a call begins to arrive: starts what takes a while. The call may never run. */
	prepare?(env: ToolEnv): void;
	/** What a compaction must not lose of a result, or of a message of the application. */
	carries?(message: AgentMessage): readonly CarriedFact[];
	execute(params: z.infer<P>, context: ToolContext): Promise<AgentToolResult>;
	view: ToolView<Partial<z.infer<P>>>;
}

/** A tool of any parameters, as a registry holds it. */
export interface BuiltinTool extends ToolFacts {
	/** Absent when they depend on the model. */
	parameters?(): z.ZodObject;
	/** One line that shows a call, also one whose arguments are still streaming or wrong. */
	describeCall(args: Readonly<Record<string, unknown>>): string;
	/** Whether a call needs no line of its own; `details` are those of its result. */
	isQuiet?(details: unknown): boolean;
	readonly showsImages?: boolean;
	/** See `ToolView.shows`. */
	shows?(args: Readonly<Record<string, unknown>>, details: unknown): string | undefined;
	/** Other names that models call it by. */
	readonly aliases?: readonly string[];
	/** What a call would touch, also one of an old session or one that is still streaming. */
	touches(args: Readonly<Record<string, unknown>>, context: TouchContext): readonly Touch[];
	/** The tool bound to an environment, ready for the loop. */
	bind(env: ToolEnv): AgentTool;
}

export function defineTool<P extends z.ZodObject>(spec: ToolSpec<P>): BuiltinTool {
	let { schema } = spec;
	const parameters = once(() =>
		typeof spec.parameters === "function" ? spec.parameters() : spec.parameters,
	);
	const plain = once(() => spec.schema && new PlainArguments(spec.schema));
	const shown = (args: Readonly<Record<string, unknown>>): Partial<z.infer<P>> =>
		(plain()?.known(args) as Partial<z.infer<P>> | undefined) ?? shownArguments(parameters(), args);
	const touches: BuiltinTool["touches"] = (args, context) => spec.touches?.(shown(args), context) ?? [];
	return {
		...factsOf(spec),
		parameters,
		touches,
		isQuiet: (details) => spec.view.isQuiet?.(details) ?? false,
		...(spec.view.showsImages ? { showsImages: true } : {}),
		shows: (args, details) => spec.view.shows?.(shown(args), details),
		...(spec.aliases ? { aliases: spec.aliases } : {}),
		describeCall: (args) => oneLine(spec.view.call(shown(args)), limits.callChars),
		bind: (env) => ({
			name: spec.name,
			label: spec.label,
			description: spec.prompt.trim(),
			get parameters() {
				return (schema ??= schemaOf(parameters()));
			},
			concurrency: spec.concurrency,
			approval: spec.approval,
			...approvalIn(spec, shown),
			...amendsOf(spec),
			...(spec.aliases ? { aliases: spec.aliases } : {}),
			...(spec.touches ? { touches: (args) => touches(args, env) } : {}),
			...(spec.changes ? { changes: (args) => spec.changes?.(shown(args), env) ?? [] } : {}),
			...(spec.prepare ? { prepare: () => spec.prepare?.(env) } : {}),
			...(spec.carries ? { carries: spec.carries } : {}),
			validate: (input) => {
				const value = plain()?.whole(input);
				return withoutNul(value ? { ok: true, value } : validate(parameters(), input), (args) =>
					touches(args, env),
				);
			},
			...previewIn(spec, env),
			execute: (toolCallId, params, signal, update, within) =>
				// The loop validates before every call, and again after every rewrite, so the parameters have the schema's shape.
				spec.execute(params as z.infer<P>, {
					...judgedEnv(env, within),
					toolCallId,
					signal,
					judged: within,
					update,
				}),
		}),
	};
}

function approvalIn<P extends z.ZodObject>(
	{ approvalFor }: ToolSpec<P>,
	shown: (args: Readonly<Record<string, unknown>>) => Partial<z.infer<P>>,
): Pick<AgentTool, "approvalFor"> {
	return approvalFor ? { approvalFor: (args) => approvalFor(shown(args)) } : {};
}

export function amendsOf({ source, amends = [] }: ToolFacts): Pick<AgentTool, "amends"> {
	const names = [...amends, ...(source?.text ?? []), ...(source?.patch ?? [])];
	return names.length === 0 ? {} : { amends: names };
}

function previewIn<P extends z.ZodObject>(spec: ToolSpec<P>, env: ToolEnv): Pick<AgentTool, "preview"> {
	if (!spec.preview) return {};
	return {
		preview: async (params, signal, within) =>
			spec.preview?.(params as z.infer<P>, {
				...judgedEnv(env, within),
				toolCallId: "",
				signal,
				update: () => {},
			}),
	};
}

/** The call reaches the files that it was judged by; what outlives it belongs to the session. */
function judgedEnv(env: ToolEnv, within: JudgedPaths | undefined): ToolEnv {
	return within ? { ...env, machine: withJudged(env.machine, within), sessionEnv: env } : env;
}

function factsOf(facts: ToolFacts): ToolFacts {
	const { name, approval, source, kind, claude, asksUser, isForMainOnly, isForAgents, opensAgents } = facts;
	const { searchHint } = facts;
	return {
		name,
		approval,
		...(source ? { source } : {}),
		...(kind ? { kind } : {}),
		...(claude ? { claude } : {}),
		...(asksUser ? { asksUser } : {}),
		...(isForMainOnly ? { isForMainOnly } : {}),
		...(isForAgents ? { isForAgents } : {}),
		...(opensAgents ? { opensAgents } : {}),
		...(searchHint === undefined ? {} : { searchHint }),
	};
}

export function schemaOf(parameters: z.ZodObject): JsonSchema {
	const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: "input", override: dropPlainBounds });
	return schema;
}

/**
 * Leaves out what no model has to be told, because every sensible call keeps to it and another is refused with the
 * reason: that texts are not empty or endless, that numbers are positive. Limits that a call may well meet stay.
 */
function dropPlainBounds({ jsonSchema: schema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
	const { minItems, maxItems = 0, minimum, maximum, exclusiveMinimum, additionalProperties } = schema;
	delete schema.minLength;
	delete schema.maxLength;
	// Keys are texts anyway.
	if (Bun.deepEquals(schema.propertyNames, { type: "string" })) delete schema.propertyNames;
	if (minItems === 1) delete schema.minItems;
	if (maxItems >= limits.longList) delete schema.maxItems;
	if (minimum === 0 || minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
	if (maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
	if (exclusiveMinimum === 0) delete schema.exclusiveMinimum;
	if (isRecord(additionalProperties) && Object.keys(additionalProperties).length === 0)
		delete schema.additionalProperties;
}

function validate(parameters: z.ZodObject, input: Readonly<Record<string, unknown>>): Validated {
	// To compile the schema takes longer than the calls of most sessions.
	const parsed = parameters.safeParse(input, { jitless: true });
	const unknown = unknownKeys(parameters, input);
	const right = parsed.success ? { value: parsed.data, notes: [] } : coerceArguments(parameters, input);
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

/** No file and no command has a NUL in it: said once, before the system says it in its own words. */
function withoutNul(
	valid: Validated,
	touchesOf: (args: Readonly<Record<string, unknown>>) => readonly Touch[],
): Validated {
	if (!valid.ok) return valid;
	const hasNul = touchesOf(valid.value).some((touch) =>
		[
			"path" in touch ? touch.path : "",
			"command" in touch ? touch.command : "",
			"cwd" in touch ? touch.cwd : "",
		].some((text) => text?.includes("\0")),
	);
	return hasNul ? { ok: false, reason: "A path or command cannot contain a NUL character." } : valid;
}

/** Keeps the arguments that have the right type already; a view never sees a wrong one. */
function shownArguments<P extends z.ZodObject>(
	parameters: P,
	args: Readonly<Record<string, unknown>>,
): Partial<z.infer<P>> {
	const shown: Record<string, unknown> = {};
	for (const [name, schema] of Object.entries(parameters.shape)) {
		const value = z.safeParse(schema, args[name]);
		if (value.success && value.data !== undefined) shown[name] = value.data;
	}
	return shown as Partial<z.infer<P>>;
}
