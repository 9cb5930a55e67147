/** pi's selectors, for extensions that open one themselves. */
import type { Model, ThinkingLevel } from "@tau/ai";
import { builtinThemeNames, type SelectItem, type SelectList } from "@tau/tui";
import { oneLine } from "@tau/utils";
import type { SessionInfo, SessionTreeNode } from "@tau/log";

import type { AuthStorage } from "../sdk/auth-storage.ts";
import { sessionEntryToContextMessages } from "../support/entries.ts";
import { limits } from "./limits.ts";
import { ListDialog } from "./list-dialog.ts";

type Choose<T> = (chosen: T) => void;

export class ExtensionSelectorComponent extends ListDialog {
	readonly #timer: ReturnType<typeof setTimeout> | undefined;

	constructor(
		title: string,
		options: readonly string[],
		onSelect: Choose<string>,
		onCancel: () => void,
		{ timeout }: { timeout?: number } = {},
	) {
		super({ title, items: options.map(itemOf), onSelect, onCancel });
		if (timeout !== undefined && timeout > 0) this.#timer = setTimeout(onCancel, timeout);
	}

	dispose(): void {
		clearTimeout(this.#timer);
	}
}

export class ShowImagesSelectorComponent extends ListDialog {
	constructor(currentValue: boolean, onSelect: Choose<boolean>, onCancel: () => void) {
		const items = [
			{ value: "yes", label: "Yes", description: "Show images in the terminal" },
			{ value: "no", label: "No", description: "Show a placeholder line instead" },
		];
		super({
			items,
			selected: currentValue ? 0 : 1,
			onSelect: (value) => onSelect(value === "yes"),
			onCancel,
		});
	}
}

export class ThinkingSelectorComponent extends ListDialog {
	constructor(
		currentLevel: ThinkingLevel,
		availableLevels: readonly ThinkingLevel[],
		onSelect: Choose<ThinkingLevel>,
		onCancel: () => void,
	) {
		super({
			items: availableLevels.map(itemOf),
			selected: availableLevels.indexOf(currentLevel),
			onSelect: (value) => onSelect(availableLevels.find((level) => level === value) ?? currentLevel),
			onCancel,
		});
	}
}

export class ThemeSelectorComponent extends ListDialog {
	constructor(
		currentTheme: string,
		onSelect: Choose<string>,
		onCancel: () => void,
		onPreview: Choose<string> = () => {},
	) {
		const selected = builtinThemeNames.findIndex((name) => name === currentTheme);
		super({ items: builtinThemeNames.map(itemOf), selected, onSelect, onCancel, onMove: onPreview });
	}
}

interface Models {
	getAvailable(): readonly Model[];
}

export class ModelSelectorComponent extends ListDialog {
	constructor(
		_tui: unknown,
		currentModel: Model | undefined,
		_settings: unknown,
		registry: Models,
		scopedModels: readonly { model: Model }[],
		onSelect: Choose<Model>,
		onCancel: () => void,
		initialSearchInput: string = "",
	) {
		const models = scopedModels.length > 0 ? scopedModels.map(({ model }) => model) : registry.getAvailable();
		const nameOf = ({ provider, id }: Model): string => `${provider}/${id}`;
		super({
			items: models.map((model) => ({ value: nameOf(model), label: model.id, description: model.provider })),
			selected: models.findIndex((model) => currentModel && nameOf(model) === nameOf(currentModel)),
			search: initialSearchInput,
			onSelect: (value) => {
				const chosen = models.find((model) => nameOf(model) === value);
				if (chosen) onSelect(chosen);
			},
			onCancel,
		});
	}

	/** It owns nothing: the list is made of what the registry has when it opens. */
	dispose(): void {}
}

interface AuthProvider {
	id: string;
	name: string;
	authType?: "oauth" | "api_key";
}

export class OAuthSelectorComponent extends ListDialog {
	constructor(
		mode: "login" | "logout",
		authStorage: Pick<AuthStorage, "has">,
		providers: readonly AuthProvider[],
		onSelect: Choose<string>,
		onCancel: () => void,
	) {
		const isThere = ({ id }: AuthProvider): boolean => authStorage.has(id);
		const shown = mode === "logout" ? providers.filter(isThere) : providers;
		super({
			title: mode === "login" ? "Log in to" : "Log out of",
			items: shown.map((each) => ({
				value: each.id,
				label: each.name,
				...(isThere(each) ? { description: "logged in" } : {}),
			})),
			onSelect,
			onCancel,
		});
	}
}

type SessionsLoader = (onProgress?: (loaded: number, total: number) => void) => Promise<SessionInfo[]>;

/** Those of the directory are shown first; Tab, as in pi, switches between them and all. */
export class SessionSelectorComponent extends ListDialog {
	readonly #loaders: readonly [SessionsLoader, SessionsLoader];
	readonly #requestRender: () => void;
	readonly #current: string | undefined;
	#isAll = false;

	constructor(
		currentSessionsLoader: SessionsLoader,
		allSessionsLoader: SessionsLoader,
		onSelect: Choose<string>,
		onCancel: () => void,
		_onExit: () => void = () => {},
		requestRender: () => void = () => {},
		_options: object = {},
		currentSessionFilePath?: string,
	) {
		super({
			title: "Loading sessions",
			items: [],
			rows: limits.tallListRows,
			search: true,
			onSelect,
			onCancel,
		});
		this.#loaders = [currentSessionsLoader, allSessionsLoader];
		this.#requestRender = requestRender;
		this.#current = currentSessionFilePath;
		void this.#load();
	}

	override handleInput(data: string): void {
		if (data !== "\t") return super.handleInput(data);
		this.#isAll = !this.#isAll;
		void this.#load();
	}

	getSessionList(): SelectList & { getSelectedSessionPath(): string | undefined } {
		const list = this.getSelectList();
		return Object.assign(list, { getSelectedSessionPath: () => list.getSelectedItem()?.value });
	}

	async #load(): Promise<void> {
		const isAll = this.#isAll;
		try {
			const sessions = await this.#loaders[isAll ? 1 : 0]();
			if (isAll !== this.#isAll) return;
			const items = sessions.map(({ path, name, firstMessage, modified, cwd }) => ({
				value: path,
				label: oneLine(name ?? firstMessage, limits.titleChars),
				description: `${modified.toISOString().slice(0, 16).replace("T", " ")}${isAll ? ` ${cwd}` : ""}`,
			}));
			this.setTitle(isAll ? "All sessions" : "Sessions in this directory");
			this.setItems(
				items,
				Math.max(
					0,
					items.findIndex(({ value }) => value === this.#current),
				),
			);
		} catch (error) {
			this.setTitle(`Cannot list the sessions: ${error instanceof Error ? error.message : String(error)}`);
		}
		this.#requestRender();
	}
}

export class UserMessageSelectorComponent extends ListDialog {
	constructor(
		messages: readonly { id: string; text: string }[],
		onSelect: Choose<string>,
		onCancel: () => void,
		initialSelectedId?: string,
	) {
		const at = messages.findIndex(({ id }) => id === initialSelectedId);
		super({
			title: "Branch from an earlier message",
			items: messages.map(({ id, text }) => ({ value: id, label: oneLine(text, limits.titleChars) })),
			selected: at === -1 ? messages.length - 1 : at,
			onSelect,
			onCancel,
		});
	}

	getMessageList(): SelectList {
		return this.getSelectList();
	}
}

export class TreeSelectorComponent extends ListDialog {
	readonly #tree: readonly SessionTreeNode[];

	constructor(
		tree: readonly SessionTreeNode[],
		currentLeafId: string | null,
		terminalHeight: number,
		onSelect: Choose<string>,
		onCancel: () => void,
		_onLabelChange?: (entryId: string, label: string | undefined) => void,
		initialSelectedId?: string,
	) {
		const items = rowsOf(tree, 0);
		const requested = initialSelectedId ?? currentLeafId;
		super({
			title: "Session tree",
			items,
			selected: items.findIndex(({ value }) => value === requested),
			rows: Math.max(5, Math.min(limits.tallListRows, Math.floor(terminalHeight / 2))),
			search: true,
			onSelect,
			onCancel,
		});
		this.#tree = tree;
	}

	getTreeList(): SelectList & { getSelectedNode(): SessionTreeNode | undefined } {
		const list = this.getSelectList();
		return Object.assign(list, {
			getSelectedNode: () => nodeOf(this.#tree, list.getSelectedItem()?.value),
		});
	}
}

function nodeOf(nodes: readonly SessionTreeNode[], id: string | undefined): SessionTreeNode | undefined {
	const pending = [...nodes];
	for (let node = pending.pop(); node; node = pending.pop()) {
		if (node.entry.id === id) return node;
		pending.push(...node.children);
	}
	return undefined;
}

/** A chain goes straight down; only where branches part it goes to the right. */
function rowsOf(nodes: readonly SessionTreeNode[], depth: number): SelectItem[] {
	return nodes.flatMap(({ entry, children, label }) => {
		const [message] = sessionEntryToContextMessages(entry);
		const who = message?.role ?? entry.type;
		const mark = label === undefined ? "" : `[${label}] `;
		const text = `${"  ".repeat(depth)}${mark}${who}: ${textOf(message)}`;
		const deeper = children.length > 1 ? depth + 1 : depth;
		return [{ value: entry.id, label: text }, ...rowsOf(children, deeper)];
	});
}

function textOf(message: object | undefined): string {
	const { content, summary } = (message ?? {}) as { content?: unknown; summary?: unknown };
	if (typeof summary === "string") return summary;
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content
		.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : ""))
		.join(" ");
}

function itemOf(value: string): SelectItem {
	return { value, label: value };
}
