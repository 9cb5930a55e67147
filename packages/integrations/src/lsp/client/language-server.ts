/** One running language server: started, asked, kept in step with the disk, and ended. */
import { pathToFileURL } from "node:url";

import type { Machine } from "@tau/sys";
import { cutUnits, isRecord, onDispose, stripControls, timer, version as ownVersion } from "@tau/utils";
import type {
	ApplyWorkspaceEditParams,
	InitializeResult,
	PublishDiagnosticsParams,
	Registration,
	ServerCapabilities,
} from "vscode-languageserver-protocol";

import { limits } from "../limits.ts";
import { languageOf } from "../servers/locate.ts";
import type { ServerRow } from "../servers/server-row.ts";
import { own } from "../sharing/messages.ts";
import type { ServerLink } from "../sharing/index.ts";
import { clientCapabilities, encodingOf, registrationsIn, syncOf } from "./capabilities.ts";
import { Connection, LspError, type RequestOptions } from "./connection.ts";
import { DiagnosticStore } from "./diagnostic-store.ts";
import { Documents, type OpenDocument } from "./documents.ts";
import type { Encoding } from "./positions.ts";
import { ProjectWatch, type ChangedFile } from "./project-watch.ts";

export interface ServerStart {
	row: ServerRow;
	root: string;
	machine: Machine;
	link: ServerLink;
	/** The root is that of a project, or below it: it can be watched as a whole. */
	isProject: boolean;
	/** It runs in a sandbox, which may not have its program. */
	isContained?: boolean;
	/** Called once, when it is gone without having been stopped. */
	onGone(reason: string): void;
}

export interface PullOptions {
	identifier?: string;
	/** It can be asked about all files of the project at once. */
	answersForProject: boolean;
}

type AppliesEdit = (params: ApplyWorkspaceEditParams) => Promise<boolean>;

/** What the server reports of itself, bounded. */
class ServerLog {
	readonly #lines: string[] = [];

	get lines(): readonly string[] {
		return this.#lines;
	}

	add(text: string): void {
		for (const line of stripControls(text).split("\n")) {
			if (line.trim() !== "") this.#lines.push(cutUnits(line, limits.logLineChars));
		}
		this.#lines.splice(0, Math.max(0, this.#lines.length - limits.logLines));
	}
}

export class LanguageServer implements AsyncDisposable {
	readonly name: string;
	readonly row: ServerRow;
	readonly root: string;
	readonly startedAt = Date.now();
	readonly documents: Documents;
	readonly diagnostics: DiagnosticStore;
	readonly capabilities: ServerCapabilities;
	readonly encoding: Encoding;
	readonly #machine: Machine;
	readonly #link: ServerLink;
	readonly #connection: Connection;
	readonly #state: ServerState;
	#fileChanges = 0;
	readonly #isProject: boolean;
	/** Once the server has asked for it. */
	#watch: ProjectWatch | undefined;
	#syncing: Promise<unknown> = Promise.resolve();

	private constructor(
		{ row, root, machine, link, isProject }: ServerStart,
		connection: Connection,
		state: ServerState,
		{ capabilities }: InitializeResult,
	) {
		this.name = row.name;
		this.row = row;
		this.root = root;
		this.capabilities = capabilities;
		this.encoding = encodingOf(capabilities);
		this.#machine = machine;
		this.#link = link;
		this.#isProject = isProject && machine.files.localPath(root) === root;
		this.#connection = connection;
		this.#state = state;
		this.documents = new Documents({
			notify: (method, params) => connection.notify(method, params),
			encoding: this.encoding,
			...syncOf(capabilities),
			languageOf: (path) => languageOf(row, path) ?? "plaintext",
		});
		this.diagnostics = new DiagnosticStore({
			request: (method, params, options) => this.request(method, params, options),
			pull: () => this.pullOptions,
			barrier: (document, options) => this.#barrier(document, options),
			current: (path) => this.documents.get(path),
			isBusy: () => {
				connection.requireOpen();
				return this.progress !== undefined;
			},
			generation: () => this.documents.changes + this.#fileChanges,
			edits: () => this.documents.edits + this.#fileChanges,
		});
		state.onChanged = () => {
			this.diagnostics.wake();
			this.#watchProject();
		};
		state.onOthersChange = () => void this.#fileChanges++;
		state.onPublished = (params) => this.diagnostics.onPublished(params);
		for (const params of state.early.splice(0)) state.onPublished(params);
		this.#watchProject();
	}

	/** Rejects with a readable reason. */
	static async start(start: ServerStart, options: RequestOptions): Promise<LanguageServer> {
		const { row, root, link } = start;
		const state = new ServerState(row, root);
		link.onPrinted((text) => state.log.add(text));
		try {
			const connection = await Connection.open(row.name, link.channel, {
				onRequest: (method, params) => state.answer(method, params),
				onNotification: (method, params) => state.noted(method, params),
				onClosed: (reason) => state.closed(reason, start.onGone),
			});
			state.notify = (method, params) => connection.notify(method, params);
			link.check();
			const result = await connection.request<InitializeResult>(
				"initialize",
				initializeParams(start),
				options,
			);
			connection.notify("initialized", {});
			if (row.settings) connection.notify("workspace/didChangeConfiguration", { settings: row.settings });
			state.isRunning = true;
			if (!isRecord(result?.capabilities)) throw new Error("it did not say what it offers.");
			return new LanguageServer(start, connection, state, result);
		} catch (error) {
			await link[Symbol.asyncDispose]();
			const { ending } = state;
			const last = state.log.lines.findLast((line) => line !== ending);
			const reason = ending ?? (error instanceof Error ? error.message : String(error));
			const why = exitReason(reason, start.isContained === true);
			throw new Error(last === undefined ? why : `${why}; it printed: ${last}`, { cause: error });
		}
	}

	get pid(): number {
		return this.#link.pid;
	}

	/** Somebody waits for an answer. */
	get isAsked(): boolean {
		return this.#connection.pending > 0;
	}

	/** Whether another Tau owns it, and how many others use it. */
	get sharing(): Pick<ServerLink, "isGuest" | "guests"> {
		return this.#link;
	}

	get log(): readonly string[] {
		return this.#state.log.lines;
	}

	/** What it cannot do here, shown with its answers. */
	get limitation(): string | undefined {
		return this.#state.limitation;
	}

	/** What it is busy with, such as indexing. */
	get progress(): string | undefined {
		return [...this.#state.progress.values()].at(-1);
	}

	get isGone(): boolean {
		return this.#connection.isClosed;
	}

	/** True for files of its project and language. */
	knows(path: string): boolean {
		const isBelow = this.root === "/" || path.startsWith(`${this.root}/`);
		return isBelow && languageOf(this.row, path) !== undefined;
	}

	/** True for a method that the server offers, at its start or later. */
	offers(capability: keyof ServerCapabilities, method: string): boolean {
		return Boolean(this.capabilities[capability]) || this.#state.registered(method).length > 0;
	}

	async request<R>(method: string, params: unknown, options: RequestOptions): Promise<R> {
		using _slow = this.#link.isGuest ? timer(limits.slowMs, () => this.#link.check()) : undefined;
		return await this.#connection.request<R>(method, params, options);
	}

	/** Like `request`, for questions: a server that has just started, or is busy reading the project, is asked again if it knows nothing. */
	async ask<R>(method: string, params: unknown, options: RequestOptions): Promise<R> {
		const until = performance.now() + Math.min(limits.coldWaitMs, options.timeoutMs);
		for (;;) {
			const answer = await this.request<R>(method, params, options);
			const isEmpty = answer === null || (Array.isArray(answer) && answer.length === 0);
			if (!isEmpty || !this.isCold || performance.now() >= until) return answer;
			await this.diagnostics.pause(limits.repeatMs, options.signal);
		}
	}

	/** True as long as it may know less than it will in a moment. */
	get isCold(): boolean {
		return Date.now() - this.startedAt < limits.coldMs || this.progress !== undefined;
	}

	/** Makes the server's text that of the disk. Rejects with an `LspError` if it is no text file that can be opened. */
	sync(path: string): Promise<OpenDocument> {
		// One after the other: a text that was read earlier must not replace a newer one.
		const synced = this.#syncing.then(() => this.#read(path));
		this.#syncing = synced.catch(() => {});
		return synced;
	}

	async #read(path: string): Promise<OpenDocument> {
		const file = await this.#machine.files.readText(path, path);
		if (!file.ok || file.text === undefined || file.text.length > limits.documentChars) {
			this.documents.close(path);
			this.diagnostics.forget(path);
			throw new LspError("refused", file.ok ? `${path} is no text file of usual size.` : file.reason);
		}
		return this.documents.set(path, file.text);
	}

	/** Catches up with files that were changed, deleted or moved meanwhile: open documents, and files that the server watches. */
	async syncAll(): Promise<void> {
		await this.noteDisk();
		for (const { path } of this.documents.all) await this.sync(path).catch(() => {});
	}

	/** Reports what has changed on the disk to a server that wants to know that. */
	async noteDisk(): Promise<void> {
		this.noteFiles((await this.#watch?.changes()) ?? []);
	}

	/** For a server that wants to know of changes. One that answers for dependent files says so late, when it has read them. */
	#watchProject(): void {
		const isRegistered = this.#state.registered("workspace/didChangeWatchedFiles").length > 0;
		if ((isRegistered || this.pullOptions) && this.#isProject && !this.isGone)
			this.#watch ??= new ProjectWatch(this.root, this.startedAt);
	}

	/** Files on the disk have changed; those that are open are sent whole by `sync`. */
	noteFiles(changes: readonly ChangedFile[]): void {
		const types = { created: 1, changed: 2, deleted: 3 } as const;
		for (const { path, kind } of changes) if (kind === "deleted") this.documents.close(path);
		if (changes.length === 0) return;
		this.#fileChanges++;
		this.#connection.notify("workspace/didChangeWatchedFiles", {
			changes: changes.map(({ path, kind }) => ({ uri: pathToFileURL(path).href, type: types[kind] })),
		});
	}

	notify(method: string, params: unknown): void {
		this.#connection.notify(method, params);
	}

	/** Parts of an answer that the server sends under this token before the answer itself. */
	onPartial(token: string, handle: (value: unknown) => void): Disposable {
		this.#state.partials.set(token, handle);
		return onDispose(() => void this.#state.partials.delete(token));
	}

	/** While it lasts, edits that the server wants to make are handed over; otherwise they are refused. */
	acceptEdits(apply: AppliesEdit): Disposable {
		this.#state.applies = apply;
		return onDispose(() => void (this.#state.applies = undefined));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#state.isRunning = false;
		this.#watch?.[Symbol.dispose]();
		try {
			const options = { signal: AbortSignal.timeout(limits.stopMs), timeoutMs: limits.stopMs };
			if (!this.isGone) await this.#connection.request("shutdown", undefined, options);
			this.#connection.notify("exit", undefined);
		} catch {
			// It is ended anyway.
		}
		this.#connection[Symbol.dispose]();
		await this.#link[Symbol.asyncDispose]();
	}

	/** How diagnostics are asked for; undefined if it only publishes them. */
	get pullOptions(): PullOptions | undefined {
		const { diagnosticProvider } = this.capabilities;
		const [registered] = this.#state.registered("textDocument/diagnostic");
		const found: unknown = diagnosticProvider ?? registered?.registerOptions;
		if (!found && !registered) return undefined;
		const { identifier, workspaceDiagnostics } = isRecord(found) ? found : {};
		return {
			...(typeof identifier === "string" ? { identifier } : {}),
			answersForProject: workspaceDiagnostics === true,
		};
	}

	async #barrier({ uri }: OpenDocument, options: RequestOptions): Promise<void> {
		const textDocument = { uri };
		try {
			if (this.offers("documentSymbolProvider", "textDocument/documentSymbol")) {
				await this.request("textDocument/documentSymbol", { textDocument }, options);
			} else {
				// A server that does not offer it answers in order as well: with an error.
				await this.request(
					"textDocument/hover",
					{ textDocument, position: { line: 0, character: 0 } },
					options,
				);
			}
		} catch (error) {
			// An error is an answer, too.
			if (error instanceof LspError && error.kind !== "refused" && error.kind !== "unsupported") throw error;
		}
	}
}

/** What arrives from the server, before and after it is ready. */
class ServerState {
	readonly log = new ServerLog();
	readonly progress = new Map<string, string>();
	readonly early: PublishDiagnosticsParams[] = [];
	readonly partials = new Map<string, (value: unknown) => void>();
	isRunning = false;
	onPublished: ((params: PublishDiagnosticsParams) => void) | undefined;
	/** It offers something new, or is gone. */
	onChanged: (() => void) | undefined;
	/** Another Tau that uses the server has changed a document. */
	onOthersChange: (() => void) | undefined;
	applies: AppliesEdit | undefined;
	notify: ((method: string, params: unknown) => void) | undefined;
	/** Why nothing comes any more. */
	ending: string | undefined;
	/** What it cannot do, as it turned out. */
	limitation: string | undefined;
	readonly #row: ServerRow;
	readonly #root: string;
	readonly #registrations = new Map<string, Registration>();

	constructor(row: ServerRow, root: string) {
		this.#row = row;
		this.#root = root;
	}

	registered(method: string): Registration[] {
		return [...this.#registrations.values()].filter((one) => one.method === method);
	}

	closed(reason: string, onGone: (reason: string) => void): void {
		this.log.add(reason);
		this.ending = reason;
		this.onChanged?.();
		if (!this.isRunning) return;
		this.isRunning = false;
		onGone(reason);
	}

	noted(method: string, params: unknown): void {
		if (method === own.changed) this.onOthersChange?.();
		if (method === "tsserver/request") this.#refuseTypes(params);
		if (!isRecord(params)) return;
		if (method === "textDocument/publishDiagnostics") {
			if (typeof params.uri !== "string" || !Array.isArray(params.diagnostics)) return;
			const published = params as unknown as PublishDiagnosticsParams;
			if (this.onPublished) this.onPublished(published);
			else if (this.early.length < limits.openDocuments) this.early.push(published);
		} else if (method === "window/logMessage" || method === "window/showMessage") {
			this.log.add(String(params.message));
		} else if (method === "$/progress") this.#noteProgress(params);
	}

	/** Vue's server asks the client for a TypeScript server of its own; without an answer it would wait forever. */
	#refuseTypes(params: unknown): void {
		const [request] = Array.isArray(params) ? params : [];
		const [id]: unknown[] = Array.isArray(request) ? request : [request];
		this.limitation = `${this.#row.name} checks no types here: it would need a TypeScript server with a plugin beside it.`;
		// The library sends a list as the first of several parameters, as this server expects it.
		this.notify?.("tsserver/response", [id, null]);
	}

	#noteProgress({ token, value }: Record<string, unknown>): void {
		if (!isRecord(value)) return;
		const key = String(token);
		const partial = this.partials.get(key);
		if (partial) return partial(value);
		if (value.kind === "end") return void this.progress.delete(key);
		const words = [value.title, value.message].filter((text) => typeof text === "string");
		const text = stripControls(words.join(": ")).slice(0, limits.rowChars);
		if (text !== "" && (this.progress.has(key) || this.progress.size < limits.logLines))
			this.progress.set(key, text);
	}

	answer(method: string, params: unknown): unknown {
		const given: Record<string, unknown> = isRecord(params) ? params : {};
		switch (method) {
			case "workspace/configuration":
				return Array.isArray(given.items) ? given.items.map((item: unknown) => this.#setting(item)) : [];
			case "workspace/workspaceFolders":
				return [folderOf(this.#root)];
			case "client/registerCapability":
				for (const one of registrationsIn(given.registrations)) {
					if (this.#registrations.size < limits.registrations) this.#registrations.set(one.id, one);
				}
				this.onChanged?.();
				return null;
			case "client/unregisterCapability":
				for (const one of registrationsIn(given.unregisterations)) this.#registrations.delete(one.id);
				return null;
			case "workspace/applyEdit":
				return this.#applyEdit(given as unknown as ApplyWorkspaceEditParams);
			default:
				return null;
		}
	}

	async #applyEdit(params: ApplyWorkspaceEditParams): Promise<{ applied: boolean; failureReason?: string }> {
		if (!this.applies) return { applied: false, failureReason: "Nothing was asked for." };
		return { applied: await this.applies(params) };
	}

	#setting(item: unknown): unknown {
		const section = isRecord(item) && typeof item.section === "string" ? item.section : "";
		return settingAt(this.#row.settings ?? {}, section);
	}
}

/** Shells exit with 127 for a command that does not exist, and with 126 for one that they may not run. */
function exitReason(reason: string, isContained: boolean): string {
	const [, code] = /^it exited with code (\d+)$/.exec(reason) ?? [];
	if (code === undefined) return reason;
	const where = isContained ? " in the sandbox" : "";
	const meanings: Record<string, string> = {
		126: `, command not executable${where}`,
		127: `, command not found${where}`,
	};
	return `exit ${code}${meanings[code] ?? ""}`;
}

/** `python.analysis` may be a section of its own, or a part of `python`. */
function settingAt(settings: Readonly<Record<string, unknown>>, section: string): unknown {
	if (section in settings) return settings[section];
	const below = Object.entries(settings).filter(([name]) => name.startsWith(`${section}.`));
	if (below.length > 0)
		return Object.fromEntries(below.map(([name, value]) => [name.slice(section.length + 1), value]));
	let value: unknown = settings;
	for (const part of section.split(".")) value = isRecord(value) ? value[part] : undefined;
	return value ?? null;
}

function initializeParams({ row, root }: ServerStart): unknown {
	return {
		// In a sandbox it would name another process, or none: a server that watches its parent would exit.
		processId: null,
		clientInfo: { name: "tau", version: ownVersion },
		rootUri: pathToFileURL(root).href,
		rootPath: root,
		workspaceFolders: [folderOf(root)],
		capabilities: clientCapabilities,
		initializationOptions: row.initializationOptions ?? {},
	};
}

function folderOf(root: string): { uri: string; name: string } {
	return { uri: pathToFileURL(root).href, name: root.split("/").at(-1) ?? root };
}
