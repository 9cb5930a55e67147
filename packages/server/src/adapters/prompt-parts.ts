/** A prompt of a client that sends it in parts: texts, images, audio, files that it embeds, and links to others. */
import { isAbsolute, relative } from "node:path";

import { isAudio, takesAudio, type Model } from "@tau/ai";
import { fileBlock, readMentions } from "@tau/session-commands/shared/attachments";
import { UsageError } from "@tau/utils";

import type { TurnPrompt } from "./turns.ts";

/** A file that a prompt embeds; no model takes more. */
const resourceChars = 2 * 1024 * 1024;

export type PromptPart =
	| { readonly kind: "text"; readonly text: string }
	/** An image or audio. */
	| { readonly kind: "media"; readonly data: string; readonly mimeType: string }
	| { readonly kind: "link"; readonly uri: string }
	/** The text of the client, which may not be saved. */
	| { readonly kind: "file"; readonly uri: string; readonly text: string };

type HearingModel = Pick<Model, "name" | "input" | "api">;
type Image = NonNullable<TurnPrompt["images"]>[number];

/**
 * Throws what is wrong with it. `roots`: where the files are that may be mentioned; the first is the working directory.
 * `model`: the one that is to answer.
 */
export async function promptOf(
	parts: readonly PromptPart[],
	roots: readonly [string, ...string[]],
	model: HearingModel,
): Promise<TurnPrompt> {
	const words: string[] = [];
	const files: string[] = [];
	const images: Image[] = [];
	for (const part of parts) {
		if (part.kind === "text") words.push(part.text);
		else if (part.kind === "media") images.push(mediaOf(part, model));
		else if (part.kind === "link") words.push(mentionOf(part.uri, roots[0]));
		else {
			if (part.text.length > resourceChars)
				throw new UsageError(`An embedded file has at most ${resourceChars} characters.`);
			const name = nameOf(part.uri, roots[0]);
			words.push(name);
			files.push(fileBlock(name, part.text));
		}
	}
	const userText = words.join("").trim();
	const mentions = await readMentions(userText, roots);
	const [problem] = mentions.problems;
	if (problem !== undefined) throw new UsageError(problem);
	const message = [...files, ...mentions.texts, userText].join("\n\n").trim();
	images.push(...mentions.images);
	if (message === "" && images.length === 0) throw new UsageError("The prompt is empty.");
	return {
		message,
		...(images.length > 0 ? { images } : {}),
		...(message === userText || userText === "" ? {} : { userText }),
	};
}

function mediaOf(part: Extract<PromptPart, { kind: "media" }>, model: HearingModel): Image {
	const { mimeType } = part;
	const data = part.data.replaceAll(/\s/g, "");
	if (!/^(?:image|audio)\/[\w.+-]+$/.test(mimeType))
		throw new UsageError("Only text, images and audio can be embedded.");
	if (!/^[\w+/]+={0,2}$/.test(data)) throw new UsageError("The data of an image, and of audio, is base64.");
	if (isAudio(part) && !takesAudio(model))
		throw new UsageError(`${model.name} takes no audio. Choose a model that does, such as one of Gemini's.`);
	return { type: "image", data, mimeType };
}

/** As a user would mention it: a file by its path, anything else by its address. */
function mentionOf(uri: string, cwd: string): string {
	const name = nameOf(uri, cwd);
	if (name === uri && !name.startsWith("/")) return uri;
	return /\s/.test(name) ? `@"${name}"` : `@${name}`;
}

/** A file of the project has the path that the model would use. */
function nameOf(uri: string, cwd: string): string {
	const path = pathOf(uri);
	if (path === undefined) return uri;
	const below = relative(cwd, path);
	return below === "" || below.startsWith("..") || isAbsolute(below) ? path : below;
}

/** Undefined for an address that is not a file of this machine. */
function pathOf(uri: string): string | undefined {
	if (uri.startsWith("/")) return uri;
	try {
		return uri.startsWith("file:") ? Bun.fileURLToPath(uri) : undefined;
	} catch {
		// An address of another machine.
		return undefined;
	}
}
