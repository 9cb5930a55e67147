/** Notices when a request does not begin with the one before it: then the provider's cache cannot answer it. */
import { tokensIn } from "@tau/agent";
import { toolsAtBeginning, type Context, type Message, type Model, type Tool } from "@tau/ai";
import { commonStart } from "@tau/utils";

import { limits } from "./limits.ts";

export type BreakCause =
	| "model"
	| "system prompt"
	| "tools"
	| "compaction"
	| "removed tool results"
	| "dropped items"
	| "tree"
	| "changed messages";

export interface CacheBreak {
	/** Requests of the conversation are counted from 1. */
	request: number;
	cause: BreakCause;
	/** What the provider has to read again, by estimate. */
	tokens: number;
	/** What that costs more than reading it from the cache, in US dollars, by the model's prices. */
	cost: number;
}

/** A part of a request: what it hashes to, and its length. */
interface Part {
	hash: bigint;
	chars: number;
}

interface Sent {
	model: string;
	systemPrompt: string;
	tools: Part;
	messages: readonly Message[];
}

export class PrefixWatch {
	readonly #breaks: CacheBreak[] = [];
	/** A message is hashed once, however often it is sent. */
	readonly #parts = new WeakMap<Message, Part>();
	readonly #tools = new WeakMap<Tool, Pick<Tool, "description" | "parameters"> & { part: Part }>();
	#last: Sent | undefined;
	#requests = 0;
	#expected: BreakCause | undefined;

	/** The newest are last. */
	get breaks(): readonly CacheBreak[] {
		return this.#breaks;
	}

	/** The next change of earlier messages has this cause. */
	expect(cause: BreakCause): void {
		this.#expected = cause;
	}

	observe(model: Model, context: Context): void {
		this.#requests++;
		const { provider, id, cost } = model;
		const { systemPrompt = "", messages } = context;
		const tools = toolsAtBeginning(model, context);
		const sent: Sent = {
			model: `${provider}/${id}`,
			systemPrompt,
			tools: joined(tools.map((tool) => this.#partOfTool(tool))),
			messages,
		};
		const found = this.#break(this.#last, sent);
		this.#last = sent;
		this.#expected = undefined;
		if (!found) return;
		const price = Math.max(0, cost.input - cost.cacheRead) / 1_000_000;
		this.#breaks.push({ request: this.#requests, ...found, cost: found.tokens * price });
		if (this.#breaks.length > limits.cacheBreaks) this.#breaks.shift();
	}

	/** Hashes every message that was not sent before. */
	#break(last: Sent | undefined, next: Sent): Omit<CacheBreak, "request" | "cost"> | undefined {
		const before = last?.messages ?? [];
		let at = -1;
		for (let index = commonStart(before, next.messages); index < next.messages.length; index++) {
			const [earlier, message] = [before[index], next.messages[index]];
			if (!message || earlier === message) continue;
			const { hash } = this.#partOf(message);
			if (at < 0 && earlier && this.#partOf(earlier).hash !== hash) at = index;
		}
		if (at < 0 && next.messages.length < before.length) at = next.messages.length;
		const cause = last && causeOf(last, next, at, this.#expected);
		if (!cause) return undefined;
		const isHead = cause === "model" || cause === "system prompt" || cause === "tools";
		const read = isHead ? next.messages : next.messages.slice(at);
		const head = isHead ? next.systemPrompt.length + next.tools.chars : 0;
		const chars = read.reduce((sum, message) => sum + this.#partOf(message).chars, head);
		return { cause, tokens: Math.round(tokensIn(chars)) };
	}

	#partOfTool(tool: Tool): Part {
		const { name, description, parameters } = tool;
		const known = this.#tools.get(tool);
		if (known?.description === description && known.parameters === parameters) return known.part;
		const part = partOf(JSON.stringify([name, description, parameters]));
		this.#tools.set(tool, { description, parameters, part });
		return part;
	}

	#partOf(message: Message): Part {
		const known = this.#parts.get(message);
		if (known) return known;
		const { timestamp: _, elided: __, ...sent } = message;
		const part = partOf(JSON.stringify("details" in sent ? { ...sent, details: undefined } : sent));
		this.#parts.set(message, part);
		return part;
	}
}

function partOf(text: string): Part {
	return { hash: Bun.hash.xxHash64(text), chars: text.length };
}

function joined(parts: readonly Part[]): Part {
	return {
		hash: partOf(parts.map(({ hash }) => hash).join(" ")).hash,
		chars: parts.reduce((sum, { chars }) => sum + chars, 0),
	};
}

function causeOf(
	last: Sent,
	next: Sent,
	at: number,
	expected: BreakCause | undefined,
): BreakCause | undefined {
	if (last.model !== next.model) return "model";
	if (last.systemPrompt !== next.systemPrompt) return "system prompt";
	if (last.tools.hash !== next.tools.hash) return "tools";
	if (at === -1) return undefined;
	if (expected) return expected;
	const changed = next.messages[at];
	if (changed?.role === "toolResult" && changed.elided) return "removed tool results";
	return at === 0 && next.messages.length < last.messages.length ? "compaction" : "changed messages";
}
