/** Headers that state the initiator and the content of a request, for servers that bill or route by that. */
import type { Context, Message, Model } from "../types.ts";

export function initiatorHeaders(model: Model, { messages }: Context): Record<string, string> {
	if (!model.compat?.sendInitiatorHeaders) return {};
	const isAsked = messages.at(-1)?.role === "user";
	const seesImages = model.input.includes("image") && messages.some(hasImage);
	return {
		"x-initiator": isAsked ? "user" : "agent",
		...(seesImages ? { "copilot-vision-request": "true" } : {}),
	};
}

function hasImage({ role, content }: Message): boolean {
	return role !== "assistant" && typeof content !== "string" && content.some(({ type }) => type === "image");
}
