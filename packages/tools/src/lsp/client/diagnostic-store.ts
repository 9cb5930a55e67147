/** What a server says of its documents. An answer counts only if it was made for the version that the document has now. */
import type {
	Diagnostic,
	DocumentDiagnosticReport,
	PublishDiagnosticsParams,
} from "vscode-languageserver-protocol";
import { fileURLToPath } from "node:url";
import { isRecord, listen, timer } from "@tau/utils";

import { limits } from "../limits.ts";
import { LspError, type RequestOptions } from "./connection.ts";
import type { OpenDocument } from "./documents.ts";

export interface StoreOptions {
	request<R>(method: string, params: unknown, options: RequestOptions): Promise<R>;
	/** Undefined where the server only publishes. */
	pull(): { identifier?: string } | undefined;
	/** A request that the server answers in order, after it has read the document. */
	barrier(document: OpenDocument, options: RequestOptions): Promise<void>;
	current(path: string): OpenDocument | undefined;
	/** It is still reading the project. Throws if it is gone. */
	isBusy(): boolean;
	/** Counts changes of any file: a change of one may break another. */
	generation(): number;
}

interface Pulled {
	readonly version: number;
	readonly generation: number;
	readonly items: readonly Diagnostic[];
}

interface Known {
	/** Of the document that they were made for; absent if the server does not say. */
	readonly version?: number;
	readonly items: readonly Diagnostic[];
	/** Counts what the server published. */
	readonly serial: number;
}

/** Codes of the protocol for an answer that would have been out of date. */
const retried = new Set([-32802, -32801, -32800]);

export class DiagnosticStore {
	readonly #options: StoreOptions;
	readonly #published = new Map<string, Known>();
	readonly #pulled = new Map<string, Pulled>();
	readonly #waiting = new Set<() => void>();
	#serial = 0;

	constructor(options: StoreOptions) {
		this.#options = options;
	}

	/** Files that the server has spoken of, open or not. */
	get files(): readonly string[] {
		return [...new Set([...this.#published.keys(), ...this.#pulled.keys()])];
	}

	/** The last word about a file, of whatever version. */
	last(path: string): readonly Diagnostic[] {
		return [...(this.#pulled.get(path)?.items ?? []), ...(this.#published.get(path)?.items ?? [])];
	}

	/** What is known of this very version, without a question to the server. */
	known({ path, version }: OpenDocument): readonly Diagnostic[] {
		const [pulled, published] = [this.#pulled.get(path), this.#published.get(path)];
		return [
			...(pulled?.version === version ? pulled.items : []),
			...(published && (published.version ?? version) === version ? published.items : []),
		];
	}

	onPublished({ uri, version, diagnostics }: PublishDiagnosticsParams): void {
		const path = pathOf(uri);
		if (path === undefined) return;
		const items = diagnosticsIn(diagnostics);
		this.#published.delete(path);
		this.#published.set(path, { items, serial: ++this.#serial, ...(version == null ? {} : { version }) });
		const [oldest] = this.#published.keys();
		if (this.#published.size > limits.publishedFiles && oldest !== undefined) this.#published.delete(oldest);
		this.wake();
	}

	/** Something has arrived that a waiting request may depend on: the server may have begun to offer answers on request. */
	wake(): void {
		for (const wake of this.#waiting) wake();
	}

	/** True if it has never mentioned this file, which may mean that it has no problems. */
	isSilentAbout(path: string): boolean {
		return !this.#published.has(path) && !this.#pulled.has(path);
	}

	forget(path: string): void {
		this.#published.delete(path);
		this.#pulled.delete(path);
	}

	/** The diagnostics of this very version; undefined if the server does not give them in time. */
	async of(document: OpenDocument, options: RequestOptions): Promise<readonly Diagnostic[] | undefined> {
		const pull = this.#options.pull();
		try {
			return pull ? await this.#pull(document, pull, options) : await this.#awaitPublished(document, options);
		} catch (error) {
			if (error instanceof LspError && error.kind === "timeout") return undefined;
			throw error;
		}
	}

	async #pull(
		document: OpenDocument,
		{ identifier }: { identifier?: string },
		options: RequestOptions,
	): Promise<readonly Diagnostic[] | undefined> {
		const known = this.#pulled.get(document.path);
		const generation = this.#options.generation();
		if (known?.version === document.version && known.generation === generation) return known.items;
		const until = performance.now() + options.timeoutMs;
		for (;;) {
			const timeoutMs = until - performance.now();
			if (timeoutMs <= 0) return undefined;
			const report = await this.#report(document, identifier, { signal: options.signal, timeoutMs });
			// Changed meanwhile: whoever changed it asks again.
			if (this.#options.current(document.path)?.version !== document.version) return undefined;
			if (report === undefined) {
				await this.pause(Math.min(limits.repeatMs, timeoutMs), options.signal);
				continue;
			}
			this.#keep(document, report, generation);
			const published = this.#published.get(document.path);
			const beside = published?.version === document.version ? published.items : [];
			return [...(this.#pulled.get(document.path)?.items ?? []), ...beside];
		}
	}

	async #report(
		{ uri }: OpenDocument,
		identifier: string | undefined,
		options: RequestOptions,
	): Promise<DocumentDiagnosticReport | undefined> {
		const params = { textDocument: { uri }, ...(identifier === undefined ? {} : { identifier }) };
		try {
			return await this.#options.request("textDocument/diagnostic", params, options);
		} catch (error) {
			if (error instanceof LspError && error.kind === "refused" && retried.has(error.code ?? 0))
				return undefined;
			throw error;
		}
	}

	/** No earlier result is offered to the server, so that a report is always a full one. */
	#keep({ path, version }: OpenDocument, report: DocumentDiagnosticReport, generation: number): void {
		this.#pulled.set(path, { version, generation, items: itemsOf(report) });
		const others: unknown = isRecord(report) ? report.relatedDocuments : undefined;
		for (const [uri, related] of Object.entries(isRecord(others) ? others : {})) {
			const other = pathOf(uri);
			const open = other === undefined ? undefined : this.#options.current(other);
			if (open) this.#pulled.set(open.path, { version: open.version, generation, items: itemsOf(related) });
		}
	}

	async #awaitPublished(
		document: OpenDocument,
		options: RequestOptions,
	): Promise<readonly Diagnostic[] | undefined> {
		const { path, version } = document;
		const before = this.#published.get(path);
		if (before?.version === version) return before.items;
		const until = performance.now() + options.timeoutMs;
		// What is published after the answer is of this version or a later one.
		if (before === undefined || before.version === undefined) await this.#options.barrier(document, options);
		const silentUntil = performance.now() + limits.silentMs;
		let serial = before?.serial ?? 0;
		let latest: readonly Diagnostic[] | undefined;
		while (this.#options.current(path)?.version === version) {
			const known = this.#published.get(path);
			if (known?.version === version) return known.items;
			if (known && known.version === undefined && known.serial > serial) {
				serial = known.serial;
				latest = known.items;
			}
			const now = performance.now();
			const left = until - now;
			if (left <= 0) return latest;
			// Nothing about a file without problems may mean that there are still none.
			const mayBeSilent = !known || known.items.length === 0;
			if (!this.#options.isBusy() && mayBeSilent && now >= silentUntil) return latest;
			const pull = this.#options.pull();
			if (pull) return await this.#pull(document, pull, { ...options, timeoutMs: left });
			const silence = mayBeSilent ? Math.max(limits.repeatMs, silentUntil - now) : left;
			const wait = latest ? limits.settleMs : silence;
			const isQuiet = await this.pause(Math.min(left, wait), options.signal);
			if (isQuiet && latest) return latest;
		}
		return undefined;
	}

	/** False as soon as something is published. Rejects when it is stopped. */
	async pause(ms: number, signal: AbortSignal): Promise<boolean> {
		const woken = Promise.withResolvers<boolean>();
		const wake = (): void => woken.resolve(false);
		this.#waiting.add(wake);
		using _timer = timer(ms, () => woken.resolve(true));
		using _abort = listen(signal, "abort", () => woken.resolve(true));
		try {
			if (signal.aborted) throw new LspError("aborted", "The request was stopped.");
			return await woken.promise;
		} finally {
			this.#waiting.delete(wake);
		}
	}
}

function itemsOf(report: unknown): readonly Diagnostic[] {
	return isRecord(report) ? diagnosticsIn(report.items) : [];
}

/** Those that have a range and a message; a server may send anything. */
export function diagnosticsIn(value: unknown): readonly Diagnostic[] {
	if (!Array.isArray(value)) return [];
	return value.filter(
		(one): one is Diagnostic =>
			isRecord(one) && typeof one.message === "string" && isRecord(one.range) && isRecord(one.range.start),
	);
}

/** Only files have diagnostics that Tau shows. */
export function pathOf(uri: string): string | undefined {
	try {
		return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
	} catch {
		return undefined;
	}
}
