/** Estimates the tokens of messages that no provider has counted. */
import type { AgentMessage } from "../types.ts";
import { limits } from "./limits.ts";

/** Takes any message, also one defined by an application. */
export function estimateTokens(message: AgentMessage): number {
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

export function tokensIn(chars: number): number {
	return chars / limits.charsPerToken;
}

export function charsFor(tokens: number): number {
	return Math.floor(tokens * limits.charsPerToken);
}
