/** Prints a run as text: the answer on standard output, and the progress for a user who watches. */
import type { AssistantMessage, AssistantMessageEvent } from "@tau/ai";
import { ControlStripper, oneLine, stripControls } from "@tau/utils";
import type { SessionEvent } from "@tau/session";

import { limits } from "./limits.ts";
import type { Output } from "../output.ts";
import type { Printer } from "./run-print.ts";

export interface TextPrinterOptions {
	out: Output;
	err: Output;
	/** One line that shows a tool call. */
	describeCall(name: string, args: Record<string, unknown>): string;
}

/**
 * A terminal gets all text as it streams. A pipe gets only the last answer, whole: a script wants the result, and
 * only the end of a message tells whether tool calls follow it.
 */
export function textPrinter({ out, err, describeCall }: TextPrinterOptions): Printer {
	const stripper = new ControlStripper();
	let atLineStart = true;
	const write = (text: string): void | Promise<void> => {
		if (text === "") return;
		atLineStart = text.endsWith("\n");
		return out.write(text);
	};
	const endLine = (): void | Promise<void> => write(atLineStart ? "" : "\n");
	const live = (event: AssistantMessageEvent): void | Promise<void> => {
		if (event.type === "text_delta") return write(stripper.push(event.delta));
		if (event.type === "text_end") {
			void write(stripper.end());
			return endLine();
		}
	};
	const status = (line: string, chars: number = limits.statusChars): void | Promise<void> => {
		if (out.isTerminal) void endLine();
		return err.write(`${oneLine(line, chars)}\n`);
	};
	/** The text of an answer before it failed: it is useful only if no better answer follows. */
	let unfinished = "";
	/** True if the answer was cut off: the next one continues it, in the same line. */
	let isCut = false;
	const whole = (message: AssistantMessage): void | Promise<void> => {
		if (!isLast(message)) return;
		isCut = message.stopReason === "length";
		const text = out.isTerminal ? "" : stripControls(answerText(message));
		unfinished = message.stopReason === "error" ? text : "";
		if (unfinished === "") void write(text);
		return isCut ? undefined : endLine();
	};
	/** Another answer replaces it: a pipe gets that one. */
	const cutShort = (reason: string): void | Promise<void> =>
		err.isTerminal ? status(`tau: repeating the request: ${reason}`, limits.noticeChars) : undefined;
	const onEvent = (event: SessionEvent): void | Promise<void> => {
		switch (event.type) {
			case "message_update":
				return out.isTerminal ? live(event.assistantMessageEvent) : undefined;
			case "message_end":
				if (event.message.role !== "assistant") return undefined;
				return event.interrupted ? cutShort(event.interrupted.reason) : whole(event.message);
			case "tool_execution_start":
				return err.isTerminal ? status(`· ${describeCall(event.toolName, event.args)}`) : undefined;
			case "auto_retry_start":
				return err.isTerminal ? status(retryLine(event)) : undefined;
			case "compaction_start":
				return err.isTerminal ? status("tau: compacting the conversation") : undefined;
			case "compaction_end":
				return event.errorMessage === undefined
					? undefined
					: status(`tau: ${event.errorMessage}`, limits.noticeChars);
			case "notice":
				return status(`tau: ${event.message}`, limits.noticeChars);
			case "extension_error":
				return status(`tau: ${event.extensionPath} (${event.event}): ${event.error}`, limits.noticeChars);
		}
	};
	const end = (): void | Promise<void> => {
		void write(unfinished);
		void endLine();
		if (isCut) return status("tau: the answer was cut off at the model's output limit");
	};
	return { onEvent, end };
}

function retryLine({
	attempt,
	maxAttempts,
	delayMs,
	errorMessage,
}: Extract<SessionEvent, { type: "auto_retry_start" }>): string {
	return `tau: retrying in ${Math.ceil(delayMs / 1000)} s (attempt ${attempt} of ${maxAttempts}): ${errorMessage}`;
}

/** No tool call of it is going to be run; those of an answer that failed are not. */
function isLast({ stopReason, content }: AssistantMessage): boolean {
	return (
		stopReason === "error" || stopReason === "aborted" || !content.some(({ type }) => type === "toolCall")
	);
}

function answerText({ content, stopReason }: AssistantMessage): string {
	const texts = content.filter((block) => block.type === "text").map(({ text }) => text);
	const last = texts.at(-1) ?? "";
	const end = stopReason === "length" ? last : last.trimEnd();
	return [...texts.slice(0, -1).map((text) => text.trimEnd()), end].join("\n\n");
}
