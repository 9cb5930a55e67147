/** Media that a protocol has no form for, or only as bytes: they are dropped and named. */
import type { Api, Context, ImageContent, Message } from "../../types.ts";
import { addressOf, hasAudio, isAudio, isDocument } from "../media.ts";
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

/** Google's own, and ours, which passes them on. */
const anyMedia: ReadonlySet<Api> = new Set<Api>([
	"google-generative-ai",
	"google-vertex",
	"google-gemini-cli",
	"tau-gateway",
]);

/** Whether the protocol has a form for the bytes. */
function hasForm(api: Api, media: ImageContent): boolean {
	if (media.mimeType.startsWith("image/") || anyMedia.has(api)) return true;
	if (isAudio(media)) return hasAudio(api);
	return isDocument(media) && api !== "ollama-chat";
}

/** The context without what the protocol cannot take, and the names of that. */
export function withoutForeignMedia(api: Api, context: Context): { context: Context; dropped: string[] } {
	const dropped = new Set<string>();
	const isTaken = (media: ImageContent): boolean => {
		const kind = isDocument(media) ? "document" : media.mimeType.replace(/\/.*/, "");
		const isFetched = addressOf(media) === undefined || fetches[api]?.(media) === true;
		if (!isFetched) dropped.add(`${kind}.url`);
		else if (!hasForm(api, media)) dropped.add(kind);
		else return true;
		return false;
	};
	const messages = context.messages.map((message): Message => {
		if (message.role === "assistant" || typeof message.content === "string") return message;
		return { ...message, content: message.content.filter((part) => part.type !== "image" || isTaken(part)) };
	});
	return { context: dropped.size === 0 ? context : { ...context, messages }, dropped: [...dropped] };
}
