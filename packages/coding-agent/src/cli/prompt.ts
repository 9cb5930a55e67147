/** Puts the prompt together: what was piped in, the `@files`, the words. */
import { extname, resolve } from "node:path";
import type { ImageContent } from "@tau/ai";
import { expandHome, UsageError } from "@tau/utils";
import type { Prompt } from "@tau/session";
import type { Args } from "./args.ts";
import { limits } from "./limits.ts";
import { pipedChunks } from "./piped-input.ts";

const imageTypes: Readonly<Record<string, string>> = {
	".png": "image/png",
	".jpg": "image/jpeg",
	".jpeg": "image/jpeg",
	".gif": "image/gif",
	".webp": "image/webp",
};

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
		const content = await readFileArgument(path, cwd);
		if (typeof content === "string") texts.push(content);
		else images.push(content);
	}
	const [first = "", ...rest] = messagesOf(args);
	const hasOther = first !== "" || texts.length > 0 || images.length > 0;
	const input = piped ? (await readPiped(piped, hasOther)).trimEnd() : "";
	// Piped text beside a prompt is material: it is marked as such, so that nobody takes it for the user's prompt.
	if (input !== "") texts.push(first === "" ? input : fileBlock("stdin", input));
	if (first !== "") texts.push(first);
	const text = texts.join("\n\n");
	if (text.trim() === "" && images.length === 0) return [];
	const prompt: Prompt = {
		text,
		...(images.length > 0 ? { images } : {}),
		...(first === "" || first === text ? {} : { userText: first }),
	};
	return [prompt, ...rest.map((message) => ({ text: message }))];
}

/** With `-p` each argument is a prompt, as in pi; otherwise bare words form one prompt: `tau fix the tests`. */
function messagesOf({ messages, flags }: Pick<Args, "messages" | "flags">): string[] {
	const value = messages.filter((message) => message.trim() !== "");
	return flags.has("print") || value.length === 0 ? value : [value.join(" ")];
}

function fileBlock(name: string, content: string): string {
	return `<file name="${name}">\n${content}\n</file>`;
}

async function readFileArgument(path: string, cwd: string): Promise<string | ImageContent> {
	const file = Bun.file(resolve(cwd, expandHome(path)));
	const info = await file.stat().catch((error: NodeJS.ErrnoException) => error);
	if (info instanceof Error) {
		throw new UsageError(
			info.code === "ENOENT" ? `@${path}: file not found.` : `@${path}: cannot read it: ${info.message}`,
		);
	}
	if (info.isDirectory()) throw new UsageError(`@${path} is a directory. Name a file in it.`);
	// A shell's <(command) is a pipe; a device such as /dev/zero has no end.
	if (!info.isFile() && !info.isFIFO()) throw new UsageError(`@${path} is neither a file nor a pipe.`);
	const bytes = await readWhole(file.stream(), `@${path}`);
	const mimeType = imageTypes[extname(path).toLowerCase()];
	if (mimeType) return { type: "image", mimeType, data: bytes.toBase64() };
	return fileBlock(path, decodeText(bytes, `@${path}`));
}

async function readPiped(piped: Blob, hasOther: boolean): Promise<string> {
	const name = "Standard input";
	return decodeText(await readWhole(pipedChunks(piped, hasOther), name), name);
}

/** Counts while reading: a pipe does not report its length in advance. */
async function readWhole(from: AsyncIterable<Uint8Array>, name: string): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	try {
		for await (const chunk of from) {
			size += chunk.length;
			if (size > limits.inputBytes) break;
			chunks.push(chunk);
		}
	} catch (error) {
		throw new UsageError(
			`${name}: cannot read it: ${error instanceof Error ? error.message : String(error)}`,
		);
	}
	if (size > limits.inputBytes) throw new UsageError(`${name} is larger than ${limits.inputBytes} bytes.`);
	return Buffer.concat(chunks);
}

function decodeText(bytes: Uint8Array, name: string): string {
	if (bytes.includes(0)) throw new UsageError(`${name} is binary. Only text and images can be sent.`);
	return new TextDecoder().decode(bytes);
}
