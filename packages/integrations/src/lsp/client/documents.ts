/** The files that a server has open: its text of each is what is on the disk, change by change. */
import { pathToFileURL } from "node:url";

import type { TextDocumentContentChangeEvent } from "vscode-languageserver-protocol";

import { limits } from "../limits.ts";
import { PositionedText, replacedRange, type Encoding } from "./positions.ts";

export interface OpenDocument {
	readonly path: string;
	readonly uri: string;
	readonly version: number;
	readonly text: PositionedText;
	/** When the server was sent this text, by `performance.now()`. */
	readonly sentAt: number;
}

/** How a server wants to learn of changes. */
export type SyncKind = "none" | "full" | "incremental";

export interface DocumentOptions {
	notify(method: string, params: unknown): void;
	encoding: Encoding;
	sync: SyncKind;
	/** The server wants to know of every save. */
	saves: boolean;
	languageOf(path: string): string;
}

export class Documents {
	readonly #options: DocumentOptions;
	/** The least recently used first. */
	readonly #open = new Map<string, OpenDocument>();
	#changes = 0;
	#edits = 0;
	/** Never used twice: what was said of a file before it was closed must not seem to be about it now. */
	#versions = 0;

	constructor(options: DocumentOptions) {
		this.#options = options;
	}

	get all(): readonly OpenDocument[] {
		return [...this.#open.values()];
	}

	/** Counts what was opened, changed and closed. */
	get changes(): number {
		return this.#changes;
	}

	/** Counts changes of texts. */
	get edits(): number {
		return this.#edits;
	}

	get(path: string): OpenDocument | undefined {
		return this.#open.get(path);
	}

	/** Opens a document or sends its changes. Returns the document with its new version. */
	set(path: string, text: string): OpenDocument {
		const old = this.#open.get(path);
		const document = old ? this.#change(old, text) : this.#opened(path, text);
		if (document !== old) this.#changes++;
		this.#open.delete(path);
		this.#open.set(path, document);
		this.#bound();
		return document;
	}

	close(path: string): void {
		const document = this.#open.get(path);
		if (!document) return;
		this.#open.delete(path);
		this.#changes++;
		if (this.#options.sync !== "none") {
			this.#options.notify("textDocument/didClose", { textDocument: { uri: document.uri } });
		}
	}

	#opened(path: string, text: string): OpenDocument {
		const { notify, encoding, sync, languageOf } = this.#options;
		const uri = pathToFileURL(path).href;
		const version = ++this.#versions;
		const sentAt = performance.now();
		const document = { path, uri, version, text: new PositionedText(text, encoding), sentAt };
		if (sync !== "none") {
			notify("textDocument/didOpen", {
				textDocument: { uri, languageId: languageOf(path), version, text },
			});
		}
		return document;
	}

	#change(old: OpenDocument, text: string): OpenDocument {
		if (old.text.text === text) return old;
		const { notify, encoding, sync, saves } = this.#options;
		const document = {
			...old,
			version: ++this.#versions,
			text: new PositionedText(text, encoding),
			sentAt: performance.now(),
		};
		this.#edits++;
		if (sync === "none") return document;
		const { uri, version } = document;
		notify("textDocument/didChange", {
			textDocument: { uri, version },
			contentChanges: [sync === "full" ? { text } : contentChange(old.text, text)],
		});
		// What Tau knows of is on the disk already.
		if (saves) notify("textDocument/didSave", { textDocument: { uri }, text });
		return document;
	}

	#bound(): void {
		for (const path of this.#open.keys()) {
			if (this.#open.size <= limits.openDocuments) return;
			this.close(path);
		}
	}
}

export function contentChange(before: PositionedText, after: string): TextDocumentContentChangeEvent {
	const { start, end, text } = replacedRange(before.text, after);
	return { range: { start: before.positionAt(start), end: before.positionAt(end) }, text };
}
