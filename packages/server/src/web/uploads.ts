/** Files that a page adds to a prompt: written in parts beside the session, and read by the session as its tool would. */
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";

import type { Attachment } from "@tau/agent";
import { artifactsDir } from "@tau/log";
import { fileBlock, imageEndings, promptImage } from "@tau/session-commands/shared/attachments";
import { cutUtf8, errorText, oneLine, shortId, timer } from "@tau/utils";
import { HttpError } from "@tau/web/server";

import { askSession } from "../local/ask-session.ts";
import { limits } from "./limits.ts";
import type { WebSessions } from "./sessions.ts";

interface Upload {
	readonly sessionId: string;
	readonly directory: string;
	readonly path: string;
	readonly name: string;
	readonly mimeType: string;
	readonly size: number;
	received: number;
	/** Parts are written one after the other. */
	isBusy: boolean;
	forgotten: Disposable;
}

/**
 * An attachment as the page shows it, and as it goes into a prompt. The `content` of an image is what models take; that
 * of a document is empty, because its bytes are at `path` and go to no model. `extractedText` is what `read` shows.
 */
export interface UploadedFile extends Readonly<Attachment> {
	/** Where it is on the machine of the session, for tools. */
	readonly path: string;
	/** How a prompt includes a document: its path and its text. Empty for an image. */
	readonly block: string;
	/** Why there is no text. */
	readonly problem?: string;
}

export class Uploads implements Disposable {
	readonly #sessions: WebSessions;
	readonly #uploads = new Map<string, Upload>();

	constructor(sessions: WebSessions) {
		this.#sessions = sessions;
	}

	async begin(sessionId: string, name: string, mimeType: string, size: number): Promise<string> {
		if (!Number.isInteger(size) || size < 0) throw new HttpError(400, "The size of the file is missing.");
		if (size > limits.uploadBytes)
			throw new HttpError(413, `A file can have at most ${limits.uploadBytes / 2 ** 20} MB.`);
		if (this.#uploads.size >= limits.openUploads)
			throw new HttpError(429, `${limits.openUploads} files are being uploaded. Wait for one to end.`);
		const home = join(artifactsDir(await this.#sessions.fileOf(sessionId)), "uploads");
		await makeRoom(home);
		const id = shortId((taken) => this.#uploads.has(taken));
		const directory = join(home, id);
		await mkdir(directory, { recursive: true, mode: 0o700 });
		const own = safeName(name);
		const upload: Upload = {
			sessionId,
			directory,
			path: join(directory, own),
			name: own,
			mimeType: oneLine(mimeType, limits.titleChars),
			size,
			received: 0,
			isBusy: false,
			forgotten: this.#forgetLater(id),
		};
		this.#uploads.set(id, upload);
		await (await open(upload.path, "wx", 0o600)).close();
		return id;
	}

	/** Returns how much is there. A part that is sent again after a cut connection is not written twice. */
	async write(
		sessionId: string,
		id: string,
		offset: number,
		read: () => Promise<Uint8Array>,
	): Promise<number> {
		const upload = this.#find(sessionId, id);
		if (upload.isBusy) throw new HttpError(409, "A part of the file is being written.");
		if (offset !== upload.received) return upload.received;
		upload.isBusy = true;
		try {
			const bytes = await read();
			if (offset + bytes.length > upload.size)
				throw new HttpError(413, "The file is larger than it was said to be.");
			const file = await open(upload.path, "r+");
			try {
				await file.write(bytes, 0, bytes.length, offset);
			} finally {
				await file.close();
			}
			upload.received += bytes.length;
			upload.forgotten[Symbol.dispose]();
			upload.forgotten = this.#forgetLater(id);
			return upload.received;
		} catch (error) {
			if (error instanceof HttpError) throw error;
			throw new HttpError(507, `The file cannot be written: ${errorText(error)}`);
		} finally {
			upload.isBusy = false;
		}
	}

	/** The file is the session's from now on. */
	async finish(sessionId: string, id: string): Promise<UploadedFile> {
		const upload = this.#find(sessionId, id);
		if (upload.isBusy || upload.received !== upload.size)
			throw new HttpError(409, `${upload.received} of ${upload.size} bytes have come.`);
		upload.forgotten[Symbol.dispose]();
		this.#uploads.delete(id);
		const { path, name: fileName, mimeType, size } = upload;
		const facts = { id, fileName, mimeType, size, path };
		// Also for a model that sees none: another one may describe it.
		const image = isImage(fileName) ? await promptImage(await readFile(path)) : undefined;
		if (typeof image === "object") {
			const { data: content, mimeType: type } = image;
			return { ...facts, type: "image", mimeType: type, content, block: "" };
		}
		const document = { ...facts, type: "document", content: "" } as const;
		const address = await this.#sessions.address(sessionId);
		const shown = await askSession(address, "read_path", { path }, limits.readMs);
		const text = shown.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
		// The model can still work on it, with other tools.
		if (shown.isError) return { ...document, block: fileBlock(path, `[${text}]`), problem: text };
		return { ...document, extractedText: text, block: fileBlock(path, text) };
	}

	/** Of one that was not sent. */
	async remove(sessionId: string, id: string): Promise<void> {
		const upload = this.#uploads.get(id);
		const home = join(artifactsDir(await this.#sessions.fileOf(sessionId)), "uploads");
		if (!/^[\da-f-]+$/.test(id) || (upload && upload.sessionId !== sessionId)) throw noSuchUpload();
		upload?.forgotten[Symbol.dispose]();
		this.#uploads.delete(id);
		await rm(join(home, id), { recursive: true, force: true });
	}

	[Symbol.dispose](): void {
		for (const { forgotten } of this.#uploads.values()) forgotten[Symbol.dispose]();
		this.#uploads.clear();
	}

	#find(sessionId: string, id: string): Upload {
		const upload = this.#uploads.get(id);
		if (upload?.sessionId !== sessionId) throw noSuchUpload();
		return upload;
	}

	#forgetLater(id: string): Disposable {
		return timer(limits.uploadIdleMs, () => {
			const directory = this.#uploads.get(id)?.directory;
			this.#uploads.delete(id);
			if (directory !== undefined) void rm(directory, { recursive: true, force: true });
		});
	}
}

function isImage(name: string): boolean {
	return imageEndings.has(extname(name).toLowerCase());
}

function noSuchUpload(): HttpError {
	return new HttpError(404, "There is no such upload any more.");
}

async function makeRoom(home: string): Promise<void> {
	const names = await readdir(home).catch(() => []);
	if (names.length >= limits.uploads)
		throw new HttpError(
			409,
			`This session has ${names.length} uploaded files. Start a new session for more.`,
		);
}

/** The name as the user knows it, as far as it can be one of a file here. */
function safeName(name: string): string {
	const own = oneLine(basename(name.replaceAll("\\", "/")), limits.titleChars).replaceAll(/[/\0]/g, "_");
	const short = cutUtf8(own, limits.nameBytes).replace(/^\.+/, "");
	return short === "" ? "file" : short;
}
