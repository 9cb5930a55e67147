/** Describes images to a model that cannot see them, by the model of the role `vision`; each image once. */
import type { AgentMessage } from "@tau/agent";
import { isAudio, type ImageContent, type Model, type TextContent } from "@tau/ai";
import { commonStart, fill, isRecord, log as logger, withTimeout } from "@tau/utils";

import type { SessionManager } from "@tau/log";
import describe from "../prompts/describe-image.md" with { type: "text" };
import described from "../prompts/described-image.md" with { type: "text" };
import type { Behavior, SessionHandle } from "../run/behavior.ts";
import { limits } from "../run/limits.ts";

const entryType = "tau.image-description";

/** `visionModel`: the model for the one that answers; undefined if the user has set none. */
export function imageDescriptions(
	log: SessionManager,
	visionModel: (signal: AbortSignal) => Promise<Model | undefined>,
): Behavior {
	return {
		name: "image-descriptions",
		attach(session) {
			const descriptions = new Descriptions(session, log, visionModel);
			return session.hooks.contexts.add((messages, signal) => descriptions.replace(messages, signal));
		},
	};
}

type Part = TextContent | ImageContent;

class Descriptions {
	readonly #session: SessionHandle;
	readonly #log: SessionManager;
	readonly #visionModel: (signal: AbortSignal) => Promise<Model | undefined>;
	/** By the hash of the image. Null if it could not be described: it is not tried again. */
	readonly #known = new Map<string, string | null>();
	/** By the image itself, which is the same object in each request. */
	readonly #hashes = new WeakMap<object, string>();
	/** Those of the last request. */
	#seen: { messages: readonly AgentMessage[]; images: ImageContent[] } | undefined;
	#isRead = false;

	constructor(
		session: SessionHandle,
		log: SessionManager,
		visionModel: (signal: AbortSignal) => Promise<Model | undefined>,
	) {
		this.#session = session;
		this.#log = log;
		this.#visionModel = visionModel;
	}

	async replace(messages: readonly AgentMessage[], signal: AbortSignal): Promise<readonly AgentMessage[]> {
		if (this.#session.model.input.includes("image")) return messages;
		const images = this.#imagesIn(messages);
		if (images.length === 0) return messages;
		const model = await this.#visionModel(signal);
		if (!model) return messages;
		this.#readLog();
		for (const image of images.slice(-limits.describedImages)) await this.#describe(image, model, signal);
		return messages.map((message) => this.#replaced(message));
	}

	/** Asked before each request: only what is new since the last one is searched. */
	#imagesIn(messages: readonly AgentMessage[]): readonly ImageContent[] {
		const known = this.#seen;
		const isContinued = known && commonStart(known.messages, messages) === known.messages.length;
		const from = isContinued ? known.messages.length : 0;
		const found = messages.slice(from).flatMap(imagesOf);
		const images = isContinued ? known.images.concat(found) : found;
		this.#seen = { messages: messages.slice(), images };
		return images;
	}

	/** What earlier runs of the session have described. */
	#readLog(): void {
		if (this.#isRead) return;
		this.#isRead = true;
		for (const { id, type } of this.#log.getHeads()) {
			const entry = type === "custom" ? this.#log.getEntry(id) : undefined;
			if (entry?.type !== "custom" || entry.customType !== entryType || !isRecord(entry.data)) continue;
			const { image, text } = entry.data;
			if (typeof image === "string" && typeof text === "string") this.#known.set(image, text);
		}
	}

	async #describe(image: ImageContent, model: Model, signal: AbortSignal): Promise<void> {
		const hash = this.#hashOf(image);
		if (this.#known.has(hash)) return;
		using deadline = withTimeout(signal, limits.describeMs, "the description timed out");
		const content: Part[] = [{ type: "text", text: describe.trim() }, image];
		const answer = await this.#session.ask(
			{ messages: [{ role: "user", content, timestamp: Date.now() }] },
			{ signal: deadline.signal, maxTokens: limits.describeTokens, reasoning: "off" },
			model,
		);
		if (signal.aborted) return;
		this.#session.recordUsage("vision", answer);
		const name = `${model.provider}/${model.id}`;
		const description = answer.content
			.map((part) => (part.type === "text" ? part.text : ""))
			.join("")
			.trim();
		if (answer.stopReason === "error" || description === "") {
			this.#known.set(hash, null);
			this.#beside(() => this.#log.appendUsage("vision", answer.provider, answer.model, answer.usage));
			logger.warn("an image was not described", { model: name, reason: answer.errorMessage ?? "empty" });
			this.#session.notice(
				"warning",
				`${name} has not described an image: ${answer.errorMessage ?? "no text"}`,
			);
			return;
		}
		const text = fill(described, { model: name, description });
		this.#known.set(hash, text);
		this.#beside(() => {
			this.#log.appendUsage("vision", answer.provider, answer.model, answer.usage);
			this.#log.appendCustomEntry(entryType, { image: hash, text });
		});
	}

	/** Extensions that look at the branch of the conversation find what was said, and nothing else. */
	#beside(append: () => void): void {
		const leaf = this.#log.getLeafId();
		append();
		if (leaf !== null) this.#log.branch(leaf);
	}

	#replaced(message: AgentMessage): AgentMessage {
		if (imagesOf(message).length === 0 || !("content" in message) || typeof message.content === "string")
			return message;
		const content = message.content.map((part) => {
			const text = part.type === "image" ? this.#known.get(this.#hashOf(part)) : undefined;
			return typeof text === "string" ? { type: "text" as const, text } : part;
		});
		// Only images became texts, which every message with images may hold as well.
		return { ...message, content } as AgentMessage;
	}

	#hashOf(image: ImageContent): string {
		const known = this.#hashes.get(image);
		if (known !== undefined) return known;
		const hash = new Bun.CryptoHasher("sha256").update(image.data).digest("hex");
		this.#hashes.set(image, hash);
		return hash;
	}
}

function imagesOf(message: AgentMessage): ImageContent[] {
	if (!("content" in message) || typeof message.content === "string") return [];
	return message.content.filter((part) => part.type === "image").filter((part) => !isAudio(part));
}
