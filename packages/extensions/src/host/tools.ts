/** Tools of extensions beside those that are built in: what there is, what is active, and how the loop runs it. */
import type { AgentTool, AgentToolResult, Validated } from "@tau/agent";
import type { JsonSchema } from "@tau/ai";
import { z } from "zod";
import type { ArtifactStore } from "@tau/session/artifacts";

import type { Extension } from "../api/extension.ts";
import { describeFailure } from "../support/failure.ts";
import { loadedTypebox } from "../support/lazy-typebox.ts";
import type { PromptAdditions, ToolWish } from "../api/side.ts";
import { soundResult } from "../support/sound-result.ts";
import type {
	ExtensionContext,
	ExtensionToolContext,
	SourceInfo,
	ToolDefinition,
	ToolInfo,
} from "../api/types.ts";

export interface ToolTableParts {
	builtin: readonly AgentTool[];
	extensions: readonly Extension[];
	contextOf(extension: Extension): ExtensionContext;
	/** What the person wants of the tools of extensions. */
	wanted?: ToolWish | undefined;
	/** A result that asks for the end of the run. */
	onTerminate(toolCallId: string): void;
	/** Words that the model is to read with the result. */
	onAside(toolCallId: string, text: string): void;
	/** Where texts go that are too long for a model. */
	artifacts?: ArtifactStore | undefined;
}

interface Row {
	tool: AgentTool;
	sourceInfo: SourceInfo;
	definition?: ToolDefinition;
}

export class ToolTable {
	readonly #parts: ToolTableParts;
	#rows = new Map<string, Row>();
	#active: Set<string>;

	constructor(parts: ToolTableParts) {
		this.#parts = parts;
		this.#active = new Set(parts.builtin.map(({ name }) => name));
		this.refresh();
	}

	/** Takes in what extensions have registered since; a new tool is active at once. */
	refresh(): void {
		const before = this.#rows;
		const { builtin, extensions, wanted } = this.#parts;
		this.#rows = new Map(builtin.map((tool) => [tool.name, { tool, sourceInfo: builtinSource(tool.name) }]));
		for (const extension of extensions) {
			for (const definition of extension.tools.values()) {
				const { name } = definition;
				const wish = wanted?.(name);
				if (wish === "never") continue;
				const known = before.get(name);
				const tool = known?.definition === definition ? known.tool : this.#toolOf(definition, extension);
				// In the place of the built-in tool whose name it has.
				this.#rows.set(name, { tool, sourceInfo: extension.sourceInfo, definition });
				if (!before.has(name) && (wish ?? isActiveAtFirst(definition))) this.#active.add(name);
			}
		}
	}

	get active(): AgentTool[] {
		return this.#list().flatMap(({ tool }) => (this.#active.has(tool.name) ? [tool] : []));
	}

	/** Names that no tool has are passed over. */
	activate(names: readonly string[]): void {
		this.#active = new Set(names.filter((name) => this.#rows.has(name)));
	}

	/** Whether an extension has anything to do with the tools in use. */
	get isTouched(): boolean {
		return this.#list().some(({ definition }) => definition);
	}

	info(): ToolInfo[] {
		return this.#list().map(({ tool: { name, description, parameters }, sourceInfo, definition }) => ({
			name,
			description,
			parameters,
			sourceInfo,
			...(definition?.renderResult ? { rendersResult: true } : {}),
		}));
	}

	definition(name: string): ToolDefinition | undefined {
		return this.#rows.get(name)?.definition;
	}

	additions(): PromptAdditions {
		const used = this.#list().flatMap(({ definition }) =>
			definition && this.#active.has(definition.name) ? [definition] : [],
		);
		return {
			snippets: Object.fromEntries(
				used.flatMap(({ name, promptSnippet }) => (promptSnippet ? [[name, promptSnippet]] : [])),
			),
			guidelines: used.flatMap(({ promptGuidelines = [] }) => promptGuidelines),
		};
	}

	#list(): Row[] {
		return [...this.#rows.values()];
	}

	#toolOf(definition: ToolDefinition, extension: Extension): AgentTool {
		const { builtin, contextOf, onTerminate, onAside, artifacts } = this.#parts;
		const { name, label = name, description, executionMode } = definition;
		let schema: JsonSchema | undefined;
		return {
			name,
			label,
			description,
			get parameters() {
				return (schema ??= schemaOf(definition.parameters));
			},
			concurrency: executionMode === "sequential" ? "exclusive" : "shared",
			validate: (input) => validate(definition, input, extension),
			async execute(toolCallId, params, signal, onUpdate) {
				const replaced = builtin.find((tool) => tool.name === name);
				const context = createToolContext(contextOf(extension), {
					replaced,
					toolCallId,
					signal,
					onAside: (text) => onAside(toolCallId, text),
				});
				const update = (partial: Partial<AgentToolResult> | undefined): void => {
					if (Array.isArray(partial?.content)) onUpdate(soundResult(name, partial));
				};
				const given = await definition.execute(toolCallId, params, signal, update, context);
				// Whatever is returned is a success.
				const { terminate, isError: _, ...result } = given ?? {};
				if (terminate) onTerminate(toolCallId);
				return soundResult(name, result, artifacts);
			},
		};
	}
}

function validate(
	{ parameters, prepareArguments }: ToolDefinition,
	input: Record<string, unknown>,
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
		const checked = loadedTypebox().checkValue(parameters, prepared);
		if (checked.ok) return { ok: true, value: asRecord(checked.value) };
		return { ok: false, reason: `${checked.problems.join("; ")}.` };
	} catch (error) {
		return { ok: false, reason: describeFailure(error, path) };
	}
}

function isActiveAtFirst({ defaultActive = true, defaultInactive = false }: ToolDefinition): boolean {
	return defaultActive && !defaultInactive;
}

interface ToolRun {
	/** The built-in tool whose place it has taken. */
	replaced: AgentTool | undefined;
	toolCallId: string;
	signal: AbortSignal;
	onAside(text: string): void;
}

/** The call that was allowed is the call that is run: what takes the place of a tool may hand it on to that tool alone. */
export function createToolContext(
	context: ExtensionContext,
	{ replaced, toolCallId, signal: outer, onAside }: ToolRun,
): ExtensionToolContext {
	const invokeTool: ExtensionToolContext["invokeTool"] =
		replaced &&
		(async (params, { signal = outer, onUpdate } = {}) => {
			const checked = replaced.validate(params);
			if (!checked.ok) throw new Error(checked.reason);
			return await replaced.execute(toolCallId, checked.value, signal, onUpdate ?? (() => {}));
		});
	return Object.create(context, {
		invokeTool: { value: invokeTool, enumerable: true },
		addAdditionalContext: { value: (text: unknown) => onAside(String(text)), enumerable: true },
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
