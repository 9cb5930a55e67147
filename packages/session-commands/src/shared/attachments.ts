/** What a prompt attaches: a file, some lines of one, the names in a directory, or an image. */
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve, sep } from "node:path";

import type { ImageContent } from "@tau/ai";
import type { Settings } from "@tau/config/settings";
import { errorText, expandHome, lookAlikeName, UsageError } from "@tau/utils";

/** The bounds of what is attached, each with its reason. */
const limits = {
	/** More than this, from a pipe or in one file, is not a prompt; no model takes it. */
	inputBytes: 16 * 1024 * 1024,
	/** An image is scaled down before it is sent; what decodes it takes no more. */
	imageBytes: 64 * 1024 * 1024,
	/** The names of a directory; a longer list is for `find`. */
	entries: 500,
	/** Mentions in one prompt; a text with more is not about files. */
	mentions: 20,
	/** A mentioned file that is larger stays a mention, and the model reads what it needs of it. */
	mentionBytes: 50 * 1024,
} as const;

export type Attachment = { kind: "text"; text: string } | { kind: "image"; image: ImageContent };

/** A file or directory as a prompt names it: `src/a.ts`, `src/a.ts:10-40`, `src/a.ts#L10-40`, `src/`. */
interface Target {
	/** As typed, without the lines. */
	path: string;
	file: string;
	lines?: { from: number; to: number };
}

/** Finds what a prompt names without reading it. Throws a `UsageError` with the reason if it cannot be sent. */
export async function findAttachment(
	written: string,
	cwd: string,
): Promise<Target & { isDirectory: boolean }> {
	const target = await targetOf(written, cwd);
	const { path, file } = target;
	const info = await stat(file).catch((error: NodeJS.ErrnoException) => error);
	if (info instanceof Error)
		throw new UsageError(
			info.code === "ENOENT" ? `@${path}: file not found.` : `@${path}: cannot read it: ${info.message}`,
		);
	const isDirectory = info.isDirectory();
	// A shell's <(command) is a pipe; a device such as /dev/zero has no end.
	if (!isDirectory && !info.isFile() && !info.isFIFO())
		throw new UsageError(`@${path} is neither a file nor a pipe.`);
	return { ...target, isDirectory };
}

/** Reads what a prompt names. Throws a `UsageError` with the reason if it cannot be sent. */
export async function readAttachment(written: string, cwd: string): Promise<Attachment> {
	const { path, file, lines, isDirectory } = await findAttachment(written, cwd);
	if (isDirectory) return { kind: "text", text: await listing(path, file) };
	const isNamedImage = imageEndings.has(extname(path).toLowerCase());
	const most = isNamedImage ? limits.imageBytes : limits.inputBytes;
	const bytes = await readWhole(Bun.file(file).stream(), `@${path}`, most);
	if (isNamedImage || (await hasImage(bytes))) return { kind: "image", image: await imageOf(path, bytes) };
	const text = decodeText(bytes, `@${path}`);
	return { kind: "text", text: lines ? lineBlock(path, text, lines) : fileBlock(path, text) };
}

export function fileBlock(name: string, content: string): string {
	return `<file name="${escapeName(name)}">\n${content}\n</file>`;
}

/** A file may have any name; the name of a block ends at the quote. */
function escapeName(name: string): string {
	return name.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("\n", "&#10;");
}

function unescapeName(name: string): string {
	return name.replaceAll("&#10;", "\n").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

/** Counts while reading: a pipe does not report its length in advance. */
export async function readWhole(
	from: AsyncIterable<Uint8Array>,
	name: string,
	maxBytes: number = limits.inputBytes,
): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	try {
		for await (const chunk of from) {
			size += chunk.length;
			if (size > maxBytes) break;
			chunks.push(chunk);
		}
	} catch (error) {
		throw new UsageError(`${name}: ${errorText(error)}`);
	}
	if (size > maxBytes) throw new UsageError(`${name} is larger than ${maxBytes} bytes.`);
	return Buffer.concat(chunks);
}

export function decodeText(bytes: Uint8Array, name: string): string {
	if (bytes.includes(0)) throw new UsageError(`${name} is binary. Only text and images can be sent.`);
	return new TextDecoder().decode(bytes);
}

/** A file may have a name that ends like a range of lines: then it is that file. */
async function targetOf(written: string, cwd: string): Promise<Target> {
	const whole = { path: written, file: await fileOf(written, cwd) };
	const parts = /^(.+?)(?::(\d+)(?:-(\d+))?|#L(\d+)(?:-L?(\d+))?)$/.exec(written);
	if (!parts || (await exists(whole.file))) return whole;
	const [, path = written, from = parts[4], to = parts[5] ?? from] = parts;
	return {
		path,
		file: await fileOf(path, cwd),
		lines: { from: Math.max(Number(from), 1), to: Number(to) },
	};
}

/** The only file with a name that looks like the typed one is meant if there is none with exactly this name. */
async function fileOf(path: string, cwd: string): Promise<string> {
	const file = resolve(cwd, expandHome(path));
	if (await exists(file)) return file;
	// A directory that cannot be listed has no such file.
	const names = await readdir(dirname(file)).catch(() => []);
	const alike = lookAlikeName(basename(file), names);
	return alike === undefined ? file : join(dirname(file), alike);
}

async function exists(file: string): Promise<boolean> {
	return await stat(file).then(
		() => true,
		() => false,
	);
}

function lineBlock(path: string, text: string, { from, to }: { from: number; to: number }): string {
	const lines = text.replace(/\n$/, "").split("\n");
	if (from > lines.length || to < from)
		throw new UsageError(`@${path}:${from}-${to}: the last line of the file is ${lines.length}.`);
	const last = Math.min(to, lines.length);
	return partBlock(path, { from, to: last }, lines.slice(from - 1, last).join("\n"));
}

/** Some lines of a file. */
export function partBlock(path: string, { from, to }: { from: number; to: number }, text: string): string {
	return `<file name="${escapeName(path)}" lines="${from}-${to}">\n${text}\n</file>`;
}

async function listing(path: string, directory: string): Promise<string> {
	const entries = await readdir(directory, { withFileTypes: true }).catch((error: Error) => {
		throw new UsageError(`@${path}: cannot read it: ${error.message}`);
	});
	const names = entries
		.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
		// A name with a line break must not look like two.
		.map((name) => (/\p{Cc}/u.test(name) ? JSON.stringify(name) : name))
		.toSorted((a, b) => a.localeCompare(b));
	const more = names.length - limits.entries;
	const shown = more > 0 ? [...names.slice(0, limits.entries), `[${more} more]`] : names;
	return `<directory name="${escapeName(path)}">\n${shown.join("\n")}\n</directory>`;
}

/** An image may have any name; text never has a zero byte. */
async function hasImage(bytes: Uint8Array): Promise<boolean> {
	return bytes.includes(0) && (await import("./images-on-demand.ts")).identifyImage(bytes) !== undefined;
}

async function imageOf(path: string, bytes: Uint8Array): Promise<ImageContent> {
	const image = await promptImage(bytes);
	if (typeof image === "string") throw new UsageError(`@${path}: ${image}`);
	return image;
}

/** The current directory and those that the user added to the work. */
export function workDirectories(cwd: string, settings: Pick<Settings, "get">): string[] {
	const added = settings.get("additionalDirectories").map((path) => resolve(cwd, expandHome(path)));
	return [...new Set([cwd, ...added])];
}

export interface Mentions {
	/** Files and directories, in the order in which they are mentioned. */
	texts: string[];
	images: ImageContent[];
	/** Why something that is mentioned is not attached. */
	problems: string[];
}

/** `@path`, in quotes if it contains spaces; not within a word such as an address. */
const mention = /(?<![^\s("'`])@(?:"([^"\n]+)"|([^\s"'`]+))/g;

/**
 * Reads what a text of the user mentions. Text and directories have to be in one of the roots: a pasted text must not
 * attach keys from the home directory. A word that names no file is only a word.
 */
export async function readMentions(text: string, roots: readonly string[]): Promise<Mentions> {
	const result: Mentions = { texts: [], images: [], problems: [] };
	const written = [...text.matchAll(mention)].map(([, quoted, plain]) => quoted ?? plain ?? "");
	const allowed = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
	for (const word of [...new Set(written)].slice(0, limits.mentions)) {
		const path = await mentionedPath(word, roots[0] ?? ".", allowed);
		if (path === undefined) continue;
		try {
			const attachment = await readAttachment(path, roots[0] ?? ".");
			if (attachment.kind === "image") result.images.push(attachment.image);
			else if (attachment.text.length <= limits.mentionBytes) result.texts.push(attachment.text);
		} catch (error) {
			// A binary file is mentioned for the model to work on.
			const isBinary = error instanceof UsageError && error.message.includes("is binary");
			if (!isBinary) result.problems.push(error instanceof Error ? error.message : String(error));
		}
	}
	return result;
}

/** The path of a mention that is to be attached; a full stop behind it is not part of it. */
async function mentionedPath(
	word: string,
	cwd: string,
	allowed: readonly string[],
): Promise<string | undefined> {
	for (const candidate of new Set([word, word.replace(/[.,;:!?)\]}>]+$/, "")])) {
		const { path, file, lines } = await targetOf(candidate, cwd);
		const info = await stat(file).catch(() => undefined);
		if (!info) continue;
		if (imageEndings.has(extname(path).toLowerCase())) return info.isFile() ? candidate : undefined;
		// A directory without a slash may be an ordinary word.
		if (info.isDirectory() ? !candidate.endsWith("/") : !info.isFile()) return undefined;
		// Looked at before it is read: a huge file costs nothing.
		if (info.isFile() && info.size > (lines ? limits.inputBytes : limits.mentionBytes)) return undefined;
		const real = await realpath(file);
		return allowed.some((root) => real === root || real.startsWith(root + sep)) ? candidate : undefined;
	}
	return undefined;
}

export interface Attached {
	name: string;
	kind: "file" | "directory";
	/** The lines of a part of a file. */
	lines?: string;
	/** Lines, or names of a directory. */
	count: number;
}

const block =
	/<(?<kind>file|directory) name="(?<name>[^"\n]*)"(?: lines="(?<lines>[\d-]+)")?>\n(?<content>[^]*?)\n<\/\k<kind>>(?:\n\n|$)/y;

/** The files at the beginning of a message for the model, for a view that names them only. */
export function attachedIn(text: string): Attached[] {
	const attached: Attached[] = [];
	block.lastIndex = 0;
	for (let match = block.exec(text); match?.groups; match = block.exec(text)) {
		const { kind = "", name = "", lines, content = "" } = match.groups;
		attached.push({
			name: unescapeName(name),
			kind: kind === "directory" ? kind : "file",
			...(lines === undefined ? {} : { lines }),
			count: content === "" ? 0 : content.replace(/\n$/, "").split("\n").length,
		});
	}
	return attached;
}

export const imageEndings: ReadonlySet<string> = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"]);

/** An image of a prompt, as models accept it: from the command line, the clipboard, or a dropped file. Otherwise the reason why it cannot be sent. */
export async function promptImage(bytes: Uint8Array): Promise<ImageContent | string> {
	const { fitImage } = await import("./images-on-demand.ts");
	const fitted = await fitImage(bytes);
	if (!fitted.ok) return fitted.message;
	return { type: "image", mimeType: fitted.mimeType, data: fitted.bytes.toBase64() };
}
