/** What fills the model's context, by where it comes from, the biggest first. */
import { estimateTokens, tokensIn, type AgentMessage, type AgentTool } from "@tau/agent";

export interface ContextPart {
	name: string;
	/** Estimated. */
	tokens: number;
	/** What it is made of, the biggest first. */
	parts: readonly { name: string; tokens: number }[];
}

export interface ContextSources {
	systemPrompt: string;
	tools: readonly Pick<AgentTool, "name" | "description" | "parameters">[];
	messages: readonly AgentMessage[];
}

export function contextParts({ systemPrompt, tools, messages }: ContextSources): ContextPart[] {
	const { text: words, files } = splitInstructions(systemPrompt);
	const parts: ContextPart[] = [
		{ name: "System prompt", tokens: ofText(words), parts: [] },
		group(
			"Instructions",
			files.map(({ path, text }) => ({ name: path, tokens: ofText(text) })),
		),
		group(
			"Tools",
			tools.map(({ name, description, parameters }) => ({
				name,
				tokens: ofText(name + description + JSON.stringify(parameters)),
			})),
		),
		...messageParts(messages),
	];
	return parts.filter((part) => part.tokens > 0).toSorted((a, b) => b.tokens - a.tokens);
}

/** The share of the last request that came from the provider's cache; undefined if no answer reports it. */
export function cachedShare(messages: readonly AgentMessage[]): number | undefined {
	const last = messages.findLast((message) => message.role === "assistant" && message.usage.totalTokens > 0);
	if (last?.role !== "assistant") return undefined;
	const { input, cacheRead, cacheWrite } = last.usage;
	const requested = input + cacheRead + cacheWrite;
	return requested > 0 ? cacheRead / requested : undefined;
}

/** The system prompt contains the context files, each in a block that names it. */
export function splitInstructions(prompt: string): {
	text: string;
	files: { path: string; text: string }[];
} {
	const files: { path: string; text: string }[] = [];
	const words = prompt.replaceAll(
		/<instructions from="([^"]*)">\n([\s\S]*?)\n<\/instructions>/g,
		(_, path: string, text: string) => {
			files.push({ path, text });
			return "";
		},
	);
	return { text: words, files };
}

function messageParts(messages: readonly AgentMessage[]): ContextPart[] {
	const kinds = new Map<string, Map<string, number>>();
	const add = (kind: string, name: string, tokens: number): void => {
		if (tokens <= 0) return;
		const within = kinds.get(kind) ?? new Map<string, number>();
		within.set(name, (within.get(name) ?? 0) + tokens);
		kinds.set(kind, within);
	};
	for (const message of messages) count(message, add);
	return [...kinds].map(([kind, within]) => {
		const parts = [...within].map(([name, tokens]) => ({ name, tokens }));
		return parts.length === 1 && parts[0]?.name === ""
			? { ...group(kind, parts), parts: [] }
			: group(kind, parts);
	});
}

function count(message: AgentMessage, add: (kind: string, name: string, tokens: number) => void): void {
	switch (message.role) {
		case "user":
			return add("User messages", "", estimateTokens(message));
		case "toolResult":
			return add("Tool results", message.toolName, estimateTokens(message));
		case "bashExecution":
		case "pythonExecution":
			return message.excludeFromContext ? undefined : add("User commands", "", estimateTokens(message));
		case "custom":
			return add("Extensions", message.customType, estimateTokens(message));
		case "branchSummary":
		case "compactionSummary":
			return add("Summaries", "", estimateTokens(message));
		case "assistant":
			for (const part of message.content) {
				if (part.type === "text") add("Assistant", "text", ofText(part.text));
				else if (part.type === "thinking")
					add("Assistant", "thinking", ofText(part.thinking + (part.thinkingSignature ?? "")));
				else add("Assistant", "tool calls", ofText(part.name + JSON.stringify(part.arguments)));
			}
	}
}

function group(name: string, parts: readonly { name: string; tokens: number }[]): ContextPart {
	return {
		name,
		tokens: parts.reduce((sum, part) => sum + part.tokens, 0),
		parts: parts.toSorted((a, b) => b.tokens - a.tokens),
	};
}

function ofText(text: string): number {
	return Math.ceil(tokensIn(text.length));
}
