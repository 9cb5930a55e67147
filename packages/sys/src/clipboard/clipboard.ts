/** Copies text to the clipboard of the system and reads text and images from it, through the system's programs. */
import { type Env, hostProgram, hostSearchPath, withoutProviderKeys } from "@tau/utils";
import { identifyImage, type ImageType } from "../images/index.ts";
import { limits } from "../limits.ts";
import { clipboardAdvice, clipboardPrograms, type ClipboardProgram } from "./programs.ts";

export interface ClipboardOptions {
	env?: Env;
	platform?: NodeJS.Platform;
	signal?: AbortSignal;
	/** Timeout for one program. */
	timeoutMs?: number;
}

export interface ClipboardRefusal {
	ok: false;
	/** `unavailable`: no program here reaches a clipboard; `empty`: the clipboard has no data of that kind. */
	problem: "unavailable" | "empty" | "failed" | "aborted";
	message: string;
}

/** Returns which program took the text. */
export async function copyText(
	text: string,
	options: ClipboardOptions = {},
): Promise<{ ok: true; program: string } | ClipboardRefusal> {
	return firstThatWorks(options, async (program, run) => {
		const [name = ""] = program.copy;
		// The byte order mark tells clip.exe that the text is UTF-16.
		const input = Buffer.from(program.encoding ? `\ufeff${text}` : text, program.encoding ?? "utf8");
		const { failure } = await run(program.copy, input);
		return failure ?? { ok: true, program: name };
	});
}

/** The text in the clipboard; empty when there is none. */
export async function readClipboardText(
	options: ClipboardOptions = {},
): Promise<{ ok: true; text: string } | ClipboardRefusal> {
	return firstThatWorks(options, async (program, run) => {
		const { output, failure } = await run(program.paste);
		if (failure) return failure;
		return { ok: true, text: new TextDecoder().decode(output).replaceAll("\r\n", "\n") };
	});
}

/** The image in the clipboard, as PNG unless it has another type that models accept. */
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
		// Both programs fail when the clipboard is empty.
		const types = listed.failure ? [] : new TextDecoder().decode(listed.output).split(/\s+/);
		const type = imageTypes.find((candidate) => types.includes(candidate));
		if (type === undefined) return noImage;
		const { output, failure } = await run(program.pasteAs(type));
		return failure ?? imageOf(output);
	});
}

/** In order of preference. */
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
		// Bun reports only that decoding failed.
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

/** Tries the installed programs in order; if none works, the last failure is returned. */
async function firstThatWorks<T extends { ok: true }>(
	options: ClipboardOptions,
	attempt: (program: ClipboardProgram, run: Run) => Promise<T | ClipboardRefusal>,
): Promise<T | ClipboardRefusal> {
	const env = options.env ?? process.env;
	const platform = options.platform ?? process.platform;
	let last: ClipboardRefusal | undefined;
	for (const program of clipboardPrograms(env, platform)) {
		const [name = ""] = program.copy;
		if (hostProgram(name, env["PATH"] ?? "") === undefined) continue;
		const result = await attempt(program, (command, input) => runProgram(command, input, env, options));
		if (result.ok || result.problem === "aborted") return result;
		// "No image" is a better answer than that another program does not support images.
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
		const program = hostProgram(name, env["PATH"] ?? "");
		if (program === undefined) return failed("is not installed");
		await using child = Bun.spawn([program, ...command.slice(1)], {
			env: { ...withoutProviderKeys(env), PATH: hostSearchPath(env["PATH"]) },
			stdin: input ?? "ignore",
			// A program that copies stays in the background to serve the text; a pipe that it holds would never end.
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
