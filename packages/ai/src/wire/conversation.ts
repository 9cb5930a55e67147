/** Makes a conversation that any model can take from one that was cut short or moved between models. */
import { limits } from "../limits.ts";
import type {
	AssistantContent,
	AssistantMessage,
	ImageContent,
	Message,
	Model,
	TextContent,
	ToolResultMessage,
} from "../types.ts";
import { notes } from "./notes/index.ts";

/**
 * Puts one result directly after each tool call, leaves out what the model cannot take (foreign thinking, images
 * without vision, empty blocks) and drops messages of which nothing is left.
 */
export function conversationFor(model: Model, messages: readonly Message[]): Message[] {
	const ids = new CallIds();
	return messages.flatMap((message, at): Message[] => {
		switch (message.role) {
			case "user":
				return withContent(model, message);
			case "assistant":
				return exchange(model, message, resultsAfter(messages, at), ids);
			case "toolResult":
				// It stands with its call. Without one (its answer was dropped) every provider would refuse it.
				return [];
		}
	});
}

function withContent(model: Model, message: Extract<Message, { role: "user" }>): Message[] {
	const { content } = message;
	if (typeof content === "string") return content.trim() === "" ? [] : [message];
	const parts = visible(model, content);
	return parts.length === 0 ? [] : [{ ...message, content: parts }];
}

/** What was said between an answer and the next may stand among its results, such as a prompt that steers. */
function resultsAfter(messages: readonly Message[], at: number): ToolResultMessage[] {
	const results: ToolResultMessage[] = [];
	for (let next = at + 1; next < messages.length; next++) {
		const message = messages[next];
		if (message?.role === "assistant") break;
		if (message?.role === "toolResult") results.push(message);
	}
	return results;
}

function exchange(
	model: Model,
	answer: AssistantMessage,
	results: ToolResultMessage[],
	ids: CallIds,
): Message[] {
	const own = answer.provider === model.provider && answer.model === model.id;
	const settled: Message[] = [];
	const content = sayable(answer, own).map((block): AssistantContent => {
		if (block.type !== "toolCall") return block;
		// A model may have made a name up, and each later request would be refused for it.
		const call = { ...block, id: ids.take(block.id, own), name: portable(block.name, limits.toolNameChars) };
		const found = results.findIndex((result) => result.toolCallId === block.id);
		const [result] = found < 0 ? [] : results.splice(found, 1);
		settled.push(
			result
				? { ...result, toolCallId: call.id, toolName: call.name, content: visible(model, result.content) }
				: missingResult(call.id, call.name),
		);
		return call;
	});
	return content.length === 0 ? [] : [{ ...answer, content }, ...settled];
}

function sayable(answer: AssistantMessage, own: boolean): AssistantContent[] {
	const broken = answer.stopReason === "error" || answer.stopReason === "aborted";
	return answer.content.filter((block) => {
		switch (block.type) {
			case "text":
				return block.text.trim() !== "";
			case "thinking":
				return own && !broken;
			case "toolCall":
				return !broken;
		}
	});
}

function visible(model: Model, content: (TextContent | ImageContent)[]): (TextContent | ImageContent)[] {
	const seesImages = model.input.includes("image");
	return content
		.filter((block) => block.type === "image" || block.text.trim() !== "")
		.map((block) =>
			block.type === "image" && !seesImages ? { type: "text", text: notes.imageLeftOut } : block,
		);
}

function missingResult(toolCallId: string, toolName: string): ToolResultMessage {
	const content: TextContent[] = [{ type: "text", text: notes.neverRan }];
	return { role: "toolResult", toolCallId, toolName, content, isError: true, timestamp: 0 };
}

/** Gives every call of a conversation an id of its own: some servers count from 0 again in each answer. */
class CallIds {
	readonly #uses = new Map<string, number>();

	/** A model's own ids stay as they are, as some are trained on their form; others may refuse that form. */
	take(given: string, own: boolean): string {
		const id = own && given !== "" ? given : portable(given, limits.callIdChars);
		let uses = this.#uses.get(id) ?? 0;
		let unique = id;
		while (this.#uses.has(unique)) unique = `${id}_${++uses}`;
		this.#uses.set(id, uses);
		this.#uses.set(unique, this.#uses.get(unique) ?? 0);
		return unique;
	}
}

/** In the letters that all providers take for a name. */
function portable(name: string, maxChars: number): string {
	return name.replaceAll(/[^\w-]/g, "_").slice(0, maxChars) || "unknown";
}
