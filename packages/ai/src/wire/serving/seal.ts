/**
 * Wraps what only its own provider can read (signatures, encrypted reasoning) for a client that speaks another
 * protocol: the client sends it back as it came, and the provider gets exactly its own bytes again.
 */
import { isObject, parseObject, string } from "../../json.ts";
import type { AssistantContent, AssistantMessage } from "../../types.ts";
import { noUsage } from "../../usage.ts";

export interface Sealed {
	provider: string;
	model: string;
	/** Of the thinking block that carries this. */
	signature?: string;
	redacted?: boolean;
	/** Signatures of the texts of an answer and of thoughts that were signed late, by their order, and of its calls, by their ids. */
	texts?: Record<string, string>;
	thoughts?: Record<string, string>;
	calls?: Record<string, string>;
	/** The blocks of an answer in their order, for protocols that join them: how long each is, or the id of a call. */
	layout?: Layout;
}

export type Layout = [type: AssistantContent["type"], length: number | string][];

/** Base64 of `{"tau":1,`. Base64, because Google's clients read a signature as bytes. */
const mark = "eyJ0YXUiOjEs";

export function seal(sealed: Sealed): string {
	return Buffer.from(`{"tau":1,${JSON.stringify(sealed).slice(1)}`).toString("base64");
}

export function unseal(text: unknown): Sealed | undefined {
	if (typeof text !== "string" || !text.startsWith(mark)) return undefined;
	const value = parseObject(Buffer.from(text, "base64").toString());
	if (!value) return undefined;
	return {
		provider: string(value.provider),
		model: string(value.model),
		...(typeof value.signature === "string" ? { signature: value.signature } : {}),
		...(value.redacted === true ? { redacted: true } : {}),
		...(isObject(value.texts) ? { texts: strings(value.texts) } : {}),
		...(isObject(value.thoughts) ? { thoughts: strings(value.thoughts) } : {}),
		...(isObject(value.calls) ? { calls: strings(value.calls) } : {}),
		...(Array.isArray(value.layout) ? { layout: value.layout as Layout } : {}),
	};
}

function strings(values: Record<string, unknown>): Record<string, string> {
	const pairs = Object.entries(values).filter(
		(pair): pair is [string, string] => typeof pair[1] === "string",
	);
	return Object.fromEntries(pairs);
}

/** The seal of one thinking block; undefined if the block has nothing that is to come back. */
export function sealThinking(
	message: Pick<AssistantMessage, "provider" | "model">,
	block: AssistantContent | undefined,
): string | undefined {
	if (block?.type !== "thinking" || !block.thinkingSignature) return undefined;
	const { provider, model } = message;
	return seal({
		provider,
		model,
		signature: block.thinkingSignature,
		...(block.redacted ? { redacted: true } : {}),
	});
}

/** The seal of the text at an index, for a client that gets it before the text. */
export function sealText({ provider, model, content }: AssistantMessage, index: number): string {
	const order = content.slice(0, index).filter(({ type }) => type === "text").length;
	const block = content[index];
	return seal({ provider, model, texts: { [order]: (block?.type === "text" && block.textSignature) || "" } });
}

/**
 * The seal of everything that is signed outside of thinking, and of the thinking after whose end the signature came;
 * undefined if there is nothing. `unsealed` says which thinking blocks were sent without theirs, by index, and
 * `sealedTexts` which texts with it.
 */
export function sealRest(
	{ provider, model, content }: AssistantMessage,
	unsealed: ReadonlySet<number> = new Set(),
	layout?: Layout,
	sealedTexts: ReadonlyMap<number, string> = new Map(),
): string | undefined {
	const [texts, thoughts, calls]: Record<string, string>[] = [{}, {}, {}];
	const order = { text: 0, thinking: 0 };
	for (const [index, block] of content.entries()) {
		if (block.type === "toolCall") put(calls, block.id, block.thoughtSignature);
		if (block.type === "text") {
			const { textSignature } = block;
			put(texts, order.text++, sealedTexts.get(index) === textSignature ? undefined : textSignature);
		}
		if (block.type === "thinking") {
			put(thoughts, order.thinking, unsealed.has(index) ? block.thinkingSignature : undefined);
			order.thinking++;
		}
	}
	const parts = Object.entries({ texts, thoughts, calls }).filter(
		([, part]) => Object.keys(part ?? {}).length > 0,
	);
	if (parts.length === 0 && !layout) return undefined;
	return seal({ provider, model, ...Object.fromEntries(parts), ...(layout ? { layout } : {}) });
}

/** For a protocol that sends all thinking, all text and all calls together; undefined if nothing is lost by that. */
export function layoutOf({ content }: AssistantMessage): Layout | undefined {
	const types = content.map(({ type }) => type).join(" ");
	if (/^(?:thinking ?)?(?:text ?)?(?:toolCall ?)*$/.test(types)) return undefined;
	return content.map((block) => {
		if (block.type === "toolCall") return [block.type, block.id];
		return [block.type, (block.type === "text" ? block.text : block.thinking).length];
	});
}

function put(
	into: Record<string, string> | undefined,
	name: string | number,
	signature: string | undefined,
): void {
	if (into && signature) into[name] = signature;
}

/** A thinking block that a client sent back. Without a seal its signature is another provider's, and readable text stays. */
export function restoredThinking(
	thinking: string,
	signature: unknown,
	seals: Sealed[],
	redacted = false,
): AssistantContent[] {
	const sealed = unseal(signature);
	if (sealed) {
		seals.push(sealed);
		// A seal of the rest stands in a block of its own, which the model did not write.
		if (sealed.signature === undefined) return [];
		return [
			{
				type: "thinking",
				thinking,
				thinkingSignature: sealed.signature,
				...(sealed.redacted ? { redacted: true } : {}),
			},
		];
	}
	const own = string(signature);
	return [
		{
			type: "thinking",
			thinking,
			...(own ? { thinkingSignature: own } : {}),
			...(redacted ? { redacted } : {}),
		},
	];
}

/** An answer that a client sent back: of the model that sealed it, or of an unknown one. */
export function restoredAnswer(
	blocks: readonly AssistantContent[],
	seals: readonly Sealed[],
): AssistantMessage {
	const [texts, thoughts, calls] = (["texts", "thoughts", "calls"] as const).map(
		(part) => new Map(seals.flatMap((sealed) => Object.entries(sealed[part] ?? {}))),
	);
	const order = { text: 0, thinking: 0 };
	const content = blocks.map((block): AssistantContent => {
		switch (block.type) {
			case "text": {
				const textSignature = texts?.get(String(order.text++));
				return textSignature === undefined ? block : { ...block, textSignature };
			}
			case "thinking": {
				const thinkingSignature = thoughts?.get(String(order.thinking++));
				if (thinkingSignature === undefined) return block;
				return { ...block, thinkingSignature, ...(block.thinking === "" ? { redacted: true } : {}) };
			}
			case "toolCall": {
				const thoughtSignature = calls?.get(block.id);
				return thoughtSignature === undefined ? block : { ...block, thoughtSignature };
			}
		}
	});
	const { provider = "", model = "" } = seals[0] ?? {};
	return {
		role: "assistant",
		content,
		api: "",
		provider,
		model,
		usage: noUsage(),
		stopReason: content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop",
		timestamp: 0,
	};
}
