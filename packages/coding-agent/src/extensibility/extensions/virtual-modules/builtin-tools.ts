/** The built-in tools as extensions make them for themselves: to wrap them, or to have their commands run elsewhere. */
import type { AgentTool } from "@tau/agent";

import { builtinTools } from "../../../tools/index.ts";
import { OutputSink } from "../../../tools/output/index.ts";
import { createLocalBashOperations, type BashOperations } from "../bash-operations.ts";
import type { ExtensionToolResult, ToolUpdateCallback } from "../types.ts";
import { ownPlace } from "./own-place.ts";

export interface SpawnContext {
	command: string;
	cwd: string;
	env: Record<string, string | undefined>;
}

export interface ToolOptions {
	operations?: object;
	/** Stands before every command. */
	commandPrefix?: string;
	/** Changes a command, its directory or its environment. */
	spawnHook?(context: SpawnContext): SpawnContext;
}

type OwnTool = Omit<AgentTool, "execute" | "validate" | "concurrency"> & {
	executionMode: "sequential" | "parallel";
	execute(
		toolCallId: string,
		params: Record<string, unknown>,
		signal?: AbortSignal,
		onUpdate?: ToolUpdateCallback,
	): Promise<ExtensionToolResult>;
};

const names = ["read", "bash", "edit", "write", "grep", "find", "ls"] as const;
type Name = (typeof names)[number];

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
		(cwd: string): OwnTool[] =>
			wanted.map((name) => createTool(name, cwd));
	return {
		...Object.fromEntries(makers),
		createCodingTools: several("read", "bash", "edit", "write"),
		createReadOnlyTools: several("read", "grep", "find", "ls"),
	};
}

function createTool(name: Name, cwd: string, options: ToolOptions = {}): OwnTool {
	const found = builtinTools.find((tool) => tool.name === name);
	if (!found) throw new Error(`There is no built-in tool ${name}.`);
	const { validate, execute, concurrency, ...bound } = found.bind(ownPlace(cwd));
	const isElsewhere = options.operations !== undefined || options.spawnHook || options.commandPrefix;
	if (isElsewhere && name !== "bash") throw new Error(`Tau cannot give ${name} operations of its own yet.`);
	return {
		...bound,
		parameters: bound.parameters,
		executionMode: concurrency === "exclusive" ? "sequential" : "parallel",
		async execute(toolCallId, params, signal = new AbortController().signal, onUpdate = () => {}) {
			if (isElsewhere) return runElsewhere(params, cwd, options, signal, onUpdate);
			const valid = validate(params);
			if (!valid.ok) throw new Error(valid.reason);
			const { isError, ...result } = await execute(toolCallId, valid.value, signal, onUpdate);
			// Who wraps a tool of pi's reckons with a throw.
			if (isError) throw new Error(textOf(result));
			return result;
		},
	};
}

async function runElsewhere(
	params: Record<string, unknown>,
	cwd: string,
	{ operations = createLocalBashOperations(), commandPrefix, spawnHook }: ToolOptions,
	signal: AbortSignal,
	onUpdate: ToolUpdateCallback,
): Promise<ExtensionToolResult> {
	const said = String(params.command ?? "");
	const whole = commandPrefix === undefined ? said : `${commandPrefix}\n${said}`;
	const plain: SpawnContext = { command: whole, cwd, env: process.env };
	const { command, cwd: place, env } = spawnHook?.(plain) ?? plain;
	using sink = new OutputSink({ tool: "bash" });
	const { exitCode } = await (operations as BashOperations).exec(command, place, {
		onData: (data) => {
			sink.push(data);
			onUpdate({ content: [{ type: "text", text: sink.summary().text }] });
		},
		signal,
		env,
		...(typeof params.timeout === "number" ? { timeout: params.timeout } : {}),
	});
	const { text } = sink.summary();
	if (exitCode !== 0) throw new Error(`${text}\n\nThe command ended with ${exitCode ?? "a signal"}.`.trim());
	return { content: [{ type: "text", text }], details: {} };
}

function textOf({ content }: ExtensionToolResult): string {
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
