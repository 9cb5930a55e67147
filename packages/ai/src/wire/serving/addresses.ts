/** Media by address: they go to vendors that fetch them, and are dropped and named where a protocol has bytes alone. */
import type { Api, Context, ImageContent, Message } from "../../types.ts";
import { addressOf, isDocument } from "../media.ts";
import { anyImage } from "./read.ts";

/** What the vendor of a protocol fetches. The others of OpenAI's protocols, and all that are not listed, take bytes. */
const fetches: Readonly<Record<string, (media: ImageContent) => boolean>> = {
	"anthropic-messages": () => true,
	"openai-completions": (media) => !isDocument(media),
	"openai-responses": () => true,
	"azure-openai-responses": () => true,
	// Google has to be told what it will find.
	"google-generative-ai": ({ mimeType }) => mimeType !== anyImage,
	"google-vertex": ({ mimeType }) => mimeType !== anyImage,
};

/** The context without what the protocol cannot take, and the names of that. */
export function withoutAddresses(api: Api, context: Context): { context: Context; dropped: string[] } {
	const dropped = new Set<string>();
	const isTaken = (media: ImageContent): boolean => {
		const isFetched = addressOf(media) === undefined || fetches[api]?.(media) === true;
		if (!isFetched) dropped.add(isDocument(media) ? "document.url" : "image.url");
		return isFetched;
	};
	const messages = context.messages.map((message): Message => {
		if (message.role === "assistant" || typeof message.content === "string") return message;
		return { ...message, content: message.content.filter((part) => part.type !== "image" || isTaken(part)) };
	});
	return { context: dropped.size === 0 ? context : { ...context, messages }, dropped: [...dropped] };
}
