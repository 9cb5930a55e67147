/** The terminals of commands, on every screen that shows the session: the program reads what any of them types. */
import type { TerminalScreen, TerminalSize } from "@tau/sys";
import { onDispose } from "@tau/utils";

/** A terminal of a command that the user sees and types into. */
export interface ShownTerminal {
	readonly command: string;
	readonly screen: TerminalScreen;
	/** Sends the bytes of keys to the program. */
	type(bytes: string): void;
	resize(size: TerminalSize): void;
	/** The user of this process has opened it: it takes the keys at once, and is gone when the user leaves it. */
	readonly isOpenedByUser?: boolean;
}

export interface TerminalViewer {
	/** The screen of this process; what its user opens is shown there alone. */
	readonly isHere?: boolean;
	/** Nobody is there who would see it. */
	readonly isAway?: boolean;
	/** The size that a terminal would have now. */
	size(): TerminalSize;
	/** Shows it until the result is disposed of. */
	show(terminal: ShownTerminal): Disposable;
}

/** A terminal that is open, and what shows it. */
interface Open {
	readonly terminal: ShownTerminal;
	/** Its size is that of all screens, not of the one that changes. */
	readonly shared: ShownTerminal;
	readonly views: Map<TerminalViewer, Disposable>;
}

export class TerminalViewers implements TerminalViewer {
	readonly #viewers = new Set<TerminalViewer>();
	readonly #open = new Set<Open>();

	/** Whether a user would see one. */
	get isShown(): boolean {
		return this.#present.length > 0;
	}

	get #present(): TerminalViewer[] {
		return [...this.#viewers].filter(({ isAway }) => isAway !== true);
	}

	/** From now on it shows every terminal, those that are open already too. */
	connect(viewer: TerminalViewer): Disposable {
		this.#viewers.add(viewer);
		for (const open of this.#open) view(open, viewer);
		this.#fit();
		return onDispose(() => {
			this.#viewers.delete(viewer);
			for (const { views } of this.#open) {
				views.get(viewer)?.[Symbol.dispose]();
				views.delete(viewer);
			}
			this.#fit();
		});
	}

	/** That of the smallest screen: each shows all of it. */
	size(): TerminalSize {
		const sizes = this.#present.map((viewer) => viewer.size());
		return {
			columns: Math.min(...sizes.map(({ columns }) => columns)),
			rows: Math.min(...sizes.map(({ rows }) => rows)),
		};
	}

	show(terminal: ShownTerminal): Disposable {
		const shared: ShownTerminal = { ...terminal, resize: () => this.#fit() };
		const open: Open = { terminal, shared, views: new Map() };
		this.#open.add(open);
		for (const viewer of this.#viewers) view(open, viewer);
		return onDispose(() => {
			this.#open.delete(open);
			for (const shown of open.views.values()) shown[Symbol.dispose]();
		});
	}

	#fit(): void {
		if (!this.isShown) return;
		const size = this.size();
		for (const { terminal } of this.#open) terminal.resize(size);
	}
}

function view({ shared, views }: Open, viewer: TerminalViewer): void {
	if (shared.isOpenedByUser && !viewer.isHere) return;
	views.set(viewer, viewer.show(shared));
}
