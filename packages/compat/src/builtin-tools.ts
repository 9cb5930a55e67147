/** The built-in tools as extensions make them for themselves: to wrap them, or to have their work done elsewhere. */
import type { AgentTool, JudgedPaths } from "@tau/agent";
import type { ExtensionToolResult, ToolUpdateCallback } from "@tau/extensions/api";
import { currentJudgedPaths } from "@tau/extensions/support";
import type { Machine } from "@tau/sys";
import { builtinTools } from "@tau/integrations/builtin";
import { flatGrep } from "@tau/tools/grep";
import type { BuiltinTool } from "@tau/tools/tool";

import { isRecord } from "@tau/utils";
import { operationsMachine } from "./operations/machine.ts";
import type { AnyOperations, OperationsByTool } from "./operations/operations.ts";
import type { CommandChanges } from "./operations/shell.ts";
import { detachedEnv } from "./support/detached-env.ts";

type Name = keyof OperationsByTool;

/** What changes commands is for `bash` alone. */
export interface ToolOptions<N extends Name = Name> extends CommandChanges {
	operations?: OperationsByTool[N];
}

/** How all of them are made at once: options of each by its name. */
export type ToolsOptions = { [N in Name]?: ToolOptions<N> };

export type OwnTool = Omit<AgentTool, "execute" | "validate" | "concurrency"> & {
	executionMode: "sequential" | "parallel";
	execute(
		toolCallId: string,
		params: Record<string, unknown>,
		signal?: AbortSignal,
		onUpdate?: ToolUpdateCallback,
	): Promise<ExtensionToolResult>;
};

const names: readonly Name[] = ["read", "bash", "edit", "write", "grep", "find", "ls"];

/** Extensions read the results of these, and expect the form that pi gives them. */
const piForms: readonly BuiltinTool[] = [flatGrep];

/** `createReadTool`, `createReadToolDefinition` and so on. */
export function toolFactories(): Record<string, unknown> {
	const makers = names.flatMap((name) => {
		const make = (cwd: string, options?: ToolOptions): OwnTool => createTool(name, cwd, options);
		const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
		return [
			[`create${title}Tool`, make],
			[`create${title}ToolDefinition`, make],
		];
	});
	const several =
		(...wanted: Name[]) =>
		(cwd: string, options: ToolsOptions = {}): OwnTool[] =>
			wanted.map((name) => createTool(name, cwd, options[name]));
	return {
		...Object.fromEntries(makers),
		createTools,
		createCodingTools: several("read", "bash", "edit", "write"),
		createReadOnlyTools: several("read", "grep", "find", "ls"),
	};
}

export function createTool<N extends Name>(name: N, cwd: string, options: ToolOptions<N> = {}): OwnTool {
	const builtinTool =
		piForms.find((tool) => tool.name === name) ?? builtinTools.find((tool) => tool.name === name);
	if (!builtinTool) throw new Error(`There is no built-in tool ${name}.`);
	return ownTool(builtinTool, cwd, machineFor(options));
}

/** omp's way: all built-in tools of a session, or those that are named. */
async function createTools({ cwd }: { cwd: string }, toolNames?: readonly string[]): Promise<OwnTool[]> {
	const unknown = toolNames?.find((each) => !builtinTools.some(({ name }) => name === each));
	if (unknown !== undefined) throw new Error(`There is no built-in tool ${unknown}.`);
	return builtinTools
		.filter(({ name }) => toolNames?.includes(name) ?? true)
		.map((tool) => ownTool(tool, cwd, undefined));
}

function ownTool(builtinTool: BuiltinTool, cwd: string, machine: Machine | undefined): OwnTool {
	const { name } = builtinTool;
	const { validate, execute, concurrency, ...bound } = builtinTool.bind(detachedEnv(cwd, machine));
	// What was judged is about the files here; operations of an extension may work on others.
	const judged = (): JudgedPaths | undefined => (machine ? undefined : currentJudgedPaths());
	return {
		...bound,
		description: bound.description.replace(" with line numbers", ""),
		parameters: bound.parameters,
		executionMode: concurrency === "exclusive" ? "sequential" : "parallel",
		async execute(toolCallId, params, signal = new AbortController().signal, onUpdate = () => {}) {
			const valid = validate(name === "edit" ? withEdits(params) : params);
			if (!valid.ok) throw new Error(valid.reason);
			const { isError, ...result } = await execute(toolCallId, valid.value, signal, onUpdate, judged());
			// Code that wraps a tool of pi's expects a failure to be thrown.
			if (isError) throw new Error(textOf(result));
			return name === "read" ? withTruncation(result) : result;
		},
	};
}

/** What pi's `read` says of a text that is longer than its result. */
function withTruncation(result: ExtensionToolResult): ExtensionToolResult {
	const { details } = result;
	if (!isRecord(details) || details.truncated !== true) return result;
	const { firstLine, lastLine, totalLines, bytes } = details;
	const content = textOf(result);
	const truncation = {
		content,
		truncated: true,
		truncatedBy: "lines",
		totalLines,
		...(bytes === undefined ? {} : { totalBytes: bytes }),
		outputLines: Number(lastLine) - Number(firstLine) + 1,
		outputBytes: Buffer.byteLength(content),
	};
	return { ...result, details: { ...details, truncation } };
}

/** Undefined for the machine that Tau runs on. */
function machineFor({ operations, commandPrefix, spawnHook }: ToolOptions): Machine | undefined {
	if (!operations && commandPrefix === undefined && !spawnHook) return undefined;
	// Whichever tool they are for: the machine finds out what they can do.
	return operationsMachine((operations ?? {}) as AnyOperations, { commandPrefix, spawnHook });
}

/** Also pi's old form: one edit, beside the path. */
function withEdits({ oldText, newText, ...params }: Record<string, unknown>): Record<string, unknown> {
	if (params.edits !== undefined || oldText === undefined) return params;
	return { ...params, edits: [{ oldText, newText }] };
}

function textOf({ content }: ExtensionToolResult): string {
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
