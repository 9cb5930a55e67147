/** Diffs that wait for the user: the proposed text is a file in memory that may be edited before it is accepted. */
import { existsSync } from "node:fs";

const scheme = "tau-diff";

export class Diffs {
	#vscode;
	/** The open ones, by the address of the proposed text. */
	#open = new Map();
	#last = 0;
	#subscriptions;

	constructor(vscode) {
		this.#vscode = vscode;
		this.#subscriptions = [
			vscode.workspace.registerFileSystemProvider(scheme, this.#files(), { isCaseSensitive: true }),
			vscode.commands.registerCommand("tau.accept", (uri) => this.#accept(uri)),
			vscode.commands.registerCommand("tau.reject", (uri) => this.#reject(uri)),
			vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.#closed(closed)),
		];
	}

	/** Resolves with what the user did: accepted with a text, rejected, or closed. */
	async open({ before, after, text, title }) {
		const { Uri, commands } = this.#vscode;
		const number = ++this.#last;
		const proposed = Uri.from({ scheme, path: after, query: String(number) });
		const answered = new Promise((resolve) => {
			this.#open.set(proposed.toString(), { title, text, uri: proposed, resolve });
		});
		const empty = Uri.from({ scheme, path: after, query: `${number}-empty` });
		const left = existsSync(before) ? Uri.file(before) : empty;
		await commands.executeCommand("vscode.diff", left, proposed, title, { preview: false });
		return await answered;
	}

	async close(title) {
		for (const diff of this.#open.values()) if (diff.title === title) await this.#end(diff, ["TAB_CLOSED"]);
	}

	async closeAll() {
		const all = [...this.#open.values()];
		for (const diff of all) await this.#end(diff, ["TAB_CLOSED"]);
		return all.length;
	}

	dispose() {
		for (const { resolve } of this.#open.values()) resolve(["TAB_CLOSED"]);
		this.#open.clear();
		for (const each of this.#subscriptions) each.dispose();
	}

	async #accept(uri) {
		const diff = this.#of(uri);
		if (!diff) return;
		const document = this.#vscode.workspace.textDocuments.find(
			(each) => each.uri.toString() === diff.uri.toString(),
		);
		await this.#end(diff, ["FILE_SAVED", document?.getText() ?? diff.text]);
	}

	async #reject(uri) {
		const diff = this.#of(uri);
		if (diff) await this.#end(diff, ["DIFF_REJECTED", diff.title]);
	}

	/** The button of a tab names it; the command palette means the active one. */
	#of(uri) {
		const active = uri ?? this.#vscode.window.activeTextEditor?.document.uri;
		return active && this.#open.get(active.toString());
	}

	async #end(diff, texts) {
		this.#open.delete(diff.uri.toString());
		diff.resolve(texts);
		const { tabGroups } = this.#vscode.window;
		const tabs = tabGroups.all.flatMap(({ tabs: each }) => each);
		const own = tabs.filter(({ input }) => input?.modified?.toString() === diff.uri.toString());
		if (own.length > 0) await tabGroups.close(own, true);
	}

	#closed(tabs) {
		for (const { input } of tabs) {
			const diff = input?.modified && this.#open.get(input.modified.toString());
			if (!diff) continue;
			this.#open.delete(diff.uri.toString());
			diff.resolve(["TAB_CLOSED"]);
		}
	}

	/** Saving accepts, as in an ordinary file. */
	#files() {
		const { EventEmitter, FileType, FileSystemError } = this.#vscode;
		const changes = new EventEmitter();
		const textOf = (uri) => (uri.query.endsWith("-empty") ? "" : this.#open.get(uri.toString())?.text);
		return {
			onDidChangeFile: changes.event,
			watch: () => ({ dispose() {} }),
			stat: (uri) => ({
				type: FileType.File,
				ctime: 0,
				mtime: 0,
				size: Buffer.byteLength(textOf(uri) ?? ""),
			}),
			readFile: (uri) => {
				const text = textOf(uri);
				if (text === undefined) throw FileSystemError.FileNotFound(uri);
				return Buffer.from(text);
			},
			writeFile: (uri, content) => {
				const diff = this.#open.get(uri.toString());
				if (!diff) throw FileSystemError.NoPermissions(uri);
				diff.text = Buffer.from(content).toString("utf8");
				void this.#end(diff, ["FILE_SAVED", diff.text]);
			},
			readDirectory: () => [],
			createDirectory: (uri) => {
				throw FileSystemError.NoPermissions(uri);
			},
			delete: (uri) => {
				throw FileSystemError.NoPermissions(uri);
			},
			rename: (uri) => {
				throw FileSystemError.NoPermissions(uri);
			},
		};
	}
}
