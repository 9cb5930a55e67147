/** Runs a command through operations of an extension, or after an extension has changed it. */
import {
	createLocalBashOperations,
	type BashOperations,
	type ExtensionToolResult,
	type ToolUpdateCallback,
} from "@tau/extensions/api";
import { OutputSink } from "@tau/tools/output";
import { said, type Params } from "./elsewhere.ts";
import { withoutDotenv } from "@tau/utils";

export interface SpawnContext {
	command: string;
	cwd: string;
	env: Record<string, string | undefined>;
}

export interface BashOptions {
	operations?: BashOperations;
	/** Stands before every command. */
	commandPrefix?: string;
	/** Changes a command, its directory or its environment. */
	spawnHook?(context: SpawnContext): SpawnContext;
}

export async function bashElsewhere(
	params: Params,
	{ cwd, signal, onUpdate }: { cwd: string; signal: AbortSignal; onUpdate: ToolUpdateCallback },
	{ operations = createLocalBashOperations(), commandPrefix, spawnHook }: BashOptions,
): Promise<ExtensionToolResult> {
	const command = String(params.command ?? "");
	const whole = commandPrefix === undefined ? command : `${commandPrefix}\n${command}`;
	const plain: SpawnContext = { command: whole, cwd, env: withoutDotenv() };
	const changed = spawnHook?.(plain) ?? plain;
	using sink = new OutputSink({ tool: "bash" });
	const { exitCode } = await operations.exec(changed.command, changed.cwd, {
		onData: (data) => {
			sink.push(data);
			onUpdate({ content: [{ type: "text", text: sink.summary().text }] });
		},
		signal,
		env: changed.env,
		...(typeof params.timeout === "number" ? { timeout: params.timeout } : {}),
	});
	const { text } = sink.summary();
	if (exitCode !== 0) throw new Error(`${text}\n\nThe command exited with ${exitCode ?? "a signal"}.`.trim());
	return said(text, {});
}
