/** The hooks around a call: may keep it from running, give it other arguments, and add to what it gave back. */
import type { AgentToolResult, ToolCallVerdict } from "@tau/agent";
import type { ToolCall } from "@tau/ai";
import { oneLine } from "@tau/utils";
import type { SessionHandle } from "@tau/session";
import type { AskPerson } from "@tau/tools/tool";

import type { HookAnswer } from "./answer.ts";
import type { HookAsker } from "./ask-hooks.ts";
import { changedArguments, claudeCall, type ClaudeCall } from "./claude-tools.ts";
import { limits } from "./limits.ts";

export interface CallHooksParts {
	session: SessionHandle;
	asker: HookAsker;
	/** A path as the model wrote it, made absolute. */
	resolve(path: string): string;
	/** Undefined where nobody can answer. */
	ask(): AskPerson | undefined;
	/** What hooks say that nobody waited for. */
	later(answer: HookAnswer): void;
	/** Ends the run, with the reason for the person. */
	stop(reason: string): void;
}

export class CallHooks {
	readonly #parts: CallHooksParts;
	/** Calls that were let through, until their results are there. */
	readonly #open = new Map<string, OpenCall>();

	constructor(parts: CallHooksParts) {
		this.#parts = parts;
	}

	/** Changes `args` in place, which the tool is run with. */
	async before(
		call: ToolCall,
		args: Record<string, unknown>,
		signal: AbortSignal,
	): Promise<ToolCallVerdict | undefined> {
		const { asker, stop, later } = this.#parts;
		const open: OpenCall = { args };
		if (this.#open.size < limits.openCalls) this.#open.set(call.id, open);
		if (!asker.has("PreToolUse")) return undefined;
		const told = this.#claude(call, args);
		const answer = await asker.ask(
			{ event: "PreToolUse", subjects: told.names, call: told, facts: factsOf(call, told) },
			signal,
			later,
		);
		open.context = answer.context;
		if (answer.stop !== undefined) {
			stop(answer.stop);
			return { block: true, reason: answer.stop };
		}
		const { verdict, reason, updatedInput } = answer;
		if (verdict === "deny") return { block: true, reason: reason ?? `A hook blocked ${call.name}.` };
		const wrong = updatedInput && this.#update(call, args, updatedInput);
		if (wrong !== undefined) return { block: true, reason: wrong };
		return verdict === "ask" ? this.#askPerson(call, reason, signal) : undefined;
	}

	/** What the hooks have to say about a result stands behind it, for the model. */
	async after(
		call: ToolCall,
		result: AgentToolResult,
		signal: AbortSignal,
	): Promise<AgentToolResult | undefined> {
		const { args = call.arguments, context } = this.#open.get(call.id) ?? {};
		const event = result.isError ? "PostToolUseFailure" : "PostToolUse";
		const words = await this.#said(event, call, args, result, signal);
		const said = [...(context === undefined ? [] : [`[PreToolUse hook] ${context}`]), ...words].join("\n");
		if (said === "") return undefined;
		return { ...result, content: [...result.content, { type: "text", text: said }] };
	}

	async #said(
		event: "PostToolUse" | "PostToolUseFailure",
		call: ToolCall,
		args: Record<string, unknown>,
		result: AgentToolResult,
		signal: AbortSignal,
	): Promise<string[]> {
		const { asker, stop, later } = this.#parts;
		if (!asker.has(event)) return [];
		const told = this.#claude(call, args);
		const facts = { ...factsOf(call, told), ...outcomeOf(result, told) };
		const answer = await asker.ask({ event, subjects: told.names, call: told, facts }, signal, later);
		if (answer.stop !== undefined) stop(answer.stop);
		const words = [answer.verdict === "deny" ? answer.reason : undefined, answer.context, answer.stop];
		return words.flatMap((text) => (text === undefined ? [] : [`[${event} hook] ${text}`]));
	}

	/** The call has ended, with a result or without. */
	forget(id: string): void {
		this.#open.delete(id);
	}

	#claude(call: ToolCall, args: Record<string, unknown>): ClaudeCall {
		return claudeCall(call.name, args, (path) => this.#parts.resolve(path));
	}

	/** What is wrong with the new arguments, if anything is. */
	#update(
		call: ToolCall,
		args: Record<string, unknown>,
		updated: Record<string, unknown>,
	): string | undefined {
		const { session, resolve } = this.#parts;
		const next = changedArguments(call.name, args, updated, (path) => resolve(path));
		const tool = session.state.tools.find(({ name }) => name === call.name);
		const valid = tool?.validate(next) ?? { ok: true, value: next };
		if (!valid.ok)
			return `A hook changed the arguments of ${call.name}, and they are now invalid: ${valid.reason}`;
		for (const key of Object.keys(args)) if (!(key in valid.value)) Reflect.deleteProperty(args, key);
		Object.assign(args, valid.value);
		return undefined;
	}

	/** Where nobody can be asked, nobody has said yes. */
	async #askPerson(
		call: ToolCall,
		reason: string | undefined,
		signal: AbortSignal,
	): Promise<ToolCallVerdict | undefined> {
		const ask = this.#parts.ask();
		const why = reason === undefined ? "" : `: ${reason}`;
		if (!ask)
			return {
				block: true,
				reason: `A hook requires the user's approval for ${call.name}, but no user is available${why}`,
			};
		const question = oneLine(`A hook asks about ${call.name}${why}. Run it?`, limits.noticeChars);
		const options = [{ label: "Don't run it" }, { label: runIt }];
		const answers = await ask([{ id: "hook", question, options, multiple: false }], signal);
		if (answers?.[0]?.chosen.includes(runIt)) return undefined;
		return {
			block: true,
			reason: `The user declined to run ${call.name} when a hook asked${why}`,
		};
	}
}

interface OpenCall {
	/** What it runs with. */
	args: Record<string, unknown>;
	/** Said behind its result: a message of its own would keep other calls of the answer from running. */
	context?: string | undefined;
}

const runIt = "Run it";

function factsOf(call: ToolCall, { name, input }: ClaudeCall): Record<string, unknown> {
	return { tool_name: name, tool_input: input, tool_use_id: call.id, tau_tool_name: call.name };
}

/** In Claude Code each tool has a form of its own; these are the parts that hooks look at. */
function outcomeOf(
	{ content, details, isError }: AgentToolResult,
	{ name, input }: ClaudeCall,
): Record<string, unknown> {
	const text = content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
	if (isError) return { error: text, is_interrupt: false };
	const response = {
		content,
		...(details === undefined ? {} : { details }),
		...(name === "Bash" ? { stdout: text, stderr: "", interrupted: false } : {}),
		...(typeof input.file_path === "string" ? { filePath: input.file_path } : {}),
		success: true,
	};
	return { tool_response: response };
}
