/** Turns the messages of a coding session into what models read: they know three roles, a session knows more. */
import { defaultConvertToLlm, type AgentMessage } from "@tau/agent";
import type { Message, UserMessage } from "@tau/ai";

import branchSummary from "../prompts/branch-summary.md" with { type: "text" };
import compactionSummary from "../prompts/compaction-summary.md" with { type: "text" };
import { fenceFor, fill } from "@tau/utils";
import ranCommand from "../prompts/ran-command.md" with { type: "text" };
import ranCell from "../prompts/ran-cell.md" with { type: "text" };
import type { BashExecutionMessage, CompactionSummaryMessage, PythonExecutionMessage } from "@tau/log";

export function convertToLlm(messages: readonly AgentMessage[]): Message[] {
	return defaultConvertToLlm(
		messages.map((message) =>
			isForModels(message) ? message : known.getOrInsertComputed(message, () => readable(message)),
		),
	);
}

/** What messages of the session became: the same object for each request, so that it is encoded once. */
const known = new WeakMap<AgentMessage, AgentMessage>();

function isForModels({ role }: AgentMessage): boolean {
	return role === "user" || role === "assistant" || role === "toolResult";
}

/** A message with a custom role is not for models. */
function readable(message: AgentMessage): AgentMessage {
	switch (message.role) {
		case "bashExecution":
			return message.excludeFromContext ? message : userMessage(message, execution(ranCommand, message));
		case "pythonExecution":
			return message.excludeFromContext ? message : userMessage(message, execution(ranCell, message));
		case "branchSummary":
			return userMessage(message, fill(branchSummary, { summary: message.summary }));
		case "compactionSummary":
			return compacted(message);
		case "custom":
			return userMessage(message, message.content);
		default:
			return message;
	}
}

/** The frames follow the text that says how to read them. */
function compacted(message: CompactionSummaryMessage): UserMessage {
	const { images = [], items } = message;
	const text = fill(compactionSummary, { summary: message.summary });
	const content = images.length === 0 ? text : [{ type: "text" as const, text }, ...images];
	return { ...userMessage(message, content), ...(items ? { items } : {}) };
}

function userMessage({ timestamp }: { timestamp: number }, content: UserMessage["content"]): UserMessage {
	return { role: "user", content, timestamp };
}

const python = { name: "Python", language: "python" };
const javaScript = { name: "JavaScript", language: "js" };

function execution(template: string, run: BashExecutionMessage | PythonExecutionMessage): string {
	const source = run.role === "bashExecution" ? { command: run.command } : { code: run.code };
	const facts = run.role === "pythonExecution" && run.language === "js" ? javaScript : python;
	const output = run.output === "" ? "(no output)" : run.output;
	const fence = fenceFor([...Object.values(source), output].join("\n"));
	return fill(template, { ...facts, ...source, output, fence, ending: ending(run) }).trimEnd();
}

function ending({ cancelled, exitCode, truncated }: BashExecutionMessage | PythonExecutionMessage): string {
	const notes = [
		...(truncated ? ["Only the end of the output is shown."] : []),
		...(cancelled ? ["It was stopped before it finished."] : []),
		...(!cancelled && exitCode !== undefined && exitCode !== 0 ? [`It exited with code ${exitCode}.`] : []),
	];
	return notes.join(" ");
}
