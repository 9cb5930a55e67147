/** The built-in tools as extensions make them for themselves: to wrap them, or to have their work done elsewhere. */
import type { AgentTool } from "@tau/agent";
import type { BashOperations, ExtensionToolResult, ToolUpdateCallback } from "@tau/extensions/api";
import { builtinTools } from "@tau/tools/builtin";

import { bashElsewhere, type SpawnContext } from "./operations/bash.ts";
import { editElsewhere, type EditOperations } from "./operations/edit.ts";
import type { Elsewhere } from "./operations/elsewhere.ts";
import { findElsewhere, type FindOperations } from "./operations/find.ts";
import { grepElsewhere, type GrepOperations } from "./operations/grep.ts";
import { lsElsewhere, type LsOperations } from "./operations/ls.ts";
import { readElsewhere, type ReadOperations } from "./operations/read.ts";
import { writeElsewhere, type WriteOperations } from "./operations/write.ts";
import { ownPlace } from "./support/own-place.ts";

interface Operations {
	read: ReadOperations;
	bash: BashOperations;
	edit: EditOperations;
	write: WriteOperations;
	grep: GrepOperations;
	find: FindOperations;
	ls: LsOperations;
}

type Name = keyof Operations;

export interface ToolOptions<N extends Name = Name> {
	operations?: Operations[N];
	/** Of commands: stands before each. */
	commandPrefix?: string;
	/** Of commands: changes one, its directory or its environment. */
	spawnHook?(context: SpawnContext): SpawnContext;
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

const elsewhere: { [N in Exclude<Name, "bash">]: Elsewhere<Operations[N]> } = {
	read: readElsewhere,
	edit: editElsewhere,
	write: writeElsewhere,
	grep: grepElsewhere,
	find: findElsewhere,
	ls: lsElsewhere,
};

const names: readonly Name[] = ["read", "bash", "edit", "write", "grep", "find", "ls"];

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
		createCodingTools: several("read", "bash", "edit", "write"),
		createReadOnlyTools: several("read", "grep", "find", "ls"),
	};
}

export function createTool<N extends Name>(name: N, cwd: string, options: ToolOptions<N> = {}): OwnTool {
	const found = builtinTools.find((tool) => tool.name === name);
	if (!found) throw new Error(`There is no built-in tool ${name}.`);
	const { validate, execute, concurrency, ...bound } = found.bind(ownPlace(cwd));
	const isElsewhere = options.operations !== undefined || options.spawnHook || options.commandPrefix;
	return {
		...bound,
		parameters: bound.parameters,
		executionMode: concurrency === "exclusive" ? "sequential" : "parallel",
		async execute(toolCallId, params, signal = new AbortController().signal, onUpdate = () => {}) {
			if (isElsewhere) return runElsewhere(name, params, { cwd, signal, onUpdate }, options);
			const valid = validate(params);
			if (!valid.ok) throw new Error(valid.reason);
			const { isError, ...result } = await execute(toolCallId, valid.value, signal, onUpdate);
			// Who wraps a tool of pi's reckons with a throw.
			if (isError) throw new Error(textOf(result));
			return result;
		},
	};
}

function runElsewhere<N extends Name>(
	name: N,
	params: Record<string, unknown>,
	place: { cwd: string; signal: AbortSignal; onUpdate: ToolUpdateCallback },
	options: ToolOptions<N>,
): Promise<ExtensionToolResult> {
	// The name decides what the operations are.
	if (name === "bash") return bashElsewhere(params, place, options as ToolOptions<"bash">);
	const run = elsewhere[name as Exclude<Name, "bash">] as Elsewhere<Operations[N] | undefined>;
	return run(params, place, options.operations);
}

function textOf({ content }: ExtensionToolResult): string {
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
