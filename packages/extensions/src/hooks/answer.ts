/** Reads a hook's answer from its exit code and output, and combines the answers of several hooks. */
import { cutUnits, stripControls, isRecord } from "@tau/utils";

import type { HookEventName } from "./hook.ts";
import { limits } from "./limits.ts";

/** What a hook's program did. */
export interface HookEnd {
	exitCode: number | undefined;
	stdout: string;
	stderr: string;
}

export interface HookAnswer {
	/** `deny` applies to every event that can be prevented; `allow` and `ask` apply to tool calls only. */
	verdict?: "allow" | "ask" | "deny";
	/** The reason, for the model or the user, depending on the event. */
	reason?: string;
	/** The arguments that a call is to have instead. */
	updatedInput?: Record<string, unknown>;
	/** For the model to know. */
	context?: string;
	/** A message for the user. */
	message?: string;
	/** The run is to end, and why. */
	stop?: string;
	/** The hook itself did not do well; nothing follows from it. */
	failure?: string;
}

/** The events for which a hook's plain output is sent to the model as context. */
const plainIsContext: ReadonlySet<HookEventName> = new Set(["UserPromptSubmit", "SessionStart"]);

export function readAnswer(event: HookEventName, { exitCode, stdout, stderr }: HookEnd): HookAnswer {
	const message = clean(stdout);
	if (exitCode === 2)
		return { verdict: "deny", reason: clean(stderr) || "A hook blocked this without giving a reason." };
	if (exitCode !== 0) {
		const label = clean(stderr) || message;
		return { failure: `it exited with ${exitCode ?? "a signal"}${label === "" ? "" : `: ${label}`}` };
	}
	if (!message.startsWith("{"))
		return message !== "" && plainIsContext.has(event) ? { context: message } : {};
	const json = parsed(message);
	if (!json) return { failure: "its output looks like JSON but is invalid" };
	return fromJson(json);
}

function parsed(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isRecord(value) ? value : undefined;
	} catch {
		// The caller reports this as a failure of the hook.
		return undefined;
	}
}

function fromJson(json: Record<string, unknown>): HookAnswer {
	const specific = isRecord(json.hookSpecificOutput) ? json.hookSpecificOutput : {};
	const answer: HookAnswer = {};
	const verdict = verdictOf(specific.permissionDecision ?? json.decision);
	if (verdict) answer.verdict = verdict;
	const reason = textOf(specific.permissionDecisionReason) ?? textOf(json.reason);
	if (reason !== undefined) answer.reason = reason;
	if (isRecord(specific.updatedInput)) answer.updatedInput = specific.updatedInput;
	const context = textOf(specific.additionalContext) ?? textOf(json.additionalContext);
	if (context !== undefined) answer.context = context;
	const message = textOf(json.systemMessage);
	if (message !== undefined) answer.message = message;
	if (json.continue === false) answer.stop = textOf(json.stopReason) ?? "A hook stopped the run.";
	return answer;
}

/** `approve` and `block` are the older names. `defer` is not supported, so the user is asked. */
function verdictOf(word: unknown): HookAnswer["verdict"] {
	switch (word) {
		case "allow":
		case "approve":
			return "allow";
		case "ask":
		case "defer":
			return "ask";
		case "deny":
		case "block":
			return "deny";
		default:
			return undefined;
	}
}

const strictness = { allow: 0, ask: 1, deny: 2 } as const;

/** The strictest verdict is used, with the reasons of all hooks that share it; of new arguments, the last. */
export function together(answers: readonly HookAnswer[]): HookAnswer {
	const all: HookAnswer = {};
	const verdicts = answers.flatMap(({ verdict }) => (verdict ? [verdict] : []));
	const verdict = verdicts.toSorted((a, b) => strictness[b] - strictness[a])[0];
	if (verdict) {
		all.verdict = verdict;
		const reasons = answers.filter((answer) => answer.verdict === verdict).map(({ reason }) => reason);
		const reason = joined(reasons);
		if (reason !== undefined) all.reason = reason;
	}
	for (const { updatedInput, stop } of answers) {
		if (updatedInput) all.updatedInput = updatedInput;
		if (stop !== undefined) all.stop ??= stop;
	}
	const context = joined(answers.map((answer) => answer.context));
	if (context !== undefined) all.context = cutUnits(context, limits.contextChars);
	const message = joined(answers.map((answer) => answer.message));
	if (message !== undefined) all.message = message;
	return all;
}

function joined(texts: readonly (string | undefined)[]): string | undefined {
	const lines = texts.filter((text) => text !== undefined);
	return lines.length === 0 ? undefined : lines.join("\n");
}

function textOf(value: unknown): string | undefined {
	return typeof value === "string" && value.trim() !== "" ? clean(value) : undefined;
}

/** The text may repeat a web page or a model's output, so control sequences are removed. */
function clean(text: string): string {
	return stripControls(text).trim();
}
