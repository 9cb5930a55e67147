/** Makes an extension of a module whose factory gives tools, as omp's and old pi's custom tools do. */
import type { AgentToolResult } from "@tau/agent";
import type { Component, Theme } from "@tau/tui";
import { isRecord } from "@tau/utils";
import { pendingActions } from "@tau/tools/resolve";

import type {
	ExtensionAPI,
	ExtensionContext,
	ExtensionFactory,
	ExtensionToolResult,
	ToolDefinition,
	ToolRenderOptions,
	ToolSessionEvent,
	ToolUpdateCallback,
} from "../api/types.ts";
import { isApproval } from "../api/tool-approval.ts";
import type { ExtensionUI } from "../ui/types.ts";
import type { TSchema } from "../typebox/index.ts";
import type { ToolHost } from "./host.ts";

/** A change that is shown first, and made when the model calls `resolve`. */
interface CustomToolPendingAction {
	label: string;
	apply(reason: string): Promise<AgentToolResult>;
	reject?(reason: string): Promise<AgentToolResult | undefined>;
	sourceToolName?: string;
	details?: unknown;
}

/** omp's contract, with the extension API beside it: a module may also register other things. */
interface CustomToolAPI extends ExtensionAPI {
	readonly cwd: string;
	readonly ui: ExtensionUI;
	readonly hasUI: boolean;
	pushPendingAction(action: CustomToolPendingAction): void;
}

/** omp's context of custom tools is an extension's with these. */
interface CustomToolContext extends ExtensionContext {
	readonly settings: { get(path: string): unknown };
	/** Nothing is asked about: the user has allowed every call. */
	readonly autoApprove: boolean;
}

interface CustomToolRenderOptions extends ToolRenderOptions {
	/** Counts up while the call runs. */
	spinnerFrame?: number;
}

interface CustomTool {
	name: string;
	label?: string;
	description: string;
	parameters: TSchema;
	approval?: unknown;
	formatApprovalDetails?: ToolDefinition["formatApprovalDetails"];
	hidden?: unknown;
	strict?: unknown;
	execute(
		toolCallId: string,
		params: unknown,
		onUpdate: ToolUpdateCallback | undefined,
		ctx: CustomToolContext,
		signal: AbortSignal | undefined,
	): Promise<ExtensionToolResult> | ExtensionToolResult;
	onSession?(event: ToolSessionEvent, ctx: CustomToolContext): void | Promise<void>;
	renderCall?(args: unknown, options: CustomToolRenderOptions, theme: Theme): Component;
	renderResult?(
		result: AgentToolResult,
		options: CustomToolRenderOptions,
		theme: Theme,
		args?: unknown,
	): Component;
}

/** The factory of the module is called with what its kind knows, and gives a tool or several. */
export function moduleTools(factory: ExtensionFactory, host: ToolHost): ExtensionFactory {
	return async (pi) => {
		let registered = 0;
		const given: unknown = await factory({
			...apiOf(pi, host),
			registerTool: (tool) => {
				registered++;
				pi.registerTool(tool);
			},
		});
		const tools = given === undefined || given === null ? [] : [given].flat();
		if (tools.length === 0 && registered === 0) throw new TypeError("It returns no tool.");
		const contextOf = (ctx: ExtensionContext): CustomToolContext =>
			Object.create(ctx, {
				settings: { value: { get: (path: string) => pi.getSetting(path) }, enumerable: true },
				autoApprove: { get: () => host.isUnasked(), enumerable: true },
			}) as CustomToolContext;
		for (const tool of tools) pi.registerTool(definitionOf(tool, contextOf));
	};
}

function apiOf(pi: ExtensionAPI, host: ToolHost): CustomToolAPI {
	const api = {
		...pi,
		cwd: host.cwd,
		pushPendingAction({ label, sourceToolName = "custom_tool", apply, reject }: CustomToolPendingAction) {
			const env = host.env();
			if (!env) throw new Error("Pending action store unavailable for custom tools in this runtime.");
			env.services.get(pendingActions, env).push({
				label,
				sourceToolName,
				apply: (reason) => apply(reason),
				...(reject ? { reject: (reason: string) => reject(reason) } : {}),
			});
		},
	};
	// Asked each time: the screen comes after the tools.
	return Object.defineProperties(api, {
		ui: { get: () => host.ui(), enumerable: true },
		hasUI: { get: () => host.hasUI(), enumerable: true },
	}) as CustomToolAPI;
}

function definitionOf(
	tool: unknown,
	contextOf: (ctx: ExtensionContext) => CustomToolContext,
): ToolDefinition {
	if (!isTool(tool))
		throw new TypeError("It does not return a valid tool: a tool needs a name, parameters and execute.");
	const { name, label, description, parameters, approval, hidden, strict } = tool;
	return {
		name,
		...(label === undefined ? {} : { label }),
		description: description ?? "",
		parameters,
		...(isApproval(approval) ? { approval } : {}),
		...(typeof tool.formatApprovalDetails === "function"
			? { formatApprovalDetails: (args) => tool.formatApprovalDetails?.(args) }
			: {}),
		hidden: hidden === true,
		...(typeof strict === "boolean" ? { strict } : {}),
		execute: (toolCallId, params, signal, onUpdate, ctx) =>
			tool.execute(toolCallId, params, onUpdate, contextOf(ctx), signal),
		...(tool.onSession ? { onSession: (event, ctx) => tool.onSession?.(event, contextOf(ctx)) } : {}),
		...renderers(tool),
	};
}

type Renderers = Pick<ToolDefinition, "renderCall" | "renderResult">;

/** The same drawings, with the arguments in another order. */
function renderers({ renderCall, renderResult }: CustomTool): Renderers {
	return {
		...(renderCall
			? { renderCall: (args, theme, context) => renderCall(args, optionsOf(context), theme) }
			: {}),
		...(renderResult
			? {
					renderResult: (result, options, theme, context) =>
						renderResult(result, { ...options, ...frameOf(options, context) }, theme, argsOf(context)),
				}
			: {}),
	};
}

function optionsOf(context: unknown): CustomToolRenderOptions {
	const facts = typeof context === "object" && context !== null ? context : {};
	const options = {
		expanded: "expanded" in facts && facts.expanded === true,
		isPartial: "isPartial" in facts && facts.isPartial === true,
	};
	return { ...options, ...frameOf(options, context) };
}

/** As long as one frame of Tau's own spinner is shown. */
const frameMs = 80;

function frameOf(
	{ isPartial }: ToolRenderOptions,
	context: unknown,
): Pick<CustomToolRenderOptions, "spinnerFrame"> {
	if (!isPartial || !isRecord(context) || typeof context.elapsedMs !== "number") return {};
	return { spinnerFrame: Math.floor(context.elapsedMs / frameMs) };
}

function argsOf(context: unknown): unknown {
	return typeof context === "object" && context !== null && "args" in context ? context.args : undefined;
}

function isTool(tool: unknown): tool is CustomTool {
	return (
		typeof tool === "object" &&
		tool !== null &&
		"name" in tool &&
		"execute" in tool &&
		typeof tool.execute === "function" &&
		"parameters" in tool
	);
}
