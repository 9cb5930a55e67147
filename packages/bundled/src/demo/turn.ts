/** Reads from a conversation what the planner needs: the last prompt, and what the demo did about it so far. */
import type {
	AssistantMessage,
	Context,
	ImageContent,
	Message,
	TextContent,
	ToolResultMessage,
} from "@tau/ai";
import { fill, isRecord } from "@tau/utils";

import { demoModel } from "./model.ts";
import introText from "./texts/intro.md" with { type: "text" };
import notUnderstood from "./texts/not-understood.md" with { type: "text" };

/** The line with which the demo says what it is. */
export const intro = fill(introText);

/** A tool call of the demo and what came of it. */
export interface Outcome {
	tool: string;
	arguments: Record<string, unknown>;
	text: string;
	failed: boolean;
	exitCode?: number;
	/** Lines of the whole output, of which the text may be the end only. */
	totalLines?: number;
	/** The result holds something that is not text. */
	image: boolean;
}

export interface Turn {
	prompt: string;
	/** The answers to this prompt so far that called tools, each as its calls' outcomes. */
	rounds: readonly (readonly Outcome[])[];
	/** The demo has introduced itself: earlier in the conversation, or earlier in this answer. */
	introduced: "before" | "in this answer" | "no";
	/** The last stop of the tour before this prompt; 0 without one, and after the last. */
	tourStop: number;
	/** It has explained before this prompt how to connect a model. */
	hasExplained: boolean;
	tools: ReadonlySet<string>;
}

export function readTurn(context: Context): Turn {
	const { messages } = context;
	const at = messages.findLastIndex((message) => message.role === "user");
	const since = messages.slice(at + 1);
	const results = new Map(
		since.flatMap((message) => (isResult(message) ? [[message.toolCallId, message]] : [])),
	);
	return {
		prompt: promptText(messages[at]),
		rounds: since
			.filter(isDemo)
			.map((answer) => outcomes(answer, results))
			.filter((round) => round.length > 0),
		introduced: since.some(introduces) ? "in this answer" : messages.some(introduces) ? "before" : "no",
		...earlier(messages.slice(0, Math.max(0, at))),
		tools: new Set(context.tools?.flatMap(({ name, description }) => [name, ...foundBy(name, description)])),
	};
}

function earlier(messages: readonly Message[]): Pick<Turn, "tourStop" | "hasExplained"> {
	const texts = messages
		.filter(isDemo)
		.map(({ content }) => textOf(content.filter((part) => part.type === "text")));
	const stops = texts.map((text) => /\*\*(\d) of (\d): /.exec(text));
	const [, number = "0", count] = stops.findLast((stop) => stop !== null) ?? [];
	return {
		tourStop: number === count ? 0 : Number(number),
		hasExplained: texts.some((text) => text.includes(notUnderstood.trim())),
	};
}

function outcomes(answer: AssistantMessage, results: ReadonlyMap<string, ToolResultMessage>): Outcome[] {
	return answer.content.flatMap((block) => {
		const result = block.type === "toolCall" ? results.get(block.id) : undefined;
		if (block.type !== "toolCall" || !result) return [];
		return {
			tool: block.name,
			arguments: block.arguments,
			text: textOf(result.content),
			failed: result.isError,
			...numbersOf(result.details),
			image: result.content.some((part) => part.type === "image"),
		};
	});
}

/** The tools that `search_tools` lists with a hint are callable by their names. */
function foundBy(name: string, description: string): string[] {
	return name === "search_tools" ? [...description.matchAll(/(\w+) \(/g)].map(([, found = ""]) => found) : [];
}

/** Other tools than Tau's own may have the same names and no such details. */
function numbersOf(details: unknown): { exitCode?: number; totalLines?: number } {
	const { exitCode, totalLines } = isRecord(details) ? details : {};
	return {
		...(typeof exitCode === "number" ? { exitCode } : {}),
		...(typeof totalLines === "number" ? { totalLines } : {}),
	};
}

function isResult(message: Message): message is ToolResultMessage {
	return message.role === "toolResult";
}

function isDemo(message: Message): message is AssistantMessage {
	return message.role === "assistant" && message.api === demoModel.api;
}

function introduces(message: Message): boolean {
	return (
		isDemo(message) && message.content.some((block) => block.type === "text" && block.text.includes(intro))
	);
}

function promptText(message: Message | undefined): string {
	if (message?.role !== "user") return "";
	const text = typeof message.content === "string" ? message.content : textOf(message.content);
	return withoutFiles(text).trim();
}

/**
 * Files that came along stand before the prompt as `<file …>…</file>`. They are data: what they hold must never
 * be taken for an order, so the prompt begins behind the last of them, whatever a file may contain.
 */
function withoutFiles(text: string): string {
	if (!/^\s*<file[\s>]/.test(text)) return text;
	const end = "</file>";
	const at = text.lastIndexOf(end);
	return at < 0 ? "" : text.slice(at + end.length);
}

function textOf(content: readonly (TextContent | ImageContent)[]): string {
	return content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}
