/** What a client sends as a prompt, with images, files that it embeds and links to others; and what it is answered. */
import { isAbsolute, relative } from "node:path";

import * as acp from "@agentclientprotocol/sdk/unstable";
import type { CommandFields, RunOutcome } from "@tau/wire";

import { fileBlock, readMentions } from "@tau/session-commands/shared/attachments";
import { limits } from "./limits.ts";

export type AcpPrompt = Pick<CommandFields<"prompt">, "message" | "images" | "userText">;
type Image = NonNullable<AcpPrompt["images"]>[number];

/** Throws what is wrong with it. `roots`: where the files are that may be mentioned; the first is the working directory. */
export async function promptOf(
	blocks: readonly acp.ContentBlock[],
	roots: readonly [string, ...string[]],
): Promise<AcpPrompt> {
	const words: string[] = [];
	const files: string[] = [];
	const images: Image[] = [];
	for (const block of blocks) {
		if (block.type === "text") words.push(block.text);
		else if (block.type === "image") images.push(imageOf(block.data, block.mimeType));
		else if (block.type === "resource_link") words.push(mentionOf(block.uri, roots[0]));
		else if (block.type === "audio") throw wrong("no model that Tau knows takes audio");
		else if ("blob" in block.resource)
			images.push(imageOf(block.resource.blob, block.resource.mimeType ?? ""));
		else {
			const { uri, text } = block.resource;
			if (text.length > limits.resourceChars)
				throw wrong(`an embedded file has at most ${limits.resourceChars} characters`);
			const name = nameOf(uri, roots[0]);
			words.push(name);
			// The text of the editor, which may not be saved.
			files.push(fileBlock(name, text));
		}
	}
	const userText = words.join("").trim();
	const mentions = await readMentions(userText, roots);
	const [problem] = mentions.problems;
	if (problem !== undefined) throw wrong(problem);
	const message = [...files, ...mentions.texts, userText].join("\n\n").trim();
	images.push(...mentions.images);
	if (message === "" && images.length === 0) throw wrong("the prompt is empty");
	return {
		message,
		...(images.length > 0 ? { images } : {}),
		...(message === userText || userText === "" ? {} : { userText }),
	};
}

function wrong(reason: string): acp.RequestError {
	return acp.RequestError.invalidParams(undefined, reason);
}

function imageOf(base64: string, mimeType: string): Image {
	const data = base64.replaceAll(/\s/g, "");
	if (!/^image\/[\w.+-]+$/.test(mimeType)) throw wrong("only text and images can be embedded");
	if (!/^[\w+/]+={0,2}$/.test(data)) throw wrong("the data of an image is base64");
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

/** Limits of the user that end a run, as the protocol names them. */
const exhausted: Readonly<Record<string, acp.StopReason>> = {
	turns: "max_turn_requests",
	tokens: "max_tokens",
	length: "max_tokens",
};

/** Throws why the model gave no answer. */
export function responseTo(outcome: RunOutcome, isCancelled: boolean): acp.PromptResponse {
	const { input, output, cacheRead, cacheWrite, totalTokens } = outcome.usage;
	const usage: acp.Usage = {
		totalTokens,
		inputTokens: input,
		outputTokens: output,
		cachedReadTokens: cacheRead,
		cachedWriteTokens: cacheWrite,
	};
	return { stopReason: isCancelled ? "cancelled" : stopReasonOf(outcome), usage };
}

function stopReasonOf({ answer, limit, refusal }: RunOutcome): acp.StopReason {
	if (refusal !== undefined) throw acp.RequestError.internalError({ reason: refusal }, refusal);
	const known = limit === undefined ? undefined : exhausted[limit];
	if (known) return known;
	const { stopReason, failure, errorMessage = "the model did not answer" } = answer ?? {};
	if (stopReason === "aborted") return "cancelled";
	if (stopReason === "length") return "max_tokens";
	if (stopReason !== "error") return "end_turn";
	if (failure?.kind === "refusal") return "refusal";
	const data = { kind: failure?.kind ?? "unknown" };
	const reason = failure?.message ?? errorMessage;
	throw failure?.kind === "auth"
		? acp.RequestError.authRequired(data, reason)
		: acp.RequestError.internalError(data, reason);
}
