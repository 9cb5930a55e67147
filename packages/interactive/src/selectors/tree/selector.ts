/** Lets the user navigate the tree of a session: search, filter, fold, label, and continue from any entry. */
import { getKeybindings, keyHint, matchesKey, rawKeyHint, type Keybinding } from "@tau/tui";
import { treeFilters } from "@tau/config/settings";

import { Picker } from "../kit/picker.ts";
import { plain } from "../kit/row.ts";
import type { PickerScreen, PickerSpec } from "../kit/spec.ts";
import { drawTreeRow } from "./draw-row.ts";
import type { TreeEntry } from "@tau/session-commands/work";
import { TreeSource, type EntriesAfter } from "./source.ts";
import {
	foldOrUp,
	nearestShown,
	treeRows,
	unfoldOrDown,
	type TreeFilter,
	type TreeRow,
} from "./tree-rows.ts";

export interface TreeSelectorParts {
	entriesAfter: EntriesAfter;
	leafId(): string | null;
	filter: TreeFilter;
	/** The entry to start at, if it is not the leaf. */
	selected?: string;
	onChoose(id: string): void | Promise<void>;
	/** An empty one takes the label away. */
	setLabel(id: string, label: string): void | Promise<void>;
	close(): void;
}

const filterKeys: readonly [Keybinding, TreeFilter][] = [
	["app.tree.filter.default", "default"],
	["app.tree.filter.noTools", "no-tools"],
	["app.tree.filter.userOnly", "user-only"],
	["app.tree.filter.labeledOnly", "labeled-only"],
	["app.tree.filter.all", "all"],
];

const filterNames: Record<TreeFilter, string> = {
	default: "conversation",
	"no-tools": "no tool results",
	"user-only": "user messages",
	"labeled-only": "labeled entries",
	all: "everything",
};

export class TreeSelector implements Disposable {
	readonly #parts: TreeSelectorParts;
	readonly #source: TreeSource;
	readonly #folded = new Set<string>();
	readonly component: Picker<TreeRow>;
	#filter: TreeFilter;
	#rows: TreeRow[] = [];
	#byId: ReadonlyMap<string, TreeEntry> = new Map();
	#hasTimes = false;
	/** Selected as soon as it is loaded. */
	#wanted: string | undefined;

	constructor(screen: PickerScreen, parts: TreeSelectorParts) {
		this.#parts = parts;
		this.#filter = parts.filter;
		this.#source = new TreeSource(parts.entriesAfter);
		this.component = new Picker(screen, this.#spec());
		this.#wanted = parts.selected ?? parts.leafId() ?? undefined;
		this.component.run(() => this.#read());
	}

	[Symbol.dispose](): void {
		this.#source[Symbol.dispose]();
	}

	#spec(): PickerSpec<TreeRow> {
		return {
			title: () => `Tree: ${filterNames[this.#filter]}`,
			items: (search) => this.#look(search),
			idOf: ({ entry }) => entry.id,
			instead: (id) => nearestShown(this.#byId, this.#rows, id),
			row: (item, width, theme) => drawTreeRow(item, width, theme, this.#hasTimes),
			empty: (search) => {
				if (!this.#source.isComplete) return "Reading…";
				return search === "" ? "No entries" : `No entry matches "${plain(search)}"`;
			},
			hints: (theme) => [
				keyHint(theme, "tui.select.confirm", "continue"),
				keyHint(theme, "app.tree.filter.cycleForward", "filter"),
				keyHint(theme, "app.tree.editLabel", "label"),
				keyHint(theme, "app.tree.foldOrUp", "fold"),
				rawKeyHint(theme, "escape", "close"),
			],
			onKey: (data, item) => this.#key(data, item),
			onConfirm: ({ entry }) => this.#parts.onChoose(entry.id),
			onCancel: this.#parts.close,
		};
	}

	#look(search: string): readonly TreeRow[] {
		const { entries, labels } = this.#source;
		this.#byId = new Map(entries.map((entry) => [entry.id, entry]));
		this.#rows = treeRows({
			entries,
			labels,
			leafId: this.#parts.leafId(),
			filter: this.#filter,
			search,
			folded: this.#folded,
		});
		return this.#rows;
	}

	async #read(): Promise<void> {
		await this.#source.read(() => {
			this.component.refresh();
			this.#selectWanted();
		});
	}

	#selectWanted(): void {
		if (this.#wanted === undefined || !this.#byId.has(this.#wanted)) return;
		this.component.select(nearestShown(this.#byId, this.#rows, this.#wanted) ?? this.#wanted);
		if (this.#source.isComplete) this.#wanted = undefined;
	}

	#key(data: string, item: TreeRow | undefined): boolean {
		const keys = getKeybindings();
		this.#wanted = undefined;
		const chosen = filterKeys.find(([action]) => keys.matches(data, action))?.[1];
		if (chosen) this.#show(chosen);
		else if (keys.matches(data, "app.tree.filter.cycleForward")) this.#cycle(1);
		else if (keys.matches(data, "app.tree.filter.cycleBackward")) this.#cycle(-1);
		else if (keys.matches(data, "app.tree.foldOrUp")) this.#fold(item);
		else if (keys.matches(data, "app.tree.unfoldOrDown")) this.#unfold(item);
		else if (keys.matches(data, "app.tree.editLabel")) this.#label(item);
		else if (keys.matches(data, "app.tree.toggleLabelTimestamp")) this.#hasTimes = !this.#hasTimes;
		else if (matchesKey(data, "left")) this.component.page(-1);
		else if (matchesKey(data, "right")) this.component.page(1);
		else return false;
		return true;
	}

	#show(filter: TreeFilter): void {
		this.#filter = filter;
		this.component.refresh();
	}

	#cycle(by: 1 | -1): void {
		const at = treeFilters.indexOf(this.#filter);
		this.#show(treeFilters[(at + by + treeFilters.length) % treeFilters.length] ?? "default");
	}

	#fold(item: TreeRow | undefined): void {
		if (!item) return;
		const action = foldOrUp(this.#rows, item.entry.id);
		if ("fold" in action) this.#folded.add(action.fold);
		this.component.refresh();
		if ("go" in action) this.component.select(action.go);
	}

	#unfold(item: TreeRow | undefined): void {
		if (!item) return;
		const action = unfoldOrDown(this.#rows, item.entry.id);
		if ("unfold" in action) this.#folded.delete(action.unfold);
		this.component.refresh();
		if ("go" in action) this.component.select(action.go);
	}

	#label(item: TreeRow | undefined): void {
		if (!item) return;
		this.component.ask({
			label: "Label for this entry; leave empty to remove it",
			initial: item.label?.label ?? "",
			onSubmit: async (text) => {
				await this.#parts.setLabel(item.entry.id, text.trim());
				await this.#read();
				return undefined;
			},
		});
	}
}
