/** Lets the user find a session, preview it, open it, rename it or move it to the trash. */
import { setImmediate } from "node:timers/promises";

import { getKeybindings, keyHint, rawKeyHint, visibleWidth, wrapTextWithAnsi, type Theme } from "@tau/tui";
import { shortenHome } from "@tau/utils";
import type { SessionInfo } from "@tau/log";

import { plural } from "../../views/format.ts";
import { Picker } from "../kit/picker.ts";
import { firstRows, plain, row, type Column } from "../kit/row.ts";
import type { PickerScreen, PickerSpec } from "../kit/spec.ts";
import { limits } from "../limits.ts";
import type { Mark, SessionMarks } from "@tau/session-commands/shared/session-marks";
import { programOf, type Where } from "@tau/session-commands/work";
import type { LastWord } from "./preview.ts";
import { ago, nextOrder, SessionIndexText, sessionRows, titleOf, type SortOrder } from "./session-rows.ts";
import { SessionTextSearch } from "./text-search.ts";

export interface SessionSelectorParts {
	cwd: string;
	/** The file of the session that is open. */
	current: string | undefined;
	search?: string;
	list(where: Where, onProgress: (loaded: number, total: number) => void): Promise<SessionInfo[]>;
	/** The sessions of agents of these, which only a search shows. */
	listAgents(sessions: readonly SessionInfo[]): Promise<SessionInfo[]>;
	preview(path: string): Promise<LastWord | undefined>;
	/** Rejects with why it cannot be opened. */
	open(info: SessionInfo): Promise<void>;
	/** Returns the reason against the name, worded for the user. */
	rename(info: SessionInfo, name: string): string | undefined | Promise<string | undefined>;
	/** Which sessions are pinned or archived. */
	marks: Pick<SessionMarks, "has" | "toggle">;
	remove(info: SessionInfo): string | undefined | Promise<string | undefined>;
	now(): number;
	close(): void;
}

export class SessionSelector implements Disposable {
	readonly #parts: SessionSelectorParts;
	readonly #texts = new SessionIndexText();
	readonly #search: SessionTextSearch;
	readonly #lists = new Map<Where, readonly SessionInfo[]>();
	readonly #asked = new Set<Where>();
	readonly #agents = new Map<Where, readonly SessionInfo[]>();
	readonly #words = new Map<string, LastWord | undefined>();
	readonly component: Picker<SessionInfo>;
	#sort: SortOrder = "recent";
	#named = false;
	#hasPath = false;
	#isWholeText = false;
	#progress = "";
	/** The width of the column of branches; without any, there is none. */
	#branchCells = 0;
	/** The width of the column of outcomes. */
	#outcomeCells = 0;
	#where: Where = "here";
	#isClosed = false;

	constructor(screen: PickerScreen, parts: SessionSelectorParts) {
		this.#parts = parts;
		this.#search = new SessionTextSearch(() => this.component.refresh());
		this.component = new Picker(screen, this.#spec());
	}

	[Symbol.dispose](): void {
		this.#isClosed = true;
		this.#search[Symbol.dispose]();
	}

	#spec(): PickerSpec<SessionInfo> {
		const { search, close } = this.#parts;
		return {
			title: () => this.#title(),
			tabs: () => [
				{ id: "here", label: "This directory" },
				{ id: "everywhere", label: "All directories" },
				{ id: "archived", label: "Archived" },
			],
			...(search === undefined ? {} : { search }),
			items: (query, tab) => this.#items(query, tab),
			idOf: ({ path }) => path,
			row: (info, width, theme) => this.#line(info, width, theme),
			about: (info, width, theme) => this.#about(info, width, theme),
			aboutRows: limits.previewRows,
			empty: (query) => this.#empty(query),
			hints: (theme) => [
				keyHint(theme, "tui.select.confirm", "open"),
				keyHint(theme, "app.list.nextTab", "where"),
				keyHint(theme, "app.session.searchText", "search all text"),
				keyHint(theme, "app.session.rename", "rename"),
				keyHint(theme, "app.session.pin", "pin"),
				keyHint(theme, "app.session.archive", "archive"),
				keyHint(theme, "app.session.delete", "delete"),
				keyHint(theme, "app.session.toggleSort", this.#sort),
				keyHint(theme, "app.session.toggleNamedFilter", this.#named ? "named only" : "all"),
				rawKeyHint(theme, "escape", "close"),
			],
			onKey: (data, info) => this.#key(data, info),
			onSelectionChange: (info) => void this.#preview(info),
			onConfirm: async (info) => {
				if (info.path === this.#parts.current) throw new Error("This is the current session.");
				this.component.showMessage("Opening…");
				await this.#parts.open(info);
				close();
			},
			onCancel: close,
		};
	}

	#title(): string {
		const kind = this.#isWholeText ? "Sessions, full-text search" : "Sessions";
		return this.#progress === "" ? kind : `${kind} (${this.#progress})`;
	}

	#empty(search: string): string {
		if (this.#progress !== "" || !this.#lists.has(this.#where)) return `Reading… ${this.#progress}`.trim();
		return search === "" ? "No sessions yet" : `No session matches "${plain(search)}"`;
	}

	#items(search: string, tab: string): readonly SessionInfo[] {
		const where: Where = tab === "here" ? "here" : "everywhere";
		this.#where = where;
		const listed = this.#lists.get(where);
		if (!this.#asked.has(where)) void this.#load(where);
		if (listed && search !== "" && !this.#agents.has(where)) void this.#loadAgents(where, listed);
		const sessions = [...(listed ?? []), ...(search === "" ? [] : (this.#agents.get(where) ?? []))];
		const matches = this.#isWholeText ? this.#search.look(search, sessions).matches : undefined;
		const { marks } = this.#parts;
		const isArchive = tab === "archived";
		const shown = sessions.filter(({ id }) => marks.has("archived", id) === isArchive);
		const rows = sessionRows(
			shown,
			{
				search,
				sort: this.#sort,
				named: this.#named,
				...(where === "here" ? { cwd: this.#parts.cwd } : {}),
				...(matches ? { matches } : {}),
			},
			this.#texts,
		);
		this.#outcomeCells = rows.reduce((most, { outcome = "" }) => Math.max(most, outcome.length), 0);
		this.#branchCells = Math.min(
			limits.branchCells,
			rows.reduce((most, { branch = "" }) => Math.max(most, visibleWidth(plain(branch))), 0),
		);
		const isPinned = ({ id }: SessionInfo): boolean => marks.has("pinned", id);
		return [...rows.filter(isPinned), ...rows.filter((info) => !isPinned(info))];
	}

	async #load(where: Where): Promise<void> {
		this.#asked.add(where);
		try {
			// The list is on the screen before its files are read.
			await setImmediate();
			const sessions = await this.#parts.list(where, (loaded, total) => {
				// With an index the list is read at once; only the first time shows progress.
				if (loaded % 100 !== 0 || this.#isClosed) return;
				this.#progress = `${loaded}/${total}`;
				this.component.refresh();
			});
			this.#lists.set(where, sessions);
			this.#progress = "";
			if (!this.#isClosed) this.component.refresh();
		} catch (error) {
			this.#progress = "";
			this.component.showMessage(`Cannot read the sessions: ${messageOf(error)}`, "error");
		}
	}

	async #loadAgents(where: Where, sessions: readonly SessionInfo[]): Promise<void> {
		this.#agents.set(where, []);
		try {
			this.#agents.set(where, await this.#parts.listAgents(sessions));
			if (!this.#isClosed) this.component.refresh();
		} catch (error) {
			this.component.showMessage(`Cannot read the sessions of agents: ${messageOf(error)}`, "error");
		}
	}

	async #preview(info: SessionInfo | undefined): Promise<void> {
		if (!info || this.#words.has(info.path)) return;
		this.#words.set(info.path, undefined);
		try {
			this.#words.set(info.path, await this.#parts.preview(info.path));
			if (!this.#isClosed) this.component.refresh();
		} catch {
			// The file may be gone by now; opening it reports that.
		}
	}

	#key(data: string, info: SessionInfo | undefined): boolean {
		const keys = getKeybindings();
		if (keys.matches(data, "app.session.toggleSort")) this.#sort = nextOrder(this.#sort);
		else if (keys.matches(data, "app.session.toggleNamedFilter")) this.#named = !this.#named;
		else if (keys.matches(data, "app.session.togglePath")) this.#hasPath = !this.#hasPath;
		else if (keys.matches(data, "app.session.searchText")) this.#toggleText();
		else if (keys.matches(data, "app.session.rename")) this.#rename(info);
		else if (keys.matches(data, "app.session.pin")) this.#mark("pinned", info);
		else if (keys.matches(data, "app.session.archive")) this.#mark("archived", info);
		else if (keys.matches(data, "app.session.delete")) this.#remove(info);
		else return false;
		this.component.refresh();
		return true;
	}

	#mark(mark: Mark, info: SessionInfo | undefined): void {
		if (info) void this.#parts.marks.toggle(mark, info.id);
	}

	#toggleText(): void {
		this.#isWholeText = !this.#isWholeText;
		this.#search.stop();
	}

	#rename(info: SessionInfo | undefined): void {
		if (!info) return;
		this.component.ask({
			label: "Session name",
			initial: info.name ?? "",
			onSubmit: async (search) => {
				const name = search.trim();
				if (name === "") return "The name cannot be empty.";
				const wrong = await this.#parts.rename(info, name);
				if (wrong !== undefined) return wrong;
				this.#change((each) => (each.path === info.path ? withName(each, name) : each));
				return undefined;
			},
		});
	}

	#remove(info: SessionInfo | undefined): void {
		if (!info) return;
		if (info.path === this.#parts.current)
			return this.component.showMessage("The current session cannot be deleted.", "warning");
		this.component.confirm(`Move "${cut(titleOf(info))}" to the trash?`, async () => {
			const wrong = await this.#parts.remove(info);
			if (wrong !== undefined) throw new Error(wrong);
			this.#change((each) => (each.path === info.path ? undefined : each));
			this.component.showMessage("Moved to the trash.", "success");
		});
	}

	#change(of: (info: SessionInfo) => SessionInfo | undefined): void {
		for (const lists of [this.#lists, this.#agents])
			for (const [where, sessions] of lists)
				lists.set(
					where,
					sessions.flatMap((info) => of(info) ?? []),
				);
		this.component.refresh();
	}

	#line(info: SessionInfo, width: number, theme: Theme): string {
		const dim = (text: string): string => theme.fg("dim", text);
		const pin = this.#parts.marks.has("pinned", info.id) ? "★ " : "";
		const program = programOf(info);
		const agent = info.agent === undefined ? "" : `(agent ${plain(info.agent)}) `;
		const from = program === undefined ? agent : `(${program}) ${agent}`;
		const title = `${info.path === this.#parts.current ? "●" : " "} ${pin}${from}${plain(titleOf(info))}`;
		const place = this.component.tab !== "here" || this.#hasPath;
		const columns = [
			{ text: ago(info.modified, this.#parts.now()), width: 4, align: "right" as const, paint: dim },
			{ text: String(info.messageCount), width: 5, align: "right" as const, paint: dim },
			{ ...outcomeCell(info, theme), width: this.#outcomeCells },
			{ text: plain(info.branch ?? ""), width: this.#branchCells, paint: dim },
			{ text: place ? plain(shortenHome(info.cwd)) : "", width: place ? 24 : 0, paint: dim },
		];
		return row(title, columns, width, (text) => (info.name === undefined ? text : theme.fg("accent", text)));
	}

	#about(info: SessionInfo, width: number, theme: Theme): string[] {
		const last = this.#words.get(info.path);
		const program = programOf(info);
		const facts = [
			program === undefined ? "" : `of ${program}: continues in a copy`,
			plural(info.messageCount, "message"),
			info.outcome ?? "",
			info.branch === undefined ? "" : `on ${info.branch}`,
			sizeOf(info.size),
			`created ${info.created.toISOString().slice(0, 16).replace("T", " ")}`,
			this.#hasPath ? shortenHome(info.path) : shortenHome(info.cwd),
		];
		const first = info.firstMessage === "" ? [] : [`You: ${plain(info.firstMessage)}`];
		const words = last && `${last.who === "you" ? "You" : "Model"}: ${last.text}`;
		const final = words === undefined || words === first[0] ? [] : [words];
		const most = Math.max(1, Math.floor((limits.previewRows - 1) / 2));
		const lines = [...first, ...final].flatMap((text) =>
			firstRows(wrapTextWithAnsi(text, width), most, width),
		);
		return [
			theme.fg("dim", plain(facts.filter((fact) => fact !== "").join(" · "))),
			...lines.map((line) => theme.fg("muted", line)),
		];
	}
}

/** Outcomes that ask for attention have a color; most sessions are done. */
function outcomeCell({ outcome }: SessionInfo, theme: Theme): Pick<Column, "text" | "paint"> {
	const color =
		outcome === "failed" ? "error" : outcome === "waiting" || outcome === "running" ? "warning" : "dim";
	return { text: outcome ?? "", paint: (text) => theme.fg(color, text) };
}

/** This is not a full copy: the text of all messages is read from disk on access. */
function withName(info: SessionInfo, name: string): SessionInfo {
	const { path, id, cwd, branch, outcome, created, modified, messageCount, firstMessage, size } = info;
	return {
		path,
		id,
		cwd,
		name,
		...(info.agent === undefined ? {} : { agent: info.agent }),
		...(branch === undefined ? {} : { branch }),
		...(outcome === undefined ? {} : { outcome }),
		created,
		modified,
		messageCount,
		firstMessage,
		size,
		get allMessagesText() {
			return info.allMessagesText;
		},
	};
}

function sizeOf(bytes: number): string {
	if (bytes < 1024) return `${bytes} B`;
	return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function cut(text: string): string {
	const shown = plain(text);
	return shown.length > 24 ? `${shown.slice(0, 23)}…` : shown;
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
