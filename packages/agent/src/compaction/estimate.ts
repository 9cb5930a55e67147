/** Estimates what messages cost, where no provider has counted them. */
import type { AgentMessage } from "../types.ts";
import { limits } from "./limits.ts";

/** Any message, also one of an application. */
export function estimateTokens(message: AgentMessage): number {
	let images = 0;
	const text = JSON.stringify(message, (key, value: unknown) => {
		// Models do not see details, and a picture is not read as the text that it is sent as.
		if (key === "details" || key === "usage") return undefined;
		if (key !== "data") return value;
		images++;
		return undefined;
	});
	return Math.ceil(tokensIn(text.length) + images * limits.tokensPerImage);
}

export function tokensIn(chars: number): number {
	return chars / limits.charsPerToken;
}

export function charsFor(tokens: number): number {
	return Math.floor(tokens * limits.charsPerToken);
}
