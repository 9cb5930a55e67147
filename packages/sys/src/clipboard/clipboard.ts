/** Copies text to the clipboard of the system and reads text and images from it, through the system's programs. */
import type { Env } from "@tau/utils";
import { identifyImage, type ImageType } from "../images/index.ts";
import { limits } from "../limits.ts";
import { clipboardAdvice, clipboardPrograms, type ClipboardProgram } from "./programs.ts";

export interface ClipboardOptions {
	env?: Env;
	platform?: NodeJS.Platform;
	signal?: AbortSignal;
	/** How long one program may take. */
	timeoutMs?: number;
}

export interface ClipboardRefusal {
	ok: false;
	/** `unavailable`: nothing here reaches a clipboard; `empty`: it holds nothing of that kind. */
	problem: "unavailable" | "empty" | "failed" | "aborted";
	message: string;
}

/** Says which program took the text. */
export async function copyText(
	text: string,
	options: ClipboardOptions = {},
): Promise<{ ok: true; program: string } | ClipboardRefusal> {
	return firstThatWorks(options, async (program, run) => {
		const [name = ""] = program.copy;
		// The mark tells clip.exe that what follows is UTF-16.
		const input = Buffer.from(program.encoding ? `\ufeff${text}` : text, program.encoding ?? "utf8");
		const { failure } = await run(program.copy, input);
		return failure ?? { ok: true, program: name };
	});
}

/** The text that lies there; empty when there is none. */
export async function readClipboardText(
	options: ClipboardOptions = {},
): Promise<{ ok: true; text: string } | ClipboardRefusal> {
	return firstThatWorks(options, async (program, run) => {
		const { output, failure } = await run(program.paste);
		if (failure) return failure;
		return { ok: true, text: new TextDecoder().decode(output).replaceAll("\r\n", "\n") };
	});
}

/** The image that lies there, as PNG unless it is of another kind that models take. */
export async function readClipboardImage(
	options: ClipboardOptions = {},
): Promise<{ ok: true; bytes: Uint8Array; mimeType: ImageType } | ClipboardRefusal> {
	const platform = options.platform ?? process.platform;
	if (platform === process.platform && (platform === "darwin" || platform === "win32")) return nativeImage();
	return firstThatWorks(options, async (program, run) => {
		if (program.pasteImage) {
			const { output, failure } = await run(program.pasteImage);
			return failure ?? imageOf(Buffer.from(new TextDecoder().decode(output), "base64"));
		}
		if (!program.types || !program.pasteAs) return noImage;
		const listed = await run(program.types);
		// Both programs fail when nothing at all lies there.
		const types = listed.failure ? [] : new TextDecoder().decode(listed.output).split(/\s+/);
		const type = imageTypes.find((wanted) => types.includes(wanted));
		if (type === undefined) return noImage;
		const { output, failure } = await run(program.pasteAs(type));
		return failure ?? imageOf(output);
	});
}

/** In the order of liking. */
const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp"];
const noImage: ClipboardRefusal = {
	ok: false,
	problem: "empty",
	message: "The clipboard contains no image.",
};

async function nativeImage(): Promise<
	{ ok: true; bytes: Uint8Array; mimeType: ImageType } | ClipboardRefusal
> {
	const image = Bun.Image.fromClipboard();
	if (!image) return noImage;
	try {
		return { ok: true, bytes: await image.png().bytes(), mimeType: "image/png" };
	} catch {
		// Bun says no more than that decoding failed.
		return { ok: false, problem: "failed", message: "Cannot read the image in the clipboard." };
	}
}

async function imageOf(
	bytes: Uint8Array,
): Promise<{ ok: true; bytes: Uint8Array; mimeType: ImageType } | ClipboardRefusal> {
	const mimeType = identifyImage(bytes)?.mimeType;
	if (mimeType === undefined) return noImage;
	return { ok: true, bytes, mimeType };
}

type Run = (
	command: readonly string[],
	input?: Uint8Array,
) => Promise<{ output: Uint8Array; failure?: ClipboardRefusal }>;

/** Tries the programs that are installed, one after the other; the last failure is the answer if none works. */
async function firstThatWorks<T extends { ok: true }>(
	options: ClipboardOptions,
	attempt: (program: ClipboardProgram, run: Run) => Promise<T | ClipboardRefusal>,
): Promise<T | ClipboardRefusal> {
	const env = options.env ?? process.env;
	const platform = options.platform ?? process.platform;
	let last: ClipboardRefusal | undefined;
	for (const program of clipboardPrograms(env, platform)) {
		const [name = ""] = program.copy;
		if (Bun.which(name, { PATH: env["PATH"] ?? "" }) === null) continue;
		const result = await attempt(program, (command, input) => runProgram(command, input, env, options));
		if (result.ok || result.problem === "aborted") return result;
		// That there is no image is a better answer than that another program knows no images.
		if (last?.problem !== "empty") last = result;
	}
	const advice = clipboardAdvice(env, platform);
	return last ?? { ok: false, problem: "unavailable", message: `No clipboard is available. ${advice}` };
}

async function runProgram(
	command: readonly string[],
	input: Uint8Array | undefined,
	env: Env,
	options: ClipboardOptions,
): Promise<{ output: Uint8Array; failure?: ClipboardRefusal }> {
	const [name = ""] = command;
	const nothing = new Uint8Array();
	const failed = (how: string): { output: Uint8Array; failure: ClipboardRefusal } => ({
		output: nothing,
		failure: { ok: false, problem: "failed", message: `${name} ${how}.` },
	});
	if (options.signal?.aborted) return { output: nothing, failure: aborted };
	try {
		await using child = Bun.spawn([...command], {
			env,
			stdin: input ?? "ignore",
			// A program that copies stays behind to serve the text; a pipe that it holds would never end.
			stdout: input ? "ignore" : "pipe",
			stderr: "ignore",
			timeout: options.timeoutMs ?? limits.clipboardMs,
			killSignal: "SIGKILL",
			maxBuffer: limits.clipboardBytes,
			...(options.signal ? { signal: options.signal } : {}),
		});
		const output = child.stdout ? await child.stdout.bytes() : nothing;
		const code = await child.exited;
		if (options.signal?.aborted) return { output: nothing, failure: aborted };
		if (code === 0) return { output };
		return failed(child.signalCode === null ? `failed with code ${code}` : "timed out");
	} catch (error) {
		return failed(error instanceof Error ? `cannot be run: ${error.message}` : "cannot be run");
	}
}

const aborted: ClipboardRefusal = {
	ok: false,
	problem: "aborted",
	message: "The clipboard request was cancelled.",
};
