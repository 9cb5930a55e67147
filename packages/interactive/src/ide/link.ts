/** A connected editor: what its user has open and selected, and what it can be asked to show. */
import { isAbsolute, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { partBlock, type Mentions } from "@tau/session-commands/shared/attachments";
import { isRecord, log } from "@tau/utils";

import { EditorConnection, parsedJson } from "./connection.ts";
import { limits } from "./limits.ts";
import { cleanName, type OfferedEditor } from "./lock-files.ts";

export interface Selection {
	readonly file: string;
	/** Empty where there is only a cursor. */
	readonly text: string;
	/** Counted from 1, both included. */
	readonly from: number;
	readonly to: number;
}

/** Lines of a file that the user sends to the prompt from the editor; all of it without lines. */
export interface Mentioned {
	readonly file: string;
	readonly lines?: { readonly from: number; readonly to: number };
}

export interface LinkEvents {
	onChange(): void;
	onMention(mentioned: Mentioned): void;
	onLost(): void;
}

/** What the user of the editor did with a diff; undefined where the tab was closed, which answers nothing. */
export type DiffAnswer =
	{ readonly isAccepted: true; readonly text: string } | { readonly isAccepted: false };

export class EditorLink implements Disposable {
	readonly name: string;
	readonly port: number;
	readonly #connection: EditorConnection;
	#selection: Selection | undefined;

	private constructor({ name, port }: OfferedEditor, connection: EditorConnection) {
		this.name = name;
		this.port = port;
		this.#connection = connection;
	}

	/** Rejects with the reason for the user. */
	static async open(editor: OfferedEditor, events: LinkEvents): Promise<EditorLink> {
		const opened = Promise.withResolvers<EditorLink>();
		const connection = await EditorConnection.open(editor, {
			onNotification: (method, params) =>
				// What comes before the link is made waits for it.
				void opened.promise.then((made) => made.#take(method, params, events)),
			onLost: () => events.onLost(),
		});
		const link = new EditorLink(editor, connection);
		await link.#readSelection();
		opened.resolve(link);
		return link;
	}

	/** The file that is open, with what is selected in it. */
	get selection(): Selection | undefined {
		return this.#selection;
	}

	/** For the footer: the open file and the selected lines. */
	describe(cwd: string): string {
		if (!this.#selection) return `⧉ ${this.name}`;
		const { file, text, from, to } = this.#selection;
		return `⧉ ${cleanName(shownPath(file, cwd))}${text === "" ? "" : linesText(from, to)}`;
	}

	async openFile(file: string): Promise<void> {
		await this.#connection.callTool("openFile", {
			filePath: file,
			preview: false,
			startText: "",
			endText: "",
			selectToEndOfLine: false,
			makeFrontmost: true,
		});
	}

	/** Lines such as `src/a.ts:3:5 error: …`; of the open file, or of all files where none is open. */
	async diagnostics(cwd: string): Promise<string[]> {
		const open = this.#selection?.file;
		const args = open === undefined ? {} : { uri: pathToFileURL(open).href };
		const [text = "[]"] = await this.#connection.callTool("getDiagnostics", args);
		const files = parsedJson(text);
		return (Array.isArray(files) ? files : [])
			.flatMap((file) => diagnosticLines(file, cwd))
			.slice(0, limits.diagnostics);
	}

	/** What a prompt means with `@selection` and `@diagnostics`. */
	async mentions(text: string, cwd: string): Promise<Mentions> {
		const found: Mentions = { texts: [], images: [], problems: [] };
		if (isMentioned("selection", text)) this.#addSelection(found, cwd);
		if (isMentioned("diagnostics", text)) await this.#addDiagnostics(found, cwd);
		return found;
	}

	#addSelection({ texts, problems }: Mentions, cwd: string): void {
		const { file, text, from, to } = this.#selection ?? { file: "", text: "", from: 0, to: 0 };
		if (text === "") problems.push(`@selection: nothing is selected in ${this.name}.`);
		else if (text.length > limits.selectionChars)
			problems.push(
				`@selection is longer than ${limits.selectionChars} characters; mention the file instead.`,
			);
		else texts.push(partBlock(shownPath(file, cwd), { from, to }, text));
	}

	async #addDiagnostics({ texts, problems }: Mentions, cwd: string): Promise<void> {
		try {
			const lines = await this.diagnostics(cwd);
			texts.push(
				`<diagnostics from="${this.name.replaceAll('"', "")}">\n${lines.join("\n") || "none"}\n</diagnostics>`,
			);
		} catch (error) {
			problems.push(`@diagnostics: ${error instanceof Error ? error.message : String(error)}`);
		}
	}

	/** Shows a change and waits for what the user of the editor does with it. */
	async showDiff(
		change: { file: string; text: string; title: string },
		signal: AbortSignal,
	): Promise<DiffAnswer | undefined> {
		const { file, text, title } = change;
		const args = { old_file_path: file, new_file_path: file, new_file_contents: text, tab_name: title };
		try {
			const [outcome, content] = await this.#connection.callTool("openDiff", args, signal);
			if (outcome === "FILE_SAVED") return { isAccepted: true, text: content ?? text };
			return outcome === "DIFF_REJECTED" ? { isAccepted: false } : undefined;
		} finally {
			if (signal.aborted) void this.#close(title);
		}
	}

	[Symbol.dispose](): void {
		this.#connection[Symbol.dispose]();
	}

	async #close(title: string): Promise<void> {
		try {
			await this.#connection.callTool("close_tab", { tab_name: title });
		} catch (error) {
			log.debug("the editor did not close the diff", { reason: String(error) });
		}
	}

	async #readSelection(): Promise<void> {
		try {
			const [text = ""] = await this.#connection.callTool("getCurrentSelection", {});
			const selection = parsedJson(text);
			if (isRecord(selection)) this.#selection = selectionIn(selection);
		} catch (error) {
			// Not every editor has this tool; the next selection is announced anyway.
			log.debug("the editor does not say what is selected", { reason: String(error) });
		}
	}

	#take(method: string, params: Readonly<Record<string, unknown>>, events: LinkEvents): void {
		if (method === "selection_changed") {
			this.#selection = selectionIn(params);
			events.onChange();
		} else if (method === "at_mentioned") {
			const mentioned = mentionIn(params);
			if (mentioned) events.onMention(mentioned);
		} else log.debug("a notification of the editor is unknown", { method });
	}
}

export function shownPath(file: string, cwd: string): string {
	const path = relative(cwd, file);
	return path === "" || path.startsWith("..") || isAbsolute(path) ? file : path;
}

function isMentioned(name: string, text: string): boolean {
	return new RegExp(`(?<![^\\s("'\`])@${name}\\b(?![/.\\w-])`).test(text);
}

function linesText(from: number, to: number): string {
	return from === to ? `:${from}` : `:${from}-${to}`;
}

export function mentionText({ file, lines }: Mentioned, cwd: string): string {
	const path = `${shownPath(file, cwd)}${lines ? linesText(lines.from, lines.to) : ""}`;
	return /[\s"']/.test(path) ? `@"${path.replaceAll('"', "")}"` : `@${path}`;
}

function selectionIn({
	filePath,
	text,
	selection,
}: Readonly<Record<string, unknown>>): Selection | undefined {
	if (!isPath(filePath)) return undefined;
	const { start, end } = isRecord(selection) ? selection : {};
	const from = lineOf(start) ?? 0;
	const to = Math.max(from, lineOf(end) ?? from);
	// A selection that ends at the start of a line does not contain the line.
	const isBefore = to > from && isRecord(end) && end.character === 0;
	return {
		file: filePath,
		text: typeof text === "string" ? text : "",
		from: from + 1,
		to: isBefore ? to : to + 1,
	};
}

function mentionIn({
	filePath,
	lineStart,
	lineEnd,
}: Readonly<Record<string, unknown>>): Mentioned | undefined {
	if (!isPath(filePath)) return undefined;
	const from = wholeNumber(lineStart);
	if (from === undefined) return { file: filePath };
	return { file: filePath, lines: { from: from + 1, to: Math.max(from, wholeNumber(lineEnd) ?? from) + 1 } };
}

/** What an editor sends goes to the screen and the prompt: a path with control characters is none. */
function isPath(value: unknown): value is string {
	return typeof value === "string" && isAbsolute(value) && !/\p{Cc}/u.test(value);
}

function lineOf(position: unknown): number | undefined {
	return isRecord(position) ? wholeNumber(position.line) : undefined;
}

function wholeNumber(value: unknown): number | undefined {
	return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function diagnosticLines(file: unknown, cwd: string): string[] {
	if (!isRecord(file) || typeof file.uri !== "string" || !Array.isArray(file.diagnostics)) return [];
	const path = shownPath(pathOf(file.uri), cwd);
	return file.diagnostics.flatMap((diagnostic: unknown) => {
		if (!isRecord(diagnostic) || typeof diagnostic.message !== "string") return [];
		const { message, severity, range } = diagnostic;
		const start = isRecord(range) && isRecord(range.start) ? range.start : {};
		const place = `${(wholeNumber(start.line) ?? 0) + 1}:${(wholeNumber(start.character) ?? 0) + 1}`;
		const kind = typeof severity === "string" ? severity.toLowerCase() : "problem";
		return [
			`${cleanName(path)}:${place} ${cleanName(kind)}: ${message.replace(/\s+/g, " ").slice(0, limits.diagnosticChars)}`,
		];
	});
}

function pathOf(uri: string): string {
	try {
		return fileURLToPath(uri);
	} catch {
		// A file that is on no disk, such as one that was never saved.
		return uri;
	}
}
