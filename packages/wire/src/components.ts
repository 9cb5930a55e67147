/** What extensions draw, for clients elsewhere: rows that were drawn for one client, and what of them has changed. */

export const componentLimits = {
	/** Rows of one component: more than any screen has, and than a tool shows of its result. */
	rows: 2000,
	/** Characters of a row, with colors and links. */
	rowChars: 8192,
	/** Characters of the rows of one component. */
	chars: 256 * 1024,
	/** Characters of everything that one client is shown. */
	totalChars: 4 * 1024 * 1024,
	/** Components of one client: those around the editor, and the blocks of the conversation that it has asked for. */
	components: 600,
	/** Instructions that wait for a client that does not read. */
	acts: 32,
	/** Characters of a text for an editor. */
	textChars: 1024 * 1024,
	/** Rows of a screen that the terminal of a command leaves to its frame, the footer and the current activity. */
	terminalFrameRows: 8,
} as const;

/** Where a component is shown. `custom` has the place of the editor and its keys; `block` is one of the conversation. */
export type ComponentSlot =
	"header" | "footer" | "aboveEditor" | "belowEditor" | "custom" | "overlay" | "editor" | "block";

export interface ComponentView {
	readonly id: string;
	readonly slot: ComponentSlot;
	/** The width that the rows were drawn for. */
	readonly width: number;
	readonly rows: readonly string[];
	/** The keys are for it. */
	readonly isFocused?: boolean;
	/** It wants releases of keys, too. */
	readonly wantsKeyRelease?: boolean;
	/** The terminal of a command, which opens by itself: a user who is typing continues. */
	readonly isTerminal?: boolean;
	/** Of an overlay: the cell of the screen at which it begins. */
	readonly at?: { readonly row: number; readonly column: number };
	/** Of a block: it will not change any more at this width. */
	readonly isFinal?: boolean;
	/** Of an editor: what is written in it. */
	readonly text?: string;
}

/** What extensions have set that is drawn by the client itself. */
export interface ComponentValues {
	readonly title?: string;
	readonly statuses: Readonly<Record<string, string>>;
	/** The text beside the working indicator. */
	readonly working?: string;
	readonly isWorkingHidden?: boolean;
	readonly indicator?: { readonly frames: readonly string[]; readonly intervalMs: number };
	/** The label that replaces hidden thinking. */
	readonly thinkingLabel?: string;
	/** Keys that extensions have bound: a client sends them while its editor has the focus. */
	readonly shortcuts: readonly string[];
	/** The tools whose calls, and the kinds of messages that extensions draw: blocks are asked for. */
	readonly tools: readonly string[];
	readonly messages: readonly string[];
}

export const noComponentValues: ComponentValues = { statuses: {}, shortcuts: [], tools: [], messages: [] };

/** Done once, where the client is: to its editor. */
export type ComponentAct =
	| { readonly type: "set_text"; readonly text: string }
	| { readonly type: "paste"; readonly text: string }
	/** The replacement of the editor has submitted this, or asked the application for something. */
	| { readonly type: "submit"; readonly text: string }
	| { readonly type: "action"; readonly action: string };

/** In place of `removed` rows from `at` on; positions are those before the change. */
type RowChange = readonly [at: number, removed: number, rows: readonly string[]];

type ChangedView = Omit<ComponentView, "rows"> &
	({ readonly rows: readonly string[] } | { readonly patch: readonly RowChange[] });

/** The body of a frame. */
export interface ComponentChanges {
	/** Counts the frames of a connection from 0, which replaces whatever the client had. */
	readonly number: number;
	/** All of them, in the order in which they are shown; absent where it is the same. */
	readonly ids?: readonly string[];
	readonly changed?: readonly ChangedView[];
	readonly values?: ComponentValues;
	readonly acts?: readonly ComponentAct[];
}

/** The host's end for one connection: it sends what differs from what was sent, when the client can take it. */
export class ComponentOutbox {
	#current: readonly ComponentView[] = [];
	#values: ComponentValues = noComponentValues;
	#sent = new Map<string, ComponentView>();
	#sentValues = "";
	#acts: ComponentAct[] = [];
	#number = 0;

	set(components: readonly ComponentView[], values: ComponentValues): void {
		let chars = 0;
		this.#current = components.slice(0, componentLimits.components).map((component) => {
			const bounded = { ...component, rows: boundedRows(component.rows) };
			chars += charsOf(bounded.rows);
			return chars > componentLimits.totalChars ? { ...bounded, rows: [] } : bounded;
		});
		this.#values = values;
	}

	/** The oldest are forgotten where nobody reads them. */
	act(act: ComponentAct): void {
		const text = "text" in act ? { text: act.text.slice(0, componentLimits.textChars) } : {};
		this.#acts = [...this.#acts, { ...act, ...text }].slice(-componentLimits.acts);
	}

	/** Undefined where the client has everything. */
	take(): ComponentChanges | undefined {
		const changed = this.#current.flatMap((view) => changesOf(this.#sent.get(view.id), view) ?? []);
		const ids = this.#current.map(({ id }) => id);
		const isSame = [...this.#sent.keys()].join("\n") === ids.join("\n");
		const values = JSON.stringify(this.#values);
		const acts = this.#acts;
		const isNew = this.#number === 0;
		if (!isNew && isSame && changed.length === 0 && values === this.#sentValues && acts.length === 0)
			return undefined;
		const body: ComponentChanges = {
			number: this.#number++,
			...(isSame ? {} : { ids }),
			...(changed.length > 0 ? { changed } : {}),
			...(values === this.#sentValues ? {} : { values: this.#values }),
			...(acts.length > 0 ? { acts } : {}),
		};
		this.#sent = new Map(this.#current.map((view) => [view.id, view]));
		this.#sentValues = values;
		this.#acts = [];
		return body;
	}
}

/** The client's end: what is to be drawn. */
export class ComponentBoard {
	#views = new Map<string, ComponentView>();
	#values: ComponentValues = noComponentValues;
	#next = 0;
	readonly #listeners = new Set<(acts: readonly ComponentAct[]) => void>();

	/** In the order in which they are shown. */
	get views(): ReadonlyMap<string, ComponentView> {
		return this.#views;
	}

	get values(): ComponentValues {
		return this.#values;
	}

	/** Called after each change, with what is to be done once. */
	onChange(listener: (acts: readonly ComponentAct[]) => void): Disposable {
		this.#listeners.add(listener);
		return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
	}

	/** Returns false where a frame before this one is missing. */
	take({ number, ids, changed = [], values, acts = [] }: ComponentChanges): boolean {
		if (number === 0) this.#forget();
		if (number !== this.#next) return false;
		const views = new Map(this.#views);
		for (const change of changed) {
			const view = applied(views.get(change.id), change);
			if (!view) return false;
			views.set(view.id, view);
		}
		if (ids) {
			const ordered = ids.flatMap((id) => views.get(id) ?? []);
			if (ordered.length !== ids.length) return false;
			this.#views = new Map(ordered.map((view) => [view.id, view]));
		} else this.#views = views;
		this.#values = values ?? this.#values;
		this.#next = number + 1;
		for (const listener of this.#listeners) listener(acts);
		return true;
	}

	/** The connection is gone, and with it what was drawn for it. Values stay until there are others. */
	clear(): void {
		this.#views = new Map();
		this.#next = 0;
		for (const listener of this.#listeners) listener([]);
	}

	#forget(): void {
		this.#views = new Map();
		this.#values = noComponentValues;
		this.#next = 0;
	}
}

function charsOf(rows: readonly string[]): number {
	return rows.reduce((sum, row) => sum + row.length, 0);
}

/** What is too much is left out, and a row says so. */
function boundedRows(rows: readonly string[]): readonly string[] {
	const kept: string[] = [];
	let chars = 0;
	for (const row of rows) {
		const cut = row.length > componentLimits.rowChars ? row.slice(0, componentLimits.rowChars) : row;
		chars += cut.length;
		if (kept.length >= componentLimits.rows || chars > componentLimits.chars)
			return [...kept, `… ${rows.length - kept.length} more rows`];
		kept.push(cut);
	}
	return kept;
}

/** Undefined where both are the same. */
function changesOf(before: ComponentView | undefined, view: ComponentView): ChangedView | undefined {
	if (!before) return view;
	const { rows: old, ...head } = before;
	const { rows, ...facts } = view;
	const patch = patchOf(old, rows);
	if (patch.length === 0 && JSON.stringify(head) === JSON.stringify(facts)) return undefined;
	return { ...facts, patch };
}

/** Rows of the same number are compared one by one; otherwise what begins and ends alike stays. */
function patchOf(old: readonly string[], rows: readonly string[]): RowChange[] {
	if (old.length === rows.length) return sameLengthPatch(old, rows);
	const most = Math.min(old.length, rows.length);
	let start = 0;
	while (start < most && old[start] === rows[start]) start++;
	let end = 0;
	while (end < most - start && old[old.length - 1 - end] === rows[rows.length - 1 - end]) end++;
	return [[start, old.length - start - end, rows.slice(start, rows.length - end)]];
}

function sameLengthPatch(old: readonly string[], rows: readonly string[]): RowChange[] {
	const changes: [number, number, string[]][] = [];
	for (const [at, row] of rows.entries()) {
		if (old[at] === row) continue;
		const last = changes.at(-1);
		if (last && last[0] + last[1] === at) {
			last[1]++;
			last[2].push(row);
		} else changes.push([at, 1, [row]]);
	}
	return changes;
}

/** Undefined where it does not fit what was there. */
function applied(before: ComponentView | undefined, change: ChangedView): ComponentView | undefined {
	if ("rows" in change) return change;
	const { patch, ...facts } = change;
	if (!before) return undefined;
	const rows: string[] = [];
	let from = 0;
	for (const [at, removed, added] of patch) {
		if (at < from || at + removed > before.rows.length) return undefined;
		rows.push(...before.rows.slice(from, at), ...added);
		from = at + removed;
	}
	return { ...facts, rows: [...rows, ...before.rows.slice(from)] };
}
