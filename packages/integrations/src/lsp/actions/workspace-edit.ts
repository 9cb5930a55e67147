/** Turns the edits of a server into changes of files, which are shown, and made all together or not at all. */
import type { AgentToolResult } from "@tau/agent";
import { existing, type CommitOptions, type FileChange, type MachineFiles } from "@tau/sys";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";

import { LineText, unify, everything, unifiedDiff } from "@tau/tools/files";
import { pendingActions } from "@tau/tools/resolve";
import { type ToolContext, errorResult, textResult } from "@tau/tools/tool";
import { LspError } from "../client/connection.ts";
import { pathOf } from "../client/diagnostic-store.ts";
import { PositionedText, type Encoding } from "../client/positions.ts";
import { shownFile } from "../diagnostics/report.ts";
import { limits } from "../limits.ts";

/** A file before and after; undefined where it does not exist. */
export interface EditedFile {
	readonly path: string;
	readonly before: string | undefined;
	readonly after: string | undefined;
	readonly renamedFrom?: string;
}

type Files = Pick<MachineFiles, "readText">;

/** The files that an edit would change, in the state that it would leave them in. Rejects with an `LspError`. */
export async function editedFiles(
	edit: WorkspaceEdit,
	files: Files,
	encoding: Encoding,
): Promise<EditedFile[]> {
	const tree = new EditedTree(files, encoding);
	for (const change of edit.documentChanges ?? []) {
		if (!("kind" in change)) await tree.edit(change.textDocument.uri, change.edits.filter(isTextEdit));
		else if (change.kind === "create") await tree.create(change.uri, change.options);
		else if (change.kind === "rename") await tree.rename(change.oldUri, change.newUri, change.options);
		else await tree.delete(change.uri);
	}
	if (!edit.documentChanges) {
		for (const [uri, edits] of Object.entries(edit.changes ?? {})) await tree.edit(uri, edits);
	}
	return tree.changed();
}

function isTextEdit(edit: object): edit is TextEdit {
	return "newText" in edit && "range" in edit;
}

interface Overwriting {
	overwrite?: boolean;
	ignoreIfExists?: boolean;
}

class EditedTree {
	readonly #files: Files;
	readonly #encoding: Encoding;
	readonly #edited = new Map<string, EditedFile>();

	constructor(files: Files, encoding: Encoding) {
		this.#files = files;
		this.#encoding = encoding;
	}

	changed(): EditedFile[] {
		return [...this.#edited.values()].filter(
			({ before, after, renamedFrom }) => before !== after || renamedFrom !== undefined,
		);
	}

	async edit(uri: string, edits: readonly TextEdit[]): Promise<void> {
		const file = await this.#at(uri);
		if (file.after === undefined) throw new LspError("refused", `There is no file ${file.path} to edit.`);
		this.#set({ ...file, after: applyEdits(file.after, edits, this.#encoding) });
	}

	async create(uri: string, { overwrite = false, ignoreIfExists = false }: Overwriting = {}): Promise<void> {
		const file = await this.#at(uri);
		if (file.after !== undefined && !overwrite) {
			if (ignoreIfExists) return;
			throw new LspError("refused", `${file.path} exists already.`);
		}
		this.#set({ ...file, after: "" });
	}

	async rename(
		oldUri: string,
		newUri: string,
		{ overwrite = false, ignoreIfExists = false }: Overwriting = {},
	): Promise<void> {
		const [from, to] = [await this.#at(oldUri), await this.#at(newUri)];
		if (from.after === undefined) throw new LspError("refused", `There is no file ${from.path} to rename.`);
		if (to.after !== undefined && !overwrite) {
			if (ignoreIfExists) return;
			throw new LspError("refused", `${to.path} exists already.`);
		}
		this.#set({ ...from, after: undefined });
		this.#set({ ...to, after: from.after, renamedFrom: from.path });
	}

	async delete(uri: string): Promise<void> {
		const file = await this.#at(uri);
		this.#set({ ...file, after: undefined });
	}

	#set(file: EditedFile): void {
		if (this.#edited.size >= limits.editedFiles && !this.#edited.has(file.path)) {
			throw new LspError("refused", `The change touches more than ${limits.editedFiles} files.`);
		}
		this.#edited.set(file.path, file);
	}

	async #at(uri: string): Promise<EditedFile> {
		const path = pathOf(uri);
		if (path === undefined) throw new LspError("refused", `${uri} is no file.`);
		const known = this.#edited.get(path);
		if (known) return known;
		const file = await this.#files.readText(path, path);
		if (!file.ok) throw new LspError("refused", file.reason);
		return { path, before: file.text, after: file.text };
	}
}

/** Edits refer to the text before all of them. Rejects those that overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[], encoding: Encoding): string {
	const positioned = new PositionedText(text, encoding);
	const splices = edits
		.map(({ range, newText }, order) => ({
			start: positioned.offsetAt(range.start),
			end: positioned.offsetAt(range.end),
			newText,
			order,
		}))
		.toSorted((a, b) => a.start - b.start || a.end - b.end || a.order - b.order);
	const parts: string[] = [];
	let at = 0;
	for (const { start, end, newText } of splices) {
		if (start < at || end < start) throw new LspError("refused", "The server's edits overlap.");
		parts.push(text.slice(at, start), newText);
		at = end;
	}
	return parts.join("") + text.slice(at);
}

/** Shows a change, which `resolve` makes. */
export function previewEdits(
	edited: readonly EditedFile[],
	what: string,
	context: ToolContext,
	notes: readonly string[] = [],
): AgentToolResult {
	if (edited.length === 0)
		return { ...textResult([`${what}: nothing would change.`, ...notes].join("\n")), useless: true };
	const { cwd } = context;
	const label = `${what}: ${edited.length} ${edited.length === 1 ? "file" : "files"}`;
	const blocks: string[] = [];
	let chars = 0;
	for (const file of edited) {
		const block = blockOf(file, cwd);
		chars += block.length;
		if (chars > limits.previewChars && blocks.length > 0) break;
		blocks.push(block);
	}
	const others = edited.slice(blocks.length).map(({ path }) => shownFile(cwd, path));
	if (others.length > 0) blocks.push(`and in: ${others.join(", ")}`.slice(0, limits.previewChars));
	context.services.get(pendingActions, context).push({
		label,
		sourceToolName: "lsp",
		paths: edited.map(({ path }) => path),
		changes: edited.map(({ path, before = "", after = "" }) => ({ path, before, after })),
		apply: (_reason, files, options) => makeChanges(files, edited, cwd, options),
	});
	blocks.push(...notes);
	const text = `${label}\n\n${blocks.join("\n\n")}\n\nNothing is written yet. Call resolve to apply or discard.`;
	return textResult(text, { files: edited.map(({ path }) => shownFile(cwd, path)), pending: true });
}

function blockOf({ path, before, after, renamedFrom }: EditedFile, cwd: string): string {
	const shown = shownFile(cwd, path);
	if (after === undefined) return `${shown}: deleted`;
	if (renamedFrom !== undefined && before === undefined) return `${shownFile(cwd, renamedFrom)} → ${shown}`;
	const [old, now] = [new LineText(unify(before ?? "").text), new LineText(unify(after).text)];
	const { diff, truncated } = unifiedDiff(old, now, everything(old, now));
	if (diff === "") return `${shown}: only line ends change`;
	return `${shown}\n${diff}${truncated ? "\n…" : ""}`;
}

/** One commit: all files or none; one that has changed since it was shown stops it. */
async function makeChanges(
	files: MachineFiles,
	edited: readonly EditedFile[],
	cwd: string,
	options: CommitOptions,
): Promise<AgentToolResult> {
	const changes: FileChange[] = [];
	for (const { path, before, after, renamedFrom } of edited) {
		const shown = shownFile(cwd, path);
		const read = await files.readText(shown, path);
		const file = before === undefined ? read : existing(read);
		if (!file.ok) return errorResult(`Nothing was written: ${file.reason}`);
		if (file.text !== before) {
			return errorResult(`Nothing was written: ${shown} has changed since the preview. Call lsp again.`);
		}
		const hasBom = file.text !== undefined && file.hasBom;
		changes.push({
			before: file,
			...(after === undefined ? {} : { after: { text: after, hasBom } }),
			...(renamedFrom === undefined ? {} : { renamedFrom }),
		});
	}
	const written = await files.commit(changes, options);
	if (!written.ok) return errorResult(`Nothing was written: ${written.reason}`);
	const names = edited.map(({ path }) => shownFile(cwd, path));
	return textResult(`Changed ${names.join(", ")}.`.slice(0, limits.previewChars), { files: names });
}
