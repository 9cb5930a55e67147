/** Builds the prompt from piped input, `@files` and arguments. */
import type { ImageContent } from "@tau/ai";
import type { Prompt } from "@tau/session";

import type { Args } from "./args.ts";
import { pipedChunks } from "./piped-input.ts";

/**
 * The prompts in order, each a turn of one conversation; none when there is nothing to say. Files and what was piped in
 * (`pipedInput` finds it) go along with the first.
 */
export async function readPrompts(
	args: Pick<Args, "files" | "messages" | "flags">,
	cwd: string,
	piped: Blob | undefined,
): Promise<Prompt[]> {
	const texts: string[] = [];
	const images: ImageContent[] = [];
	for (const path of args.files) {
		const { readAttachment } = await attachments();
		const attachment = await readAttachment(path, cwd);
		if (attachment.kind === "text") texts.push(attachment.text);
		else images.push(attachment.image);
	}
	const [first = "", ...rest] = messagesOf(args);
	// As it would be written in the editor: what is shown, and what is sent again when the user goes back to it.
	const written = [...args.files.map(mentionOf), first].filter(Boolean).join(" ");
	const hasFiles = texts.length > 0;
	const hasOther = first !== "" || texts.length > 0 || images.length > 0;
	const input = piped ? (await readPiped(piped, hasOther)).trimEnd() : "";
	// Piped text beside a prompt is material: it is marked as such, so that it is not mistaken for the user's prompt.
	if (input !== "") texts.push(first === "" ? input : (await attachments()).fileBlock("stdin", input));
	if (first !== "") texts.push(first);
	const text = texts.join("\n\n");
	if (text.trim() === "" && images.length === 0) return [];
	const prompt: Prompt = {
		text,
		...(images.length > 0 ? { images } : {}),
		...(first === "" || first === text ? {} : { userText: first }),
		...(hasFiles ? { invocation: written } : {}),
	};
	return [prompt, ...rest.map((message) => ({ text: message }))];
}

/**
 * Bare words form one prompt: `tau fix the tests`, `tau -p fix the tests`. With `-p` and an argument of several words,
 * each argument is a prompt, as in pi: `tau -p "fix the tests" "now commit"`.
 */
function messagesOf({ messages, flags }: Pick<Args, "messages" | "flags">): string[] {
	const value = messages.filter((message) => message.trim() !== "");
	const areSeparate = flags.has("print") && value.some((message) => /\s/.test(message.trim()));
	return areSeparate || value.length === 0 ? value : [value.join(" ")];
}

function mentionOf(path: string): string {
	return /\s/.test(path) ? `@"${path}"` : `@${path}`;
}

/** Most prompts have no files, and nothing is piped in. */
const attachments = () => import("@tau/session-commands/shared/attachments");

async function readPiped(piped: Blob, hasOther: boolean): Promise<string> {
	const name = "Standard input";
	const { decodeText, readWhole } = await attachments();
	return decodeText(await readWhole(pipedChunks(piped, hasOther), name), name);
}
