/** Makes a conversation valid for any model, even if it was interrupted or moved between models. */
import { commonStart } from "@tau/utils/portable";

import { limits } from "../limits.ts";
import type {
	AssistantContent,
	AssistantMessage,
	ImageContent,
	Message,
	Model,
	TextContent,
	ThinkingContent,
	ToolResultMessage,
} from "../types.ts";
import { isAudio, takesAudio } from "./media.ts";
import { foreignThinking, notes } from "./notes/index.ts";
import { isThinkingField } from "./thinking-field.ts";

/**
 * Puts one result directly after each tool call, leaves out what the model cannot accept (images without vision,
 * audio, empty blocks, calls and thinking of an interrupted answer) and drops messages that become empty.
 * Another model's content is kept as far as it is readable. Signatures belong to their model and are dropped,
 * together with the signed or redacted thinking; plain thinking becomes text that is labeled as thinking.
 * The result for the beginning of a conversation does not change when the conversation grows, so that the providers'
 * caches stay valid. `callIdPattern` is the protocol's pattern for the id of a call; it must accept letters, digits,
 * `_` and `-`.
 */
export function conversationFor(
	model: Model,
	messages: readonly Message[],
	callIdPattern: RegExp = anything,
): Message[] {
	const { settled, rest } = conversationParts(model, messages, callIdPattern);
	return settled.concat(rest);
}

/** `settled` is the same list for the next request of a conversation that has grown, perhaps with more at its end. */
export function conversationParts(
	model: Model,
	messages: readonly Message[],
	callIdPattern: RegExp,
): { settled: readonly Message[]; rest: Message[] } {
	const settled = settledPart(model, messages, callIdPattern);
	const ids = new CallIds(callIdPattern, settled.ids);
	const rest: Message[] = [];
	for (const [index, message] of messages.slice(settled.given.length).entries())
		rest.push(...converted(model, messages, settled.given.length + index, message, ids));
	return { settled: settled.converted, rest };
}

function converted(
	model: Model,
	messages: readonly Message[],
	at: number,
	message: Message,
	ids: CallIds,
): Message[] {
	switch (message.role) {
		case "user":
			return withContent(model, message);
		case "assistant":
			return exchange(model, message, resultsAfter(messages, at), ids);
		case "toolResult":
			// The result is placed with its call. Without one (its answer was dropped) every provider would
			// refuse it.
			return [];
	}
}

/** The messages before the last answer: nothing that follows changes what they become. */
interface Settled {
	/** With the contents that were converted: a caller may have replaced one since. */
	readonly given: Message[];
	readonly contents: Message["content"][];
	readonly converted: Message[];
	readonly ids: CallIds;
}

/** By the first message of a conversation, for each model and pattern. */
const settledParts = new WeakMap<Model, WeakMap<RegExp, WeakMap<Message, Settled>>>();

/**
 * A conversation grows at its end, and its messages do not change: what was converted for the last request is
 * continued. With other messages at the beginning, as after a compaction, everything is converted again.
 */
function settledPart(model: Model, messages: readonly Message[], pattern: RegExp): Settled {
	const fresh: Settled = { given: [], contents: [], converted: [], ids: new CallIds(pattern) };
	const [first] = messages;
	const last = messages.findLastIndex(({ role }) => role === "assistant");
	if (!first || last <= 0) return fresh;
	const byPattern = settledParts.getOrInsertComputed(model, () => new WeakMap());
	const byFirst = byPattern.getOrInsertComputed(pattern, () => new WeakMap());
	const known = byFirst.get(first);
	const isContinued = known !== undefined && known.given.length <= last && isStart(known, messages);
	const settled = isContinued ? known : fresh;
	if (!isContinued) byFirst.set(first, settled);
	for (let at = settled.given.length; at < last; at++) {
		const message = messages[at];
		if (!message) break;
		settled.converted.push(...converted(model, messages, at, message, settled.ids));
		settled.given.push(message);
		settled.contents.push(message.content);
	}
	return settled;
}

function isStart({ given, contents }: Settled, messages: readonly Message[]): boolean {
	if (commonStart(given, messages) < given.length) return false;
	for (let at = 0; at < given.length; at++) if (given[at]?.content !== contents[at]) return false;
	return true;
}

/** A model is another one when its id or its provider differs. */
export function isAnswerOf(model: Model, answer: AssistantMessage): boolean {
	return answer.provider === model.provider && answer.model === model.id;
}

function withContent(model: Model, message: Extract<Message, { role: "user" }>): Message[] {
	const { content } = message;
	// A copy, as all others: what is made of it is kept with it.
	if (typeof content === "string") return content.trim() === "" ? [] : [{ ...message }];
	const parts = visible(model, content);
	return parts.length === 0 ? [] : [{ ...message, content: parts }];
}

/** Messages between an answer and the next may be among its results, such as a steering prompt. */
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
	const own = isAnswerOf(model, answer);
	const settled: Message[] = [];
	const blocks = sendable(answer);
	const content = (own ? blocks : blocks.flatMap(readable)).map((block): AssistantContent => {
		if (block.type !== "toolCall") return block;
		// A model may have invented a name, and each later request would be refused for it.
		const call = { ...block, id: ids.take(block.id, own), name: portable(block.name, limits.toolNameChars) };
		const index = results.findIndex((result) => result.toolCallId === block.id);
		const [result] = index < 0 ? [] : results.splice(index, 1);
		settled.push(
			result
				? { ...result, toolCallId: call.id, toolName: call.name, content: visible(model, result.content) }
				: missingResult(call.id, call.name),
		);
		return call;
	});
	return content.length === 0 ? [] : [{ ...answer, content }, ...settled];
}

function sendable(answer: AssistantMessage): AssistantContent[] {
	const broken = answer.stopReason === "error" || answer.stopReason === "aborted";
	return answer.content.filter((block) => (block.type === "text" ? block.text.trim() !== "" : !broken));
}

/** Another model's block, without the parts that only that model can read. */
function readable(block: AssistantContent): AssistantContent[] {
	switch (block.type) {
		case "text":
			return [{ type: "text", text: block.text }];
		case "thinking":
			return isPlain(block) ? [{ type: "text", text: foreignThinking(block.thinking.trim()) }] : [];
		case "toolCall": {
			const { thoughtSignature: _, ...call } = block;
			return [call];
		}
	}
}

function isPlain({ thinking, thinkingSignature, redacted }: ThinkingContent): boolean {
	if (redacted || thinking.trim() === "") return false;
	return !thinkingSignature || isThinkingField(thinkingSignature);
}

function visible(model: Model, content: (TextContent | ImageContent)[]): (TextContent | ImageContent)[] {
	const [seesImages, hears] = [model.input.includes("image"), takesAudio(model)];
	return content
		.filter((block) => block.type === "image" || block.text.trim() !== "")
		.map((block) => {
			if (block.type === "text") return block;
			if (isAudio(block)) return hears ? block : { type: "text", text: notes.audioLeftOut };
			return seesImages ? block : { type: "text", text: notes.imageLeftOut };
		});
}

function missingResult(toolCallId: string, toolName: string): ToolResultMessage {
	const content: TextContent[] = [{ type: "text", text: notes.neverRan }];
	return { role: "toolResult", toolCallId, toolName, content, isError: true, timestamp: 0 };
}

const anything = /^/;

/** Makes the ids of all calls in a conversation unique: some servers count from 0 again in each answer. */
class CallIds {
	readonly #uses = new Map<string, number>();
	readonly #pattern: RegExp;
	readonly #before: CallIds | undefined;

	/** `before`: the ids of the messages before, which stay as they are. */
	constructor(pattern: RegExp, before?: CallIds) {
		this.#pattern = pattern;
		this.#before = before;
	}

	/** A model's own ids are unchanged, as some are trained on their form; others may refuse that form. */
	take(original: string, own: boolean): string {
		const fits = own && original !== "" && this.#pattern.test(original);
		const id = fits ? original : portable(original, limits.callIdChars);
		let uses = this.#usesOf(id) ?? 0;
		let unique = id;
		while (this.#usesOf(unique) !== undefined) unique = `${id}_${++uses}`;
		this.#uses.set(id, uses);
		this.#uses.set(unique, this.#usesOf(unique) ?? 0);
		return unique;
	}

	#usesOf(id: string): number | undefined {
		return this.#uses.get(id) ?? (this.#before ? this.#before.#usesOf(id) : undefined);
	}
}

/** Uses only characters that all providers accept in a name. */
function portable(name: string, maxChars: number): string {
	return name.replaceAll(/[^\w-]/g, "_").slice(0, maxChars) || "unknown";
}
