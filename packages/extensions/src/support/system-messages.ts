/** The two shapes of a context: pi's newer one has prompt and tools among its messages, ours has them separately. */
import type { Context, Message, TextContent, Tool } from "@tau/ai";

import { notedContext } from "./transcript-context.ts";

/** A message of newer versions of pi: text and tools from here on. */
export interface SystemMessage {
	role: "system";
	content?: string | TextContent[];
	sections?: Record<string, string | null>;
	toolsAdded?: Tool[];
	toolsRemoved?: { name: string }[];
	/** The complete set of tools, if the message replaces all of them. */
	tools?: Tool[];
	timestamp?: number;
}

type Messages = readonly { role: string }[];

interface TranscriptContext {
	messages: (Message | SystemMessage)[];
}

function isSystem(message: { role: string }): message is SystemMessage {
	return message.role === "system";
}

function createInitialSystemMessage(
	systemPrompt: string | undefined,
	tools: Tool[] | undefined,
): SystemMessage | undefined {
	if (!systemPrompt && !tools?.length) return undefined;
	return {
		role: "system",
		...(systemPrompt ? { content: systemPrompt } : {}),
		...(tools?.length ? { toolsAdded: tools.map(toToolDeclaration) } : {}),
		timestamp: Date.now(),
	};
}

export function normalizeContext(context: Context | TranscriptContext): TranscriptContext {
	const { systemPrompt, tools } = context as Context;
	const first = createInitialSystemMessage(systemPrompt, tools);
	return { messages: first ? [first, ...context.messages] : [...context.messages] };
}

/** As Tau's protocols expect it. */
export function plainContext(context: Context | TranscriptContext): Context {
	if (!context.messages.some(isSystem)) return context as Context;
	const systemPrompt = getCurrentSystemPrompt(context.messages);
	const tools = getCurrentTools(context.messages);
	return {
		...(systemPrompt ? { systemPrompt } : {}),
		...(tools.length > 0 ? { tools } : {}),
		messages: [...context.messages].filter((message): message is Message => !isSystem(message)),
	};
}

function getInitialSystemMessage(messages: Messages): SystemMessage | undefined {
	const [first] = messages;
	return first && isSystem(first) ? first : undefined;
}

function withoutInitialSystemMessage<M extends { role: string }>(messages: M[]): M[] {
	return messages[0] && isSystem(messages[0]) ? messages.slice(1) : messages;
}

/** A list without system messages uses the tools that were noted for it. */
function getCurrentTools(messages: Messages): Tool[] {
	const system = messages.filter(isSystem);
	if (system.length === 0) return notedContext(messages).tools ?? [];
	const tools = new Map<string, Tool>();
	for (const message of system) {
		if (message.tools) tools.clear();
		for (const { name } of message.toolsRemoved ?? []) tools.delete(name);
		for (const tool of [...(message.tools ?? []), ...(message.toolsAdded ?? [])]) tools.set(tool.name, tool);
	}
	return [...tools.values()];
}

function getCurrentSystemPrompt(messages: Messages): string {
	const system = messages.filter(isSystem);
	if (system.length === 0) return notedContext(messages).systemPrompt ?? "";
	const sections = new Map<string, string>();
	const texts: string[] = [];
	for (const message of system) {
		const text = contentText(message.content ?? "");
		if (text !== "") texts.push(text);
		for (const [name, value] of Object.entries(message.sections ?? {})) {
			if (value === null) sections.delete(name);
			else sections.set(name, value);
		}
	}
	return [...texts, ...sections.values()].join("\n\n");
}

function getCurrentSystemMessage(messages: Messages): SystemMessage | undefined {
	return createInitialSystemMessage(getCurrentSystemPrompt(messages), getCurrentTools(messages));
}

function collapseSystemMessages(context: TranscriptContext): TranscriptContext {
	const { messages, ...rest } = normalizeContext(plainContext(context));
	return { ...rest, messages };
}

function resolveTranscript(
	context: TranscriptContext,
	supportsMidConvoSystemMessages?: boolean,
): TranscriptContext {
	return supportsMidConvoSystemMessages ? context : collapseSystemMessages(context);
}

function toToolDeclaration({ name, description, parameters }: Tool): Tool {
	return { name, description, parameters };
}

function declarationsEqual(left: Tool, right: Tool): boolean {
	return JSON.stringify(toToolDeclaration(left)) === JSON.stringify(toToolDeclaration(right));
}

function getToolStateChanges(
	previous: readonly Tool[],
	current: readonly Tool[],
): { toolsAdded: Tool[]; toolsRemoved: { name: string }[] } {
	const isIn = (tool: Tool, among: readonly Tool[]): boolean =>
		among.some((each) => each.name === tool.name && declarationsEqual(each, tool));
	return {
		toolsAdded: current.filter((tool) => !isIn(tool, previous)),
		toolsRemoved: previous.filter((tool) => !isIn(tool, current)).map(({ name }) => ({ name })),
	};
}

/** Every tool that was ever declared, the first of a name and form first. */
function getDeclaredTools(messages: Messages): Tool[] {
	const all = messages
		.filter(isSystem)
		.flatMap(({ tools = [], toolsAdded = [] }) => [...tools, ...toolsAdded]);
	return all.filter((tool, at) => all.findIndex((each) => declarationsEqual(each, tool)) === at);
}

function hasToolRedefinitions(messages: Messages): boolean {
	const names = getDeclaredTools(messages).map(({ name }) => name);
	return new Set(names).size < names.length;
}

function hasNonAdditiveToolChanges(messages: Messages): boolean {
	return (
		hasToolRedefinitions(messages) || messages.some((each) => isSystem(each) && !!each.toolsRemoved?.length)
	);
}

/** Tau's protocols send the current tools with each request. */
function resolveTranscriptTools(messages: Messages): {
	requestTools: Tool[];
	foldedSystemMessages: number;
} {
	return {
		requestTools: getCurrentTools(messages),
		foldedSystemMessages: messages.filter(isSystem).length,
	};
}

function contentText(content: string | readonly { type: string }[], separator = "\n"): string {
	if (typeof content === "string") return content;
	return content
		.filter((block): block is TextContent => block.type === "text")
		.map(({ text }) => text)
		.join(separator);
}

function getSystemMessageText({ content = "", sections = {} }: SystemMessage): string {
	const named = Object.values(sections).filter((value): value is string => value !== null);
	return [contentText(content), ...named].filter((text) => text !== "").join("\n\n");
}

/** What extensions get of it. */
export const contextExports = {
	createInitialSystemMessage,
	normalizeContext,
	plainContext,
	getInitialSystemMessage,
	withoutInitialSystemMessage,
	getCurrentTools,
	getCurrentSystemPrompt,
	getCurrentSystemMessage,
	collapseSystemMessages,
	resolveTranscript,
	toToolDeclaration,
	declarationsEqual,
	getToolStateChanges,
	getDeclaredTools,
	hasToolRedefinitions,
	hasNonAdditiveToolChanges,
	resolveTranscriptTools,
	contentText,
	getSystemMessageText,
};
