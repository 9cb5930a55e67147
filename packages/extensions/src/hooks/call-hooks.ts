/** The hooks around a call: may block it, change its arguments, and add to its result. */
import type { AgentToolResult, CheckedCall, FrozenCall, Rewrite, ToolGate, Verdict } from "@tau/agent";
import { oneLine } from "@tau/utils";
import type { HookAnswer } from "./answer.ts";
import type { HookAsker } from "./ask-hooks.ts";
import { changedArguments, claudeCall, type ClaudeCall } from "./claude-tools.ts";
import { limits } from "./limits.ts";

export interface CallHooksParts {
	asker: HookAsker;
	/** A path as the model wrote it, made absolute. */
	resolve(path: string): string;
	/** The answers of async hooks. */
	later(answer: HookAnswer): void;
	/** Ends the run, with the reason for the user. */
	stop(reason: string): void;
}

export class CallHooks implements ToolGate {
	readonly name = "A PreToolUse hook";
	/** Hooks have their own time limits, and the user, who may be asked, has none. */
	readonly deadlineMs = Infinity;
	readonly #parts: CallHooksParts;
	/** Calls that were allowed, until their results arrive. */
	readonly #open = new Map<string, OpenCall>();

	constructor(parts: CallHooksParts) {
		this.#parts = parts;
	}

	async rewrite(call: CheckedCall, signal: AbortSignal): Promise<Rewrite | undefined> {
		const { asker } = this.#parts;
		if (!asker.has("PreToolUse")) return undefined;
		if (this.#open.size >= limits.openCalls) return { deny: "Too many calls are waiting for their results." };
		const { deny, arguments: changed, ...open } = await this.#ask(call, signal);
		this.#open.set(call.id, open);
		if (deny !== undefined) return { deny };
		return changed && { arguments: changed };
	}

	/** Hooks see again what another gate has rewritten after them; the approval policy asks the user if a hook wants that. */
	async judge(call: FrozenCall, signal: AbortSignal): Promise<Verdict | undefined> {
		if (call.denied !== undefined) return undefined;
		let open = this.#open.get(call.id);
		if (call.changedSince && this.#parts.asker.has("PreToolUse")) {
			const { deny, arguments: changed, ...again } = await this.#ask(call, signal);
			if (deny !== undefined) return { allow: false, reason: deny };
			if (changed)
				return {
					allow: false,
					reason: `${call.rewrittenBy.at(-1) ?? "Another check"} changed the arguments of ${call.name}, and a hook wants them changed again.`,
				};
			open = { ...again, ...(open?.ask ? { ask: open.ask } : {}) };
			this.#open.set(call.id, open);
		}
		if (open?.ask) return { allow: "ask", reason: askReason(call, open.ask.reason) };
		return open?.isAllowed ? { allow: true, unasked: true } : undefined;
	}

	/** Appends the hooks' messages to a result, for the model. */
	async change(
		call: FrozenCall,
		result: AgentToolResult,
		signal: AbortSignal,
	): Promise<AgentToolResult | undefined> {
		const { context } = this.#open.get(call.id) ?? {};
		const event = result.isError ? "PostToolUseFailure" : "PostToolUse";
		const words = await this.#report(event, call, result, signal);
		const text = [...(context === undefined ? [] : [`[PreToolUse hook] ${context}`]), ...words].join("\n");
		if (text === "") return undefined;
		return { ...result, content: [...result.content, { type: "text", text }] };
	}

	async #ask(call: CheckedCall, signal: AbortSignal): Promise<HookDecision> {
		const { asker, stop, later, resolve } = this.#parts;
		const described = this.#claude(call);
		const { verdict, reason, ...answer } = await asker.ask(
			{ event: "PreToolUse", subjects: described.names, call: described, facts: factsOf(call, described) },
			signal,
			later,
		);
		const { context, updatedInput } = answer;
		if (answer.stop !== undefined) {
			stop(answer.stop);
			return { deny: answer.stop, context };
		}
		if (verdict === "deny") return { deny: reason ?? `A hook blocked ${call.name}.`, context };
		const next =
			updatedInput && changedArguments(call.name, call.arguments, updatedInput, (path) => resolve(path));
		const isChanged = next !== undefined && !Bun.deepEquals(next, call.arguments);
		return {
			context,
			...(isChanged ? { arguments: next } : {}),
			...(verdict === "ask" ? { ask: { reason } } : {}),
			...(verdict === "allow" ? { isAllowed: true } : {}),
		};
	}

	async #report(
		event: "PostToolUse" | "PostToolUseFailure",
		call: FrozenCall,
		result: AgentToolResult,
		signal: AbortSignal,
	): Promise<string[]> {
		const { asker, stop, later } = this.#parts;
		if (!asker.has(event)) return [];
		const described = this.#claude(call);
		const facts = { ...factsOf(call, described), ...outcomeOf(result, described) };
		const answer = await asker.ask(
			{ event, subjects: described.names, call: described, facts },
			signal,
			later,
		);
		if (answer.stop !== undefined) stop(answer.stop);
		const words = [answer.verdict === "deny" ? answer.reason : undefined, answer.context, answer.stop];
		return words.flatMap((text) => (text === undefined ? [] : [`[${event} hook] ${text}`]));
	}

	/** The call has ended, with a result or without. */
	forget(id: string): void {
		this.#open.delete(id);
	}

	#claude(call: CheckedCall): ClaudeCall {
		return claudeCall(call.name, call.arguments, (path) => this.#parts.resolve(path), call.tool.aliases);
	}
}

interface OpenCall {
	/** Added to the result: a separate message would keep other calls of the answer from running. */
	context?: string | undefined;
	/** A hook requests the user's approval. */
	ask?: { reason: string | undefined };
	/** A hook allows the call, so that the policy need not ask about it. */
	isAllowed?: boolean;
}

interface HookDecision extends OpenCall, Rewrite {}

function askReason({ name }: CheckedCall, reason: string | undefined): string {
	return oneLine(`a hook asks about ${name}${reason === undefined ? "" : `: ${reason}`}`, limits.noticeChars);
}

function factsOf(call: CheckedCall, { name, input }: ClaudeCall): Record<string, unknown> {
	return { tool_name: name, tool_input: input, tool_use_id: call.id, tau_tool_name: call.name };
}

/** In Claude Code each tool has its own result shape; these are the parts that hooks read. */
function outcomeOf(
	{ content, details, isError }: AgentToolResult,
	{ runsCommands, input }: ClaudeCall,
): Record<string, unknown> {
	const text = content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
	if (isError) return { error: text, is_interrupt: false };
	const response = {
		content,
		...(details === undefined ? {} : { details }),
		...(runsCommands ? { stdout: text, stderr: "", interrupted: false } : {}),
		...(typeof input.file_path === "string" ? { filePath: input.file_path } : {}),
		success: true,
	};
	return { tool_response: response };
}
