/** Compares what a terminal shows with what was played, independent of the engine's own state. */

/** One frame as it should appear. */
export interface PlayedFrame {
	rows: string[];
	/** The row at which the conversation ends and the chrome begins. */
	contentEnd: number;
	/** The first row that may still change; the end of the content if none may. */
	firstLive: number;
	/** Rows from `firstLive` on that have only ever been added to, and must not be held back. */
	appended: number;
	/** Rows by which the chrome is taller than at rest. */
	chromeGrowth: number;
	/** The rows of the screen that an overlay covers, if there is one. */
	covered?: { from: number; to: number };
	/** Nothing is marked as live or final: whatever leaves the screen is final. */
	shellLike: boolean;
	/** The screen is so narrow that many rows look the same, and changes cannot be attributed to one of them. */
	narrow: boolean;
}

export interface Seen {
	history: string[];
	screen: string[];
}

/** A change of more than one of this many non-blank rows near the end of the history must be noticed. */
const watched = { rows: 24, samples: 8 };

/** A row of the frame that is in the history: as it was when it got there, and as it is known to be now. */
interface Entry {
	old: string;
	now: string;
}

type Committed = Entry[];

export class Shadow {
	/** Rows of other programs that are still on the screen above ours. */
	#shell: string[];
	#history: string[] = [];
	/** More than one only after a multiplexer has moved rows, until later rows decide between them. */
	#committed: Committed[] = [[]];
	#contentEnd = 0;
	/** Words that are in the history more than once, because a component has changed rows that were there. */
	readonly repeated = new Set<string>();
	/** Words of rows that were edited after they had become history: a single one is ignored, and never shown. */
	readonly stale = new Set<string>();

	constructor(shell: readonly string[], seen: Seen) {
		this.#history = seen.history;
		this.#shell = shell.slice(seen.history.length);
	}

	/** The minimum number of rows of the frame that are in the history. */
	get committed(): number {
		return Math.min(...this.#committed.map((rows) => rows.length));
	}

	/** Call after everything was erased: the history begins with this frame. */
	erased(): void {
		this.#history = [];
		this.#shell = [];
		this.#committed = [[]];
	}

	/** Call after a change of conversation in a terminal that cannot be erased. */
	replaced(): void {
		this.#committed = [[]];
	}

	/** From now on rows are compared with what they are, not with what they were. */
	accept(): void {
		this.#committed = this.#committed.map((committed) => committed.map(({ now }) => entry(now)));
	}

	/** Call after the shell has written below our rows: our region begins after its output. */
	interrupted({ history, screen }: Seen): void {
		this.#history = history;
		this.#shell = shownRows(screen);
	}

	/** Call after the terminal was resized and has moved rows: rows above the region are no longer ours. */
	adopt(seen: Seen, frame: PlayedFrame): void {
		const { rows, contentEnd } = frame;
		const height = seen.screen.length;
		this.#history = seen.history;
		const shown = shownRows(seen.screen);
		const own = longestEnd(shown, rows, height);
		this.#shell = shown.slice(0, shown.length - own);
		const top = rows.length - own;
		// A region that fills the screen may hide rows above it; one that does not begins where the history ends.
		const least = own === height ? 0 : Math.min(top, contentEnd);
		this.#committed = upTo(Math.min(top, contentEnd))
			.filter((count) => count >= least && heldBack(frame, count, top) === undefined)
			.map((count) => rows.slice(0, count).map(entry));
		if (this.#committed.length === 0) throw new Error(`after a resize rows before ${top} are nowhere`);
		this.#contentEnd = contentEnd;
	}

	/** Call after the frame was drawn: it must explain everything on the terminal. */
	check(frame: PlayedFrame, seen: Seen): void {
		const added = this.#newHistory(seen);
		const known = new Map<number, string | undefined>();
		const explained = new Map<number, Committed>();
		for (const committed of this.#committed) {
			// Rows that are held back are not visible, so several starts are possible.
			for (const from of this.#possible(frame, committed)) {
				if (!known.has(from)) known.set(from, this.#explain(frame, seen, added, from));
				if (known.get(from) !== undefined || explained.has(from + added.length)) continue;
				for (const { old } of committed.slice(from)) note(this.repeated, old);
				const kept = frame.rows.slice(0, from).map((now, at) => ({ now, old: committed[at]?.old ?? now }));
				for (const edited of kept.filter(({ old, now }) => old !== now)) note(this.stale, edited.now);
				explained.set(from + added.length, [...kept, ...added.map(entry)]);
			}
		}
		if (explained.size === 0) {
			const problems = [...known].map(([from, problem]) => `from row ${from}: ${problem}`);
			throw new Error(problems.slice(0, 3).join("\n"));
		}
		this.#committed = [...explained.values()];
		this.#history = seen.history;
		this.#contentEnd = frame.contentEnd;
	}

	/** Call after the program has ended: all rows are in the history or on the screen. */
	checkEnd({ rows }: PlayedFrame, { history, screen }: Seen): void {
		const shown = shownRows([...history, ...screen]);
		const ends = this.#committed.some((committed) => {
			const rest = shownRows(rows.slice(committed.length));
			return longestEnd(shown, rest, rest.length) === rest.length;
		});
		if (!ends) throw new Error("the end of the conversation is not on the terminal");
	}

	/** Rows in the history never change. */
	#newHistory({ history }: Seen): string[] {
		for (const [at, row] of this.#history.entries()) {
			if (history[at] !== row)
				throw new Error(`row ${at} of the history: ${show(row)} became ${show(history[at])}`);
		}
		const added = history.slice(this.#history.length);
		const foreign = this.#shell.splice(0, Math.min(added.length, this.#shell.length));
		for (const [at, row] of foreign.entries()) {
			if (added[at] !== row) throw new Error(`a row of the shell was lost: ${show(row)}`);
		}
		return added.slice(foreign.length);
	}

	/** The rows at which the history may continue: where it ended, or earlier if rows in it have changed. */
	#possible({ rows, contentEnd, narrow }: PlayedFrame, committed: Committed): number[] {
		const before = committed.length;
		const end = Math.min(contentEnd, rows.length);
		if (narrow) return upTo(Math.min(before, end)).toReversed();
		const differing = (key: keyof Entry) =>
			committed.flatMap((row, at) => (at >= end || rows[at] !== row[key] ? [at] : []));
		const [fresh, all] = [differing("now"), differing("old")];
		if (all.length === 0 && before <= end) return [before];
		const back = upTo(Math.min(fresh[0] ?? all[0] ?? before, end)).toReversed();
		const inPlace = fresh.length === 0 || isInPlace(rows, committed, all, contentEnd < this.#contentEnd);
		return inPlace ? [before, ...back] : back;
	}

	#explain(frame: PlayedFrame, seen: Seen, added: readonly string[], from: number): string | undefined {
		const { rows, covered } = frame;
		for (const [at, row] of added.entries()) {
			if (rows[from + at] !== row) return `history got ${show(row)} instead of ${show(rows[from + at])}`;
		}
		const committed = from + added.length;
		const top = Math.max(committed, rows.length - seen.screen.length);
		const held = heldBack(frame, committed, top);
		if (held !== undefined) return held;
		const expected = [...this.#shell, ...rows.slice(top)];
		for (const [at, row] of seen.screen.entries()) {
			if (covered !== undefined && at >= covered.from && at < covered.to) continue;
			const wanted = expected[at] ?? "";
			if (row !== wanted) return `screen row ${at} is ${show(row)} instead of ${show(wanted)}`;
		}
		return undefined;
	}
}

/** Rows that are neither in the history nor on the screen need a reason. */
function heldBack(frame: PlayedFrame, committed: number, top: number): string | undefined {
	if (committed >= top || frame.covered !== undefined) return undefined;
	const free = frame.shellLike ? top : Math.min(top, frame.firstLive + frame.appended) - frame.chromeGrowth;
	if (committed >= free) return undefined;
	return `rows ${committed} to ${top} are nowhere, ${free} could be in the history`;
}

/** True if an edit moved no rows, judged by the rows near the end of the history. */
function isInPlace(
	rows: readonly string[],
	committed: Committed,
	differ: readonly number[],
	shorter: boolean,
): boolean {
	if (differ.some((at) => at >= rows.length)) return false;
	const samples = samplesOf(rows, committed);
	const near = differ.filter((at) => samples.includes(at));
	const moved = near.some((at) =>
		rows.slice(at + 1, at + 1 + watched.rows).includes(committed[at]?.old ?? ""),
	);
	return near.length <= (moved || shorter ? 0 : 1);
}

function note(words: Set<string>, row: string): void {
	for (const word of row.replace("漢字", "").split(" ")) words.add(word);
}

function samplesOf(rows: readonly string[], committed: Committed): number[] {
	const filled = committed.flatMap(({ old }, at) => (old === "" && rows[at] === "" ? [] : [at]));
	return filled.filter((at) => at >= committed.length - watched.rows).slice(-watched.samples);
}

function entry(row: string): Entry {
	return { old: row, now: row };
}

function upTo(count: number): number[] {
	return Array.from({ length: count + 1 }, (_, at) => at);
}

function shownRows(screen: readonly string[]): string[] {
	return screen.slice(0, screen.findLastIndex((row) => row !== "") + 1);
}

/** The longest suffix of `rows` that `shown` ends with. */
function longestEnd(shown: readonly string[], rows: readonly string[], most: number): number {
	for (let length = Math.min(shown.length, rows.length, most); length > 0; length--) {
		if (rows.slice(-length).every((row, at) => shown[shown.length - length + at] === row)) return length;
	}
	return 0;
}

function show(row: string | undefined): string {
	return row === undefined ? "nothing" : JSON.stringify(row);
}
