/** Prints a run as text: the answer on standard output, what is going on for a person who watches. */
import type { AssistantMessage, AssistantMessageEvent } from "@tau/ai";
import { ControlStripper, oneLine, stripControls } from "@tau/utils";

import type { SessionEvent } from "../../session/index.ts";
import type { Output } from "./output.ts";

export interface TextPrinterOptions {
	out: Output;
	err: Output;
	/** One line that shows a tool call. */
	describeCall(name: string, args: Record<string, unknown>): string;
}

/** The width of a status line that fits most terminals. */
const statusChars = 100;

/**
 * A terminal gets all text as it streams. A pipe gets only the last answer, whole: a script wants the result, and
 * only the end of a message tells whether tool calls follow it.
 */
export function textPrinter({ out, err, describeCall }: TextPrinterOptions): (event: SessionEvent) => void {
	let stripper = new ControlStripper();
	let atLineStart = true;
	const say = (text: string): void => {
		if (text === "") return;
		out.write(text);
		atLineStart = text.endsWith("\n");
	};
	const endLine = (): void => {
		if (!atLineStart) say("\n");
	};
	const live = (event: AssistantMessageEvent): void => {
		if (event.type === "text_start") stripper = new ControlStripper();
		else if (event.type === "text_delta") say(stripper.push(event.delta));
		else if (event.type === "text_end") {
			say(stripper.end());
			endLine();
		}
	};
	const status = (line: string): void => {
		if (out.isTerminal) endLine();
		err.write(`${oneLine(stripControls(line), statusChars)}\n`);
	};
	return (event) => {
		switch (event.type) {
			case "message_update":
				if (out.isTerminal) live(event.assistantMessageEvent);
				return;
			case "message_end":
				if (!out.isTerminal && event.message.role === "assistant" && isLast(event.message)) {
					say(stripControls(answerText(event.message)));
					endLine();
				}
				return;
			case "tool_execution_start":
				if (err.isTerminal) status(`· ${describeCall(event.toolName, event.args)}`);
				return;
			case "notice":
				status(`tau: ${event.message}`);
				return;
		}
	};
}

function isLast(message: AssistantMessage): boolean {
	return !message.content.some((block) => block.type === "toolCall");
}

function answerText(message: AssistantMessage): string {
	return message.content
		.filter((block) => block.type === "text")
		.map((block) => block.text.trimEnd())
		.join("\n\n");
}
