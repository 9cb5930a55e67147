/** A played VS Code: the parts of its module that our extension uses, and a user of it. */
import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

import { announce } from "../../editors/vscode/announce.js";

interface Position {
	line: number;
	character: number;
}

class Uri {
	readonly scheme: string;
	readonly path: string;
	readonly query: string;

	constructor(scheme: string, path: string, query = "") {
		this.scheme = scheme;
		this.path = path;
		this.query = query;
	}

	static file(path: string): Uri {
		return new Uri("file", path);
	}

	static from({ scheme, path, query = "" }: { scheme: string; path: string; query?: string }): Uri {
		return new Uri(scheme, path, query);
	}

	static parse(text: string): Uri {
		return Uri.file(fileURLToPath(text));
	}

	get fsPath(): string {
		return this.path;
	}

	toString(): string {
		if (this.scheme === "file") return pathToFileURL(this.path).href;
		return `${this.scheme}:${this.path}?${this.query}`;
	}
}

interface Files {
	readFile(uri: Uri): Uint8Array;
	writeFile(uri: Uri, content: Uint8Array): void;
}

interface Tab {
	label: string;
	isActive: boolean;
	isDirty: boolean;
	input: { original: Uri; modified: Uri };
}

interface Document {
	uri: Uri;
	languageId: string;
	isDirty: boolean;
	isUntitled: boolean;
	getText(range?: unknown): string;
}

export interface PlayedDiff {
	readonly title: string;
	/** The file before the change. */
	readonly before: string;
	readonly proposed: string;
	/** The button ✓, after the proposed text was changed to this. */
	accept(text?: string): Promise<void>;
	/** The button ✗. */
	reject(): Promise<void>;
	/** Ctrl+S, which writes the proposed text. */
	save(text: string): void;
	close(): void;
}

export interface PlayedEditor extends Disposable {
	readonly port: number;
	readonly lock: string;
	/** Variables of its terminals. */
	readonly env: Record<string, string>;
	/** Files that were opened by the other side. */
	readonly opened: readonly string[];
	/** Those that are open now. */
	readonly diffs: readonly PlayedDiff[];
	select(file: string, text: string, start: Position, end: Position): void;
	/** The command that mentions the selection in the prompt. */
	mention(): void;
	setDiagnostics(
		file: string,
		diagnostics: readonly { message: string; severity: number; line: number }[],
	): void;
}

/** Its module, as our extension uses it, with handles for what a user does. */
class PlayedModule {
	readonly #events = new EventEmitter();
	readonly #commands = new Map<string, (...args: unknown[]) => unknown>();
	#files: Files | undefined;
	readonly tabs: Tab[] = [];
	readonly documents: Document[] = [];
	readonly opened: string[] = [];
	readonly diagnostics = new Map<string, unknown[]>();
	active: { document: Document; selection: unknown } | undefined;

	readonly folders: readonly string[];

	constructor(folders: readonly string[]) {
		this.folders = folders;
	}

	readonly #on =
		(name: string) =>
		(listener: (event: unknown) => void): { dispose(): void } => {
			this.#events.on(name, listener);
			return { dispose: () => void this.#events.off(name, listener) };
		};

	emit(name: string, event?: unknown): void {
		this.#events.emit(name, event);
	}

	async run(name: string, ...args: unknown[]): Promise<void> {
		await this.#commands.get(name)?.(...args);
	}

	textOf(uri: Uri): string {
		if (uri.scheme === "file") return readFileSync(uri.path, "utf8");
		return Buffer.from(this.#files?.readFile(uri) ?? []).toString("utf8");
	}

	write(uri: Uri, text: string): void {
		this.#files?.writeFile(uri, Buffer.from(text));
	}

	close(tabs: readonly Tab[]): void {
		for (const tab of tabs) this.tabs.splice(this.tabs.indexOf(tab), 1);
		this.emit("tabs", { closed: tabs });
	}

	#showDiff(original: Uri, modified: Uri, label: string): void {
		this.tabs.push({ label, isActive: true, isDirty: false, input: { original, modified } });
	}

	get vscode(): unknown {
		const tabsNow = (): Tab[] => [...this.tabs];
		const activeNow = () => this.active;
		const commands = this.#commands;
		return {
			Uri,
			EventEmitter: class {
				readonly event = (): { dispose(): void } => ({ dispose: () => {} });
			},
			FileType: { File: 1 },
			FileSystemError: {
				FileNotFound: (uri: Uri) => new Error(`not found: ${String(uri)}`),
				NoPermissions: (uri: Uri) => new Error(`no permissions: ${String(uri)}`),
			},
			env: { appName: "Played Code" },
			commands: {
				registerCommand: (name: string, run: (...args: unknown[]) => unknown) => {
					commands.set(name, run);
					return { dispose: () => void commands.delete(name) };
				},
				executeCommand: async (_: "vscode.diff", ...[original, modified, label]: [Uri, Uri, string]) =>
					this.#showDiff(original, modified, label),
			},
			workspace: {
				workspaceFolders: this.folders.map((path) => ({ name: path, uri: Uri.file(path) })),
				textDocuments: this.documents,
				onDidChangeWorkspaceFolders: this.#on("folders"),
				registerFileSystemProvider: (_: string, files: Files) => {
					this.#files = files;
					return { dispose: () => {} };
				},
				openTextDocument: async (uri: Uri) => ({ uri }),
			},
			window: {
				get activeTextEditor() {
					return activeNow();
				},
				onDidChangeTextEditorSelection: this.#on("selection"),
				onDidChangeActiveTextEditor: this.#on("active"),
				showTextDocument: async ({ uri }: { uri: Uri }) => void this.opened.push(uri.path),
				tabGroups: {
					get all() {
						return [{ isActive: true, tabs: tabsNow() }];
					},
					onDidChangeTabs: this.#on("tabs"),
					close: async (tabs: readonly Tab[]) => this.close(tabs),
				},
			},
			languages: {
				getDiagnostics: (uri?: Uri) =>
					uri
						? (this.diagnostics.get(uri.path) ?? [])
						: [...this.diagnostics].map(([path, all]) => [Uri.file(path), all]),
			},
		};
	}
}

/** A window with these folders, which announces itself in the home directory. */
export async function playEditor(home: string, folders: readonly string[]): Promise<PlayedEditor> {
	const played = new PlayedModule(folders);
	const env: Record<string, string> = {};
	const subscriptions: { dispose(): void }[] = [];
	const context = {
		subscriptions,
		environmentVariableCollection: { replace: (name: string, value: string) => void (env[name] = value) },
	};
	const { port, lock } = await announce(played.vscode, context, home);
	return {
		port,
		lock,
		env,
		opened: played.opened,
		get diffs() {
			return played.tabs.map((tab) => diffOf(played, tab));
		},
		select: (file, text, start, end) => {
			const isEmpty = text === "";
			played.active = {
				document: {
					uri: Uri.file(file),
					languageId: "plaintext",
					isDirty: false,
					isUntitled: false,
					getText: () => text,
				},
				selection: { start, end, isEmpty },
			};
			played.emit("selection");
		},
		mention: () => void played.run("tau.mention"),
		setDiagnostics: (file, diagnostics) => {
			const all = diagnostics.map(({ message, severity, line }) => ({
				message,
				severity,
				range: { start: { line, character: 0 }, end: { line, character: 1 } },
			}));
			played.diagnostics.set(file, all);
		},
		[Symbol.dispose]() {
			for (const each of subscriptions) each.dispose();
		},
	};
}

function diffOf(played: PlayedModule, tab: Tab): PlayedDiff {
	const { original, modified } = tab.input;
	return {
		title: tab.label,
		before: played.textOf(original),
		proposed: played.textOf(modified),
		accept: async (text) => {
			if (text !== undefined)
				played.documents.push({
					uri: modified,
					languageId: "plaintext",
					isDirty: true,
					isUntitled: false,
					getText: () => text,
				});
			await played.run("tau.accept", modified);
		},
		reject: () => played.run("tau.reject", modified),
		save: (text) => played.write(modified, text),
		close: () => played.close([tab]),
	};
}
