/** The tools of extensions in the registry of a session: registered, chosen by extensions, and run by the loop. */
import type { AgentTool, AgentToolResult, JudgedPaths, Touch, Validated } from "@tau/agent";
import type { JsonSchema, Tool } from "@tau/ai";
import { isRecord, onDispose, runAs } from "@tau/utils";
import { z } from "zod";
import type { ArtifactStore } from "@tau/session/artifacts";
import type { SessionTool } from "@tau/session/run";
import type { ToolRegistry } from "@tau/tools/registry";
import type { Extension } from "../api/extension.ts";
import { describeFailure } from "../support/failure.ts";
import type { PromptAdditions } from "../api/extension-session.ts";
import { sanitizeResult } from "../support/sanitize-result.ts";
import type {
	ExtensionContext,
	ExtensionToolContext,
	SourceInfo,
	ToolDefinition,
	ToolInfo,
} from "../api/types.ts";
import type { ExtensionScope } from "../support/scope.ts";
import { ActiveTools } from "./active-tools.ts";
import { approvalOf, isApproval } from "../api/tool-approval.ts";
import type { NestedCalls, ToolReach } from "../api/tool-reach.ts";
import { declaredTools, loadoutChanges, type LoadoutChanges } from "./loadout.ts";
import { nestedCalls, type NestedCallParts } from "./nested-calls.ts";
import { loadedCheck } from "../support/schema-libraries.ts";

export interface ToolTableParts {
	registry: ToolRegistry;
	extensions: readonly Extension[];
	/** Where they run. */
	scope: ExtensionScope;
	contextOf(extension: Extension): ExtensionContext;
	/** True for a tool that the user requested by name: it is active even if it is inactive by default. */
	isNamed?(name: string): boolean;
	/** A result that asks for the end of the run. */
	onTerminate(toolCallId: string): void;
	/** Text that the model reads with the result. */
	onAside(toolCallId: string, text: string): void;
	/** For tools that call other tools. */
	nested?: Omit<NestedCallParts, "callable"> | undefined;
	/** Where texts go that are too long for a model. */
	artifacts?: ArtifactStore | undefined;
}

interface Row {
	definition: ToolDefinition;
	extension: Extension;
	registration: Disposable;
}

/** Extensions neither see nor restore what these layers hide. */
const closedLayers: ReadonlySet<string> = new Set(["settings", "agent", "policy"]);

export class ToolTable {
	readonly #parts: ToolTableParts;
	readonly #rows = new Map<string, Row>();
	/** What handlers of `before_agent_start` have hidden for a run. */
	#undeclared: ReadonlySet<string> = new Set();
	/** How often extensions have chosen the active tools. */
	#choices = 0;
	readonly #chosen: ActiveTools;

	constructor(parts: ToolTableParts) {
		this.#parts = parts;
		this.#chosen = new ActiveTools(parts.registry, (name) => this.#rows.has(name));
		this.refresh();
	}

	/** Registers tools that extensions have added since the last call. A new tool is active unless it opts out. */
	refresh(): void {
		const { registry } = this.#parts;
		const wanted = this.#wanted();
		registry.batch(() => {
			for (const [name, { registration }] of this.#rows) {
				if (wanted.has(name)) continue;
				registration[Symbol.dispose]();
				this.#rows.delete(name);
			}
			for (const [name, { definition, extension }] of wanted) {
				const known = this.#rows.get(name);
				if (known?.definition === definition) continue;
				known?.registration[Symbol.dispose]();
				const isNew = !known && registry.get(name) === undefined;
				const tool = this.#toolOf(definition, extension);
				const registration = registry.register(`extension:${extension.path}`, [tool]);
				this.#rows.set(name, { definition, extension, registration });
				if (isNew) this.#begin(definition);
			}
		});
	}

	/** The later of two extensions has the name. */
	#wanted(): Map<string, Pick<Row, "definition" | "extension">> {
		const wanted = new Map<string, Pick<Row, "definition" | "extension">>();
		for (const extension of this.#parts.extensions) {
			for (const definition of extension.tools.values())
				wanted.set(definition.name, { definition, extension });
		}
		return wanted;
	}

	#begin(definition: ToolDefinition): void {
		const isActive = this.#parts.isNamed?.(definition.name) || isActiveAtFirst(definition);
		this.#chosen.set(definition.name, isActive);
	}

	get active(): readonly AgentTool[] {
		return this.#parts.registry.visible;
	}

	/** pi's `setActiveTools`. */
	activate(names: readonly string[]): void {
		this.#choices++;
		this.#chosen.choose(names.filter((name) => this.definition(name)?.exposure !== "hidden"));
	}

	/** Activates these tools until it is disposed of; a later choice of an extension stays. */
	activateFor(names: readonly string[]): Disposable {
		const before = this.#chosen.state;
		this.activate(names);
		const during = this.#chosen.state;
		const choice = this.#choices;
		return onDispose(() => {
			if (this.#choices === choice) this.#chosen.undo(before, during);
		});
	}

	info(): ToolInfo[] {
		return this.#parts.registry.entries
			.filter(({ hiddenBy }) => !hiddenBy.some((layer) => closedLayers.has(layer)))
			.map(({ tool: { name, description, parameters } }) => ({
				name,
				description,
				parameters,
				sourceInfo: this.#rows.get(name)?.extension.sourceInfo ?? builtinSource(name),
				...reachOf(this.#rows.get(name)?.definition),
				...(this.#rows.get(name)?.definition.renderResult ? { rendersResult: true as const } : {}),
			}));
	}

	/** What tools may call: those that the model has, and those that were registered for tools alone. */
	get callable(): readonly AgentTool[] {
		const { registry } = this.#parts;
		const visible = new Set(registry.visible.map(({ name }) => name));
		return registry.entries
			.filter(({ tool: { name }, hiddenBy }) => {
				const { exposure = "direct" } = this.definition(name) ?? {};
				if (exposure === "model-only" || exposure === "hidden") return false;
				if (hiddenBy.some((layer) => closedLayers.has(layer))) return false;
				return exposure !== "direct" || visible.has(name);
			})
			.map(({ tool }) => tool);
	}

	/** What tools that orchestrate others change of the tools that requests declare. */
	get loadout(): LoadoutChanges {
		const { registry } = this.#parts;
		return loadoutChanges(
			registry.visible.map(({ name }) => this.definition(name)),
			() => ({
				declared: registry.visible,
				callable: this.callable,
				registered: registry.entries.map(({ tool }) => tool),
				getExposure: (name) => this.definition(name)?.exposure ?? "direct",
				getNamespace: (name) => this.definition(name)?.namespace,
				getPromptGuidelines: (name) => registry.get(name)?.promptGuidelines ?? [],
			}),
		);
	}

	/** The tools that a request declares. */
	declared(tools: readonly Tool[]): Tool[] {
		const { descriptions, hidden } = this.loadout;
		return declaredTools(tools, { descriptions, hidden: hidden.union(this.#undeclared) });
	}

	/** Leaves the declarations of these tools out of requests until it is disposed of. */
	hideDeclarations(names: readonly string[]): Disposable {
		const hidden = new Set(names);
		this.#undeclared = hidden;
		return onDispose(() => {
			if (this.#undeclared === hidden) this.#undeclared = new Set();
		});
	}

	definition(name: string): ToolDefinition | undefined {
		return this.#rows.get(name)?.definition;
	}

	additions(): PromptAdditions {
		return promptAdditions(this.#parts.registry.visible);
	}

	#toolOf(definition: ToolDefinition, extension: Extension): SessionTool {
		const { registry, scope, contextOf, onTerminate, onAside, artifacts, nested } = this.#parts;
		const { name, label = name, description, executionMode, promptSnippet, promptGuidelines } = definition;
		const callable = (): readonly AgentTool[] => this.callable;
		let schema: JsonSchema | undefined;
		const replaced = registry.get(name);
		// Code that does not say which files it touches is trusted with all of them.
		const declares = definition.touches !== undefined || replaced?.touches !== undefined;
		return {
			name,
			label,
			description,
			get parameters() {
				return (schema ??= schemaOf(definition.parameters));
			},
			...strictOf(definition),
			concurrency: executionMode === "sequential" ? "exclusive" : "shared",
			...approvalOf(definition.approval, replaced),
			...previewOf(definition),
			...touchesOf(definition, replaced),
			...(promptSnippet ? { promptSnippet } : {}),
			...(promptGuidelines ? { promptGuidelines } : {}),
			validate: (input) => validate(definition, input, extension),
			async execute(toolCallId, params, signal, onUpdate, within) {
				const context = createToolContext(contextOf(extension), {
					replaced,
					toolCallId,
					signal,
					within,
					onAside: (text) => onAside(toolCallId, text),
					nested: nested && nestedCalls({ ...nested, callable }, toolCallId, signal),
				});
				const update = (partial: Partial<AgentToolResult> | undefined): void => {
					if (Array.isArray(partial?.content)) onUpdate(sanitizeResult(name, partial));
				};
				// Tools written for pi may write into their arguments.
				const own = structuredClone<Record<string, unknown>>(params);
				const returned = await runAs(extension.label, `tool ${name}`, () =>
					scope.run(
						() => definition.execute(toolCallId, own, signal, update, context),
						extension,
						declares ? within : undefined,
					),
				);
				const { terminate, isError, ...result } = returned ?? {};
				if (terminate) onTerminate(toolCallId);
				return { ...sanitizeResult(name, result, artifacts), ...(isError === true ? { isError } : {}) };
			},
		};
	}
}

function validate(
	{ parameters, prepareArguments }: ToolDefinition,
	input: Readonly<Record<string, unknown>>,
	{ path }: Extension,
): Validated {
	try {
		const prepared: unknown = prepareArguments ? prepareArguments(input) : input;
		if (isZod(parameters)) {
			const parsed = z.safeParse(parameters, prepared);
			if (parsed.success) return { ok: true, value: asRecord(parsed.data) };
			const { issues } = parsed.error;
			const problems = issues.map(({ path: at, message }) => `${at.join(".") || "arguments"}: ${message}`);
			return { ok: false, reason: `${problems.join("; ")}.` };
		}
		const checked = loadedCheck()(parameters, prepared);
		if (checked.ok) return { ok: true, value: asRecord(checked.value) };
		return { ok: false, reason: `${checked.problems.join("; ")}.` };
	} catch (error) {
		return { ok: false, reason: describeFailure(error, path) };
	}
}

/** A replacement of a built-in tool has its arguments, and touches what it would have touched. */
function touchesOf(
	{ touches, approval }: ToolDefinition,
	replaced: AgentTool | undefined,
): Pick<AgentTool, "touches" | "approvalFor"> {
	if (touches) return { touches: (params) => validTouches(touches(structuredClone({ ...params }))) };
	if (!replaced?.touches) return {};
	return {
		touches: (params) => replaced.touches?.(params) ?? [],
		...(replaced.approvalFor && !isApproval(approval)
			? { approvalFor: (params) => replaced.approvalFor?.(params) ?? replaced.approval }
			: {}),
	};
}

function strictOf({ strict, constrainedSampling }: ToolDefinition): Pick<AgentTool, "strict"> {
	if (typeof strict === "boolean") return { strict };
	return isRecord(constrainedSampling) && constrainedSampling.type === "json_schema" ? { strict: true } : {};
}

/** omp's tools say what an approval shows beside the arguments. */
function previewOf({ formatApprovalDetails: format }: ToolDefinition): Pick<AgentTool, "preview"> {
	if (typeof format !== "function") return {};
	return {
		preview: async (params) => {
			const lines: unknown = format(structuredClone({ ...params }));
			const text = Array.isArray(lines)
				? lines.map(String).join("\n")
				: typeof lines === "string"
					? lines
					: "";
			return text === "" ? undefined : { kind: "text", text };
		},
	};
}

/** Extensions are not always type-checked. A call whose effects cannot be read must not pass as one without effects. */
function validTouches(touches: unknown): Touch[] {
	if (!Array.isArray(touches)) throw new Error("its touches are not a list.");
	return touches.map((one: unknown) => {
		const touch = validTouch(one);
		if (!touch) throw new Error("its touches contain an invalid one.");
		return touch;
	});
}

function validTouch(one: unknown): Touch | undefined {
	if (!isRecord(one)) return undefined;
	const { kind, path, command, cwd, url, tree, env, isTyped } = one;
	if (kind === "fetch") return typeof url === "string" ? { kind, url } : undefined;
	if (kind === "exec")
		return typeof command === "string" && typeof cwd === "string" && (env === undefined || isStrings(env))
			? { kind, command, cwd, ...(env ? { env } : {}), ...(isTyped === true ? { isTyped } : {}) }
			: undefined;
	if (typeof path !== "string") return undefined;
	if (kind !== "read" && kind !== "write" && kind !== "delete") return undefined;
	return { kind, path, ...(tree === true ? { tree } : {}) };
}

function isStrings(value: unknown): value is Record<string, string> {
	return isRecord(value) && Object.values(value).every((each) => typeof each === "string");
}

/** The text that visible tools contribute to the system prompt. */
export function promptAdditions(tools: readonly SessionTool[]): PromptAdditions {
	return {
		snippets: Object.fromEntries(
			tools.flatMap(({ name, promptSnippet }) => (promptSnippet ? [[name, promptSnippet]] : [])),
		),
		guidelines: [...new Set(tools.flatMap(({ promptGuidelines = [] }) => promptGuidelines))],
	};
}

function isActiveAtFirst({
	defaultActive = true,
	defaultInactive = false,
	hidden = false,
	exposure,
}: ToolDefinition): boolean {
	return defaultActive && !defaultInactive && !hidden && isOffered(exposure);
}

/** Whether the model has the tool without anybody activating it. */
function isOffered(exposure: ToolReach["exposure"] = "direct"): boolean {
	return exposure === "direct" || exposure === "model-only";
}

function reachOf({
	exposure = "direct",
	namespace,
	annotations,
	reachesTools,
}: Partial<ToolReach> = {}): ToolReach {
	return {
		exposure,
		...(namespace ? { namespace } : {}),
		...(annotations ? { annotations } : {}),
		...(reachesTools ? { reachesTools } : {}),
	};
}

interface ToolRun {
	/** The built-in tool that it replaces. */
	replaced: AgentTool | undefined;
	toolCallId: string;
	signal: AbortSignal;
	/** The files that the call was judged by; the built-in tool reaches no others either. */
	within?: JudgedPaths | undefined;
	onAside(text: string): void;
	/** Absent where there is no session. */
	nested?: NestedCalls | undefined;
}

/** The allowed call is the one that runs: a replacement of a tool may delegate to that tool only. */
export function createToolContext(
	context: ExtensionContext,
	{ replaced, toolCallId, signal: outer, within, onAside, nested }: ToolRun,
): ExtensionToolContext {
	const invokeTool: ExtensionToolContext["invokeTool"] =
		replaced &&
		(async (params, { signal = outer, onUpdate } = {}) => {
			const checked = replaced.validate(params);
			if (!checked.ok) throw new Error(checked.reason);
			return await replaced.execute(toolCallId, checked.value, signal, onUpdate ?? (() => {}), within);
		});
	return Object.create(context, {
		invokeTool: { value: invokeTool, enumerable: true },
		addAdditionalContext: { value: (text: unknown) => onAside(String(text)), enumerable: true },
		tools: { get: () => nested?.tools ?? [], enumerable: true },
		executeTool: { value: nested?.executeTool, enumerable: true },
	}) as ExtensionToolContext;
}

function asRecord(value: unknown): Record<string, unknown> {
	return typeof value === "object" && value !== null ? { ...value } : {};
}

function schemaOf(parameters: object): JsonSchema {
	if (!isZod(parameters)) return { ...parameters };
	const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: "input" });
	return schema;
}

function isZod(schema: object): schema is z.ZodType {
	return "_zod" in schema;
}

function builtinSource(name: string): SourceInfo {
	return { path: `<builtin:${name}>`, source: "builtin", scope: "temporary", origin: "top-level" };
}
