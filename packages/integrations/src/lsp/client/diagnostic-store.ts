/** What a server says of its documents. An answer counts only if it was made for the version that the document has now. */
import type {
	Diagnostic,
	DocumentDiagnosticReport,
	PublishDiagnosticsParams,
	Range,
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
	/** Counts changes of texts and of files on the disk, without documents that were opened or closed. */
	edits(): number;
}

interface Pulled {
	readonly version: number;
	readonly generation: number;
	readonly items: readonly Diagnostic[];
}

interface Published {
	readonly items: readonly Diagnostic[];
	/** Counts what the server published. */
	readonly serial: number;
	readonly arrivedAt: number;
	/** The server says which version they are about. */
	readonly isVersioned: boolean;
	/** The version that they are about; undefined as long as that is not certain. */
	version: number | undefined;
	/** The version that the document had when they came. */
	readonly at: number | undefined;
	/** All of them lie inside the text that the document had. */
	readonly isInside: boolean;
	/** They hold as long as nothing else has changed since (`edits`). */
	edits: number;
}

/** How far the server is with the text that a document has now. */
interface Progress {
	readonly version: number;
	/** No answer about an earlier text was due when this one was sent: what comes now is about this one. */
	readonly isFresh: boolean;
	/** When the server had read it. */
	readAt: number | undefined;
	/** It has said what there is to say about it. */
	isAnswered: boolean;
}

/** Codes of the protocol for an answer that would have been out of date. */
const retried = new Set([-32802, -32801, -32800]);

export class DiagnosticStore {
	readonly #options: StoreOptions;
	readonly #published = new Map<string, Published>();
	readonly #progress = new Map<string, Progress>();
	readonly #pulled = new Map<string, Pulled>();
	readonly #waiting = new Set<() => void>();
	#serial = 0;
	/** How long after a change it usually publishes. */
	#usualMs = 0;

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
			...(published && isAbout(published, version) ? published.items : []),
		];
	}

	onPublished({ uri, version, diagnostics }: PublishDiagnosticsParams): void {
		const path = pathOf(uri);
		if (path === undefined) return;
		const document = this.#options.current(path);
		const at = document?.version;
		const items = diagnosticsIn(diagnostics);
		const progress = this.#progress.get(path);
		// What comes after the server has read a text is about that text.
		const isCertain = progress?.readAt !== undefined && progress.version === at;
		bounded(this.#published, path, {
			items,
			serial: ++this.#serial,
			arrivedAt: performance.now(),
			isVersioned: version != null,
			version: version ?? (isCertain ? at : undefined),
			at,
			isInside: !document || items.every(({ range }) => isInside(range, document)),
			edits: this.#options.edits(),
		});
		this.wake();
	}

	/** Something has arrived that a waiting request may depend on: the server may have begun to offer answers on request. */
	wake(): void {
		for (const wake of this.#waiting) wake();
	}

	/** True if it says nothing of this file, which may mean that it has no problems. */
	isSilentAbout(path: string): boolean {
		const published = this.#published.get(path);
		return (!published || published.items.length === 0) && !this.#pulled.has(path);
	}

	/** What a server that only publishes has said of this text, whatever has changed around it since; undefined if it may still be about to. */
	lastWord({ path, version, sentAt }: OpenDocument): readonly Diagnostic[] | undefined {
		const published = this.#published.get(path);
		if (published && isAbout(published, version)) return published.items;
		const since = this.#progress.get(path)?.readAt ?? sentAt;
		const isQuiet = performance.now() - since >= limits.silentMs && !this.#options.isBusy();
		return isQuiet && this.isSilentAbout(path) ? [] : undefined;
	}

	/** For a server that names no versions: true if it publishes again, until it is silent for a while. */
	async publishesMore(path: string, { signal, timeoutMs }: RequestOptions): Promise<boolean> {
		const first = this.#published.get(path);
		if (!first || first.isVersioned || this.#options.pull()) return false;
		const until = performance.now() + timeoutMs;
		const quietAt = (): number => (this.#published.get(path)?.arrivedAt ?? 0) + limits.settleMaxMs;
		for (let now = performance.now(); now < Math.min(until, quietAt()); now = performance.now()) {
			await this.pause(Math.min(until, quietAt()) - now, signal);
			this.#options.isBusy();
		}
		return this.#published.get(path)?.serial !== first.serial;
	}

	forget(path: string): void {
		this.#published.delete(path);
		this.#progress.delete(path);
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
			// Changed meanwhile: the code that changed it requests diagnostics again.
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
		const progress = this.#progressOf(document);
		const edits = this.#options.edits();
		if (before?.version === version && (before.isVersioned || progress.isAnswered)) {
			progress.isAnswered = true;
			return before.edits === edits ? before.items : await this.#awaitRepeated(document, before, options);
		}
		const start = performance.now();
		const until = start + options.timeoutMs;
		if (!before?.isVersioned && progress.readAt === undefined) await this.#options.barrier(document, options);
		progress.readAt ??= performance.now();
		const silentAt = performance.now() + limits.silentMs;
		let latest: Published | undefined;
		while (this.#options.current(path)?.version === version) {
			const known = this.#published.get(path);
			const isNew = known && isAbout(known, version) && known.serial > (latest?.serial ?? 0);
			if (isNew && !latest) this.#usualMs = Math.max(performance.now() - start, this.#usualMs * 0.8);
			if (isNew) latest = known;
			const now = performance.now();
			const left = until - now;
			const settling = latest && latest.arrivedAt + this.#settleMs(latest, progress) - now;
			if (latest?.isVersioned || (settling !== undefined && settling <= 0)) return settled(latest, progress);
			if (left <= 0) return undefined;
			// Nothing about a file without problems may mean that there are still none.
			const mayBeSilent = this.isSilentAbout(path);
			if (!this.#options.isBusy() && !latest && mayBeSilent && now >= silentAt) return undefined;
			const pull = this.#options.pull();
			if (pull) return await this.#pull(document, pull, { ...options, timeoutMs: left });
			const unanswered = mayBeSilent ? Math.max(limits.repeatMs, silentAt - now) : left;
			await this.pause(Math.min(left, settling ?? unanswered), options.signal);
		}
		return undefined;
	}

	/** The text is the same, but another file has changed: the server publishes again, or there is nothing new to say. */
	async #awaitRepeated(
		document: OpenDocument,
		before: Published,
		options: RequestOptions,
	): Promise<readonly Diagnostic[] | undefined> {
		const { path, version } = document;
		const edits = this.#options.edits();
		const until = performance.now() + options.timeoutMs;
		await this.#options.barrier(document, options);
		const quietAt = performance.now() + limits.repeatedMs;
		while (this.#options.current(path)?.version === version) {
			const known = this.#published.get(path) ?? before;
			if (known.serial > before.serial && known.edits >= edits) return known.items;
			const now = performance.now();
			if (now >= until) return undefined;
			const isBusy = this.#options.isBusy();
			if (now >= quietAt && !isBusy) {
				known.edits = edits;
				return known.items;
			}
			await this.pause(Math.min(until - now, isBusy ? limits.repeatMs : quietAt - now), options.signal);
		}
		return undefined;
	}

	/**
	 * The last word of a server that names no versions counts. It may publish in parts, so that no errors may be too early;
	 * and if it was not done with an earlier text, or names places that the text does not have, it may be about an earlier one.
	 */
	#settleMs({ items, version, isInside: fits }: Published, progress: Progress): number {
		const isCertain = fits && (progress.isFresh || version === progress.version);
		// A server that usually takes long also takes long to correct itself.
		if (!isCertain) return Math.min(Math.max(limits.settleMaxMs, 3 * this.#usualMs), limits.silentMs);
		const usual = items.length > 0 ? 0 : this.#usualMs * 1.2;
		return Math.min(Math.max(limits.settleMs, usual), limits.settleMaxMs);
	}

	#progressOf({ path, version }: OpenDocument): Progress {
		const old = this.#progress.get(path);
		if (old?.version === version) return old;
		const isDue =
			old &&
			!old.isAnswered &&
			(old.readAt === undefined || performance.now() - old.readAt < limits.silentMs);
		const progress = { version, isFresh: !isDue, readAt: undefined, isAnswered: false };
		bounded(this.#progress, path, progress);
		return progress;
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

function isInside({ start }: Range, { text }: OpenDocument): boolean {
	const { line, character } = text.positionAt(text.offsetAt(start));
	return line === start.line && character === start.character;
}

/** The version that the server names or, without one, that the document had when they came. */
function isAbout({ version, at }: Published, current: number): boolean {
	return (version ?? at) === current;
}

function settled(latest: Published | undefined, progress: Progress): readonly Diagnostic[] | undefined {
	if (!latest) return undefined;
	progress.isAnswered = true;
	latest.version = progress.version;
	return latest.items;
}

/** Sets it as the newest; the oldest one makes room. */
function bounded<V>(map: Map<string, V>, key: string, value: V): void {
	map.delete(key);
	map.set(key, value);
	const [oldest] = map.keys();
	if (map.size > limits.publishedFiles && oldest !== undefined) map.delete(oldest);
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
