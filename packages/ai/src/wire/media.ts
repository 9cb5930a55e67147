/** Documents and audio, which have other forms than images on the wire, and media that the vendor fetches. */
import type { Api, ImageContent, Model } from "../types.ts";

/** Vendors read documents themselves, and want a name. */
export const documentName = "document.pdf";

export function isDocument({ mimeType }: Pick<ImageContent, "mimeType">): boolean {
	return mimeType === "application/pdf";
}

export function isAudio({ mimeType }: Pick<ImageContent, "mimeType">): boolean {
	return mimeType.startsWith("audio/");
}

/** The protocols that have a form for audio in a message of the user. */
const audioApis: ReadonlySet<Api> = new Set<Api>([
	"google-generative-ai",
	"google-vertex",
	"google-gemini-cli",
	"openai-completions",
	"tau-gateway",
]);

/** Whether audio reaches the model. */
export function takesAudio({ input, api }: Pick<Model, "input" | "api">): boolean {
	return input.includes("audio") && hasAudio(api);
}

export function hasAudio(api: Api): boolean {
	return audioApis.has(api);
}

/** OpenAI's word for the format of audio; servers of the same protocol read more than its own two. */
export function audioFormat({ mimeType }: ImageContent): string {
	const format = mimeType.slice("audio/".length).replace(/^(?:x-|vnd\.)/, "");
	return { mpeg: "mp3", wave: "wav" }[format] ?? format;
}

/** Media at an address, which the vendor fetches; its data is empty. Only clients of the gateway ask so. */
export interface LinkedMedia extends ImageContent {
	url: string;
}

/** Undefined for media whose data is here. */
export function addressOf(media: ImageContent): string | undefined {
	return "url" in media && typeof media.url === "string" ? media.url : undefined;
}
