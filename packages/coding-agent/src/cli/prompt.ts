/** Puts the prompt together: what was piped in, the `@files`, the words. */
import { fstatSync } from "node:fs";
import { extname, resolve } from "node:path";

import type { ImageContent } from "@tau/ai";
import { timer } from "@tau/utils";

import type { Prompt } from "../session/index.ts";
import { UsageError, type Args } from "./args.ts";
import { limits } from "./limits.ts";

const imageTypes: Readonly<Record<string, string>> = {
	".png": "image/png",
	".jpg": "image/jpeg",
	".jpeg": "image/jpeg",
	".gif": "image/gif",
	".webp": "image/webp",
};

/** Undefined when there is nothing to say. */
export async function readPrompt(args: Args, cwd: string): Promise<Prompt | undefined> {
	const texts: string[] = [];
	const images: ImageContent[] = [];
	for (const path of args.files) {
		const content = await readFileArgument(path, cwd);
		if (typeof content === "string") texts.push(content);
		else images.push(content);
	}
	const piped = hasPipedInput() ? (await readStdin()).trimEnd() : "";
	if (piped !== "") texts.push(piped);
	if (args.messages.length > 0) texts.push(args.messages.join(" "));
	const text = texts.join("\n\n");
	if (text === "" && images.length === 0) return undefined;
	return images.length > 0 ? { text, images } : { text };
}

async function readFileArgument(path: string, cwd: string): Promise<string | ImageContent> {
	const file = Bun.file(resolve(cwd, path));
	const info = await file.stat().catch((error: NodeJS.ErrnoException) => error);
	if (info instanceof Error) {
		throw new UsageError(
			info.code === "ENOENT"
				? `@${path}: there is no such file.`
				: `@${path}: cannot be read: ${info.message}`,
		);
	}
	if (info.isDirectory()) throw new UsageError(`@${path} is a directory; name a file in it.`);
	if (info.size > limits.fileBytes)
		throw new UsageError(`@${path} has ${info.size} bytes; the limit is ${limits.fileBytes}.`);
	const bytes = await file.bytes().catch((error: Error) => {
		throw new UsageError(`@${path}: cannot be read: ${error.message}`);
	});
	const mimeType = imageTypes[extname(path).toLowerCase()];
	if (mimeType) return { type: "image", mimeType, data: bytes.toBase64() };
	if (bytes.includes(0)) throw new UsageError(`@${path} is a binary file; only text and images can be sent.`);
	return `<file name="${path}">\n${new TextDecoder().decode(bytes)}\n</file>`;
}

/** A terminal and /dev/null are character devices; what was piped or redirected is not. */
function hasPipedInput(): boolean {
	try {
		return !fstatSync(0).isCharacterDevice();
	} catch {
		// Standard input is closed: there is nothing to read.
		return false;
	}
}

async function readStdin(): Promise<string> {
	using _hint = timer(limits.stdinHintMs, () => {
		if (process.stderr.isTTY) process.stderr.write("tau: waiting for standard input to end\n");
	});
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of Bun.stdin.stream()) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > limits.stdinBytes) {
			throw new UsageError(`Standard input has more than ${limits.stdinBytes} bytes.`);
		}
	}
	return text + decoder.decode();
}
