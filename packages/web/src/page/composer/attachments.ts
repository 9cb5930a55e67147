/** Images and files that go with the next prompt: made smaller or uploaded while the user still writes. */
import { signal } from "@preact/signals";

import { isPdf, pdfPages } from "../documents/pdf-pages.ts";
import { limits } from "../limits.ts";
import { accessHeaders, call, type PromptFile } from "../store/api.ts";
import { base64 } from "../parts/base64.ts";
import { isPicture, smallImage } from "../parts/small-image.ts";
import { toast } from "../store/toasts.ts";

/** A file that the user has added. */
export interface AddedFile {
	readonly id: number;
	readonly name: string;
	readonly size: number;
	readonly state: "working" | "ready" | "failed";
	readonly progress: number;
	/** The file as the user gave it, for its preview. */
	readonly source: File;
	/** What goes with the prompt, once it is ready. */
	readonly file?: PromptFile;
	/** The picture itself, or the first page of a document: an address of its data. */
	readonly preview?: string;
	readonly reason?: string;
}

export class Attachments implements Disposable {
	readonly list = signal<readonly AddedFile[]>([]);
	readonly #sessionId: () => string;
	readonly #closed = new AbortController();
	/** What ends the work at a file. */
	readonly #working = new Map<number, AbortController>();
	#last = 0;

	constructor(sessionId: () => string) {
		this.#sessionId = sessionId;
	}

	/** Whether the prompt can be sent now. Otherwise the page says what it waits for: no file is left out unseen. */
	areReady(): boolean {
		const waiting = this.list.value.find(({ state }) => state !== "ready");
		if (waiting?.state === "working") toast(`${waiting.name} is still being added.`);
		if (waiting?.state === "failed")
			toast(`${waiting.name} could not be added. Remove it to send.`, "warning");
		return waiting === undefined;
	}

	add(files: Iterable<File>): void {
		for (const file of files) {
			if (this.list.value.length >= limits.attachments)
				return toast(`At most ${limits.attachments} files go with one prompt.`, "warning");
			if (file.size > limits.uploadBytes)
				toast(`${file.name} is larger than ${limits.uploadBytes >> 20} MB.`, "warning");
			else void this.#take(file);
		}
	}

	/** The host forgets it too: nobody has sent it. */
	remove(id: number): void {
		const removed = this.list.value.find((each) => each.id === id);
		this.list.value = this.list.value.filter((each) => each !== removed);
		this.#working.get(id)?.abort();
		if (removed?.file?.path !== undefined) void forget(addressOfUploads(this.#sessionId()), removed.file.id);
	}

	clear(): void {
		this.list.value = [];
	}

	[Symbol.dispose](): void {
		this.#closed.abort();
	}

	async #take(file: File): Promise<void> {
		const id = ++this.#last;
		const { name, size } = file;
		const removed = new AbortController();
		this.#working.set(id, removed);
		const until = AbortSignal.any([this.#closed.signal, removed.signal]);
		this.list.value = [
			...this.list.value,
			{ id, name: name || "image", size, source: file, state: "working", progress: 0 },
		];
		try {
			if (isPicture(file)) {
				const picture = await pictureFile(file);
				const preview = addressOf(picture.mimeType, picture.content);
				return this.#change(id, { state: "ready", file: picture, preview });
			}
			if (isPdf(file)) void this.#drawFirstPage(id, file, until);
			const onProgress = (progress: number): void => this.#change(id, { progress });
			const taken = await upload(addressOfUploads(this.#sessionId()), file, onProgress, until);
			const preview = taken.type === "image" ? { preview: addressOf(taken.mimeType, taken.content) } : {};
			this.#change(id, { state: "ready", file: taken, progress: 1, ...preview });
		} catch (error) {
			this.#change(id, { state: "failed", reason: error instanceof Error ? error.message : String(error) });
		} finally {
			this.#working.delete(id);
		}
	}

	async #drawFirstPage(id: number, file: File, until: AbortSignal): Promise<void> {
		try {
			const order = { file, pages: 1, width: limits.thumbnailPixels };
			const [first] = (await pdfPages(order, until)).pages;
			if (first) this.#change(id, { preview: addressOf("image/png", await base64(first)) });
		} catch {
			// The file is shown without: its text, or why there is none, comes from the host.
		}
	}

	#change(id: number, change: Partial<AddedFile>): void {
		this.list.value = this.list.value.map((each) => (each.id === id ? { ...each, ...change } : each));
	}
}

/** A picture needs no host: it goes with the prompt as it is. */
async function pictureFile(file: File): Promise<PromptFile> {
	const { data: content, mimeType } = await smallImage(file);
	const facts = { id: crypto.randomUUID(), fileName: file.name || "image", size: file.size };
	return { ...facts, type: "image", mimeType, content, block: "" };
}

function addressOf(mimeType: string, content: string): string {
	return `data:${mimeType};base64,${content}`;
}

interface Started {
	readonly uploadId: string;
	readonly chunkBytes: number;
}

function addressOfUploads(sessionId: string): string {
	return `/api/sessions/${encodeURIComponent(sessionId)}/uploads`;
}

async function upload(
	base: string,
	file: File,
	onProgress: (part: number) => void,
	until: AbortSignal,
): Promise<PromptFile> {
	const facts = { name: file.name, size: file.size, mimeType: file.type || "application/octet-stream" };
	const { uploadId, chunkBytes } = await call<Started>("POST", base, facts, until);
	try {
		for (let offset = 0; offset < file.size;) {
			// A slice is not read before it is sent.
			const part = file.slice(offset, offset + chunkBytes);
			const received = await sendPart(`${base}/${uploadId}?offset=${offset}`, part, until);
			if (received <= offset) throw new Error(`${file.name} does not arrive: try again.`);
			offset = received;
			onProgress(offset / file.size);
		}
		return await call<PromptFile>("POST", `${base}/${uploadId}/done`, {}, until);
	} catch (error) {
		void forget(base, uploadId);
		throw error;
	}
}

/** Resolves with how much of the file is there. A part that was lost with the network is sent again: the host has it once. */
async function sendPart(address: string, body: Blob, until: AbortSignal): Promise<number> {
	const request = { method: "PUT", body, headers: accessHeaders(), credentials: "same-origin" } as const;
	for (let tries = 1; ; tries++) {
		try {
			const response = await fetch(address, { ...request, signal: until });
			if (!response.ok) throw new Error(`It could not be uploaded (${response.status}).`);
			const { received } = (await response.json()) as { received: number };
			return received;
		} catch (error) {
			// Only a network that fails is a type error.
			if (!(error instanceof TypeError) || tries === limits.uploadTries) throw error;
			await pause(limits.uploadRetryMs, until);
		}
	}
}

function pause(ms: number, until: AbortSignal): Promise<void> {
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, ms);
	until.addEventListener("abort", () => {
		clearTimeout(timer);
		reject(until.reason as Error);
	});
	return promise;
}

async function forget(base: string, uploadId: string): Promise<void> {
	try {
		await call("DELETE", `${base}/${uploadId}`);
	} catch {
		// The network is gone: the host forgets what was not finished, and keeps the rest with the session.
	}
}
