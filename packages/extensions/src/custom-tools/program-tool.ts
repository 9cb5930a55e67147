/** Makes an extension of a program: the arguments are its input, what it prints is the result. */
import type { AgentToolResult } from "@tau/agent";
import { commandEnvironment, runProgram, type ShellOutcome } from "@tau/sys";
import { liveUpdates, OutputSink } from "@tau/tools/output";
import { type ToolEnv, textResult } from "@tau/tools/tool";
import { z } from "zod";

import type { ExtensionFactory, ToolDefinition, ToolUpdateCallback } from "../api/types.ts";
import type { DescriptionCache } from "./description-cache.ts";
import type { ToolDescription } from "./description.ts";
import type { ToolHost } from "./host.ts";
import { limits } from "./limits.ts";
import { commandOf } from "./program-files.ts";

/** Rejects with why the program cannot be a tool. */
export async function programTool(
	path: string,
	host: ToolHost,
	cache: DescriptionCache,
): Promise<ExtensionFactory> {
	const described = await cache.describe(path, host.cwd);
	if (!described.ok) throw new Error(described.error);
	return (pi) => pi.registerTool(definitionOf(path, described.description, host));
}

function definitionOf(path: string, about: ToolDescription, host: ToolHost): ToolDefinition {
	const { name, label, description, parameters, approval } = about;
	return {
		name,
		...(label === undefined ? {} : { label }),
		description,
		parameters: parameters ?? { type: "object", properties: {} },
		// The effects of a program are unknown: other calls do not run in parallel unless it only reads.
		executionMode: approval === "read" ? "parallel" : "sequential",
		...(approval ? { approval } : {}),
		async execute(toolCallId, params, signal, onUpdate) {
			const env = host.env();
			if (!env) throw new Error("There is no session yet.");
			return await call({ path, about, env, toolCallId, params, signal, onUpdate });
		},
	};
}

interface ProgramCall {
	path: string;
	about: ToolDescription;
	env: ToolEnv;
	toolCallId: string;
	params: unknown;
	signal: AbortSignal | undefined;
	onUpdate: ToolUpdateCallback | undefined;
}

async function call(request: ProgramCall): Promise<AgentToolResult> {
	const { path, about, env, toolCallId, params, signal, onUpdate } = request;
	const { name: tool, timeout } = about;
	const { cwd, artifacts } = env;
	using out = new OutputSink({ tool, artifacts });
	using err = new OutputSink({ tool, headBytes: 0 });
	using live = liveUpdates(() => onUpdate?.(textResult(err.live())));
	const printed = new Printed(out);
	const outcome = await runProgram({
		command: commandOf(path),
		cwd,
		env: {
			...commandEnvironment(env.env),
			TAU_TOOL_CALL_ID: toolCallId,
			TAU_TOOL_NAME: tool,
			TAU_PROJECT_DIR: cwd,
		},
		input: JSON.stringify(params),
		timeoutMs: timeout === undefined ? limits.callMs : Math.min(timeout * 1000, limits.callMaxMs),
		signal: signal ?? new AbortController().signal,
		onOutput: (chunk) => printed.push(chunk),
		onError: (chunk) => {
			err.push(chunk);
			live.changed();
		},
	});
	const failure = failureOf(outcome);
	const json = printed.json();
	if (json) return concluded(bounded(json, request), failure);
	const text = out.summary().text;
	if (failure === undefined) return textResult(text);
	throw new Error([text, err.live().slice(-limits.errorChars), failure].filter(Boolean).join("\n"));
}

/** Why it has failed, for the model. */
function failureOf({ exitCode, stopped, killedBy }: ShellOutcome): string | undefined {
	if (stopped === "timeout") return "[timed out]";
	if (stopped === "abort") return "[cancelled]";
	if (exitCode === 0) return undefined;
	return exitCode === undefined ? `[killed by ${killedBy}]` : `[exited with ${exitCode}]`;
}

/** A failed tool throws: an extension tool that returns a result has succeeded. */
function concluded(result: AgentToolResult, failure: string | undefined): AgentToolResult {
	if (!result.isError && failure === undefined) return result;
	const text = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
	throw new Error([...text, ...(failure === undefined ? [] : [failure])].join("\n"));
}

/** Text in JSON is as long as it likes, too. */
function bounded(result: AgentToolResult, { about, env }: ProgramCall): AgentToolResult {
	const content = result.content.map((part) => {
		if (part.type !== "text") return part;
		using sink = new OutputSink({ tool: about.name, artifacts: env.artifacts });
		sink.push(Buffer.from(part.text));
		return { ...part, text: sink.summary().text };
	});
	return { ...result, content };
}

/** Buffers output while it may be a JSON result; all other output is passed on as text. */
class Printed {
	readonly #text: OutputSink;
	#held: Buffer[] | undefined = [];
	#size = 0;

	constructor(text: OutputSink) {
		this.#text = text;
	}

	push(chunk: Uint8Array): void {
		if (!this.#held) {
			this.#text.push(chunk);
			return;
		}
		this.#held.push(Buffer.from(chunk));
		this.#size += chunk.length;
		if (this.#size > limits.resultBytes || !mayBeJson(this.#held)) this.#letGo();
	}

	/** Once, at the end. */
	json(): AgentToolResult | undefined {
		const result = this.#held && jsonResult(Buffer.concat(this.#held).toString("utf8"));
		if (!result) this.#letGo();
		return result;
	}

	#letGo(): void {
		for (const chunk of this.#held ?? []) this.#text.push(chunk);
		this.#held = undefined;
	}
}

/** The first character decides; leading whitespace is ignored. */
function mayBeJson(chunks: readonly Buffer[]): boolean {
	for (const chunk of chunks) {
		const first = /\S/.exec(chunk.subarray(0, limits.blankBytes).toString("latin1"))?.[0];
		if (first !== undefined) return first === "{";
	}
	return true;
}

const block = z.discriminatedUnion("type", [
	z.object({ type: z.literal("text"), text: z.string() }),
	z.object({ type: z.literal("image"), data: z.string().min(1), mimeType: z.string().startsWith("image/") }),
]);

const schema = z.object({
	content: z.union([z.string(), z.array(block).min(1).max(limits.resultBlocks)]),
	details: z.unknown().optional(),
	isError: z.boolean().optional(),
});

/** Undefined if the output is not such JSON: it is text then. */
function jsonResult(printed: string): AgentToolResult | undefined {
	if (!printed.trimStart().startsWith("{")) return undefined;
	try {
		const { content, details, isError } = schema.parse(JSON.parse(printed));
		return {
			content: typeof content === "string" ? [{ type: "text", text: content }] : content,
			...(details === undefined ? {} : { details }),
			...(isError === undefined ? {} : { isError }),
		};
	} catch {
		// Its own JSON, which is passed to the model unchanged.
		return undefined;
	}
}
