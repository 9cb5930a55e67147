/** Estimates the tokens of messages that no provider has counted. */
import type { AgentMessage } from "../types.ts";
import { limits } from "./limits.ts";

/** Takes any message, also one defined by an application. */
export function estimateTokens(message: AgentMessage): number {
	// A function for each value takes ten times as long: most messages are only text.
	if (isText(message))
		return Math.ceil(tokensIn(JSON.stringify({ ...message, details: undefined, usage: undefined }).length));
	let images = 0;
	const text = JSON.stringify(message, function (this: { tokens?: unknown }, key, value: unknown) {
		// Models do not see details, and an image is not counted as its base64 text.
		if (key === "details" || key === "usage") return undefined;
		if (key !== "data") return value;
		images += typeof this.tokens === "number" ? this.tokens : limits.tokensPerImage;
		return undefined;
	});
	return Math.ceil(tokensIn(text.length) + images);
}

function isText(message: AgentMessage): boolean {
	if (!("content" in message)) return false;
	const { content } = message;
	return typeof content === "string" || content.every(({ type }) => type === "text");
}

export function tokensIn(chars: number): number {
	return chars / limits.charsPerToken;
}

export function charsFor(tokens: number): number {
	return Math.floor(tokens * limits.charsPerToken);
}
