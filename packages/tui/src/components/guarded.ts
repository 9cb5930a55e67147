/** Prevents a failing component from breaking the screen: a row shows the failure, and the rest continues. */
import { log, runOwned } from "@tau/utils";

import { isFocusable, type Component, type Focusable } from "../component.ts";
import { truncateToWidth } from "../text.ts";
import type { Theme } from "../theme/index.ts";
import { limits } from "../elements/limits.ts";
import { labelOf } from "../elements/rows.ts";

export interface GuardOptions {
	/** The owner of the component: the user must know what to switch off. */
	name: string;
	theme: Theme;
	/** Called once, however often it fails; without it the failure is logged. */
	onFailure?: (reason: string) => void;
}

/** A guarded component as its users see it; missing optional methods do nothing. */
export interface Guarded extends Component, Focusable {
	handleInput(data: string): void;
	/** For a block of a transcript. */
	isFinal(): boolean;
	dispose(): void;
}

/** For components of extensions. One that fails is tried again with the next frame or key. */
export function guarded(component: Component, options: GuardOptions): Guarded {
	return new Guard(component, options);
}

/** Optional members of components written for pi. */
interface Extras {
	dispose?: unknown;
	isFinal?: unknown;
}

class Guard implements Guarded {
	/** The engine searches these for a part that requested a redraw. */
	readonly children: readonly Component[];
	readonly #component: Component & Extras;
	readonly #options: GuardOptions;
	/** Why the last key could not be handled; shown until the next key. */
	#failedKey: string | undefined;
	#isReported = false;

	constructor(component: Component, options: GuardOptions) {
		this.children = [component];
		this.#component = component;
		this.#options = options;
	}

	get wrapped(): Component {
		return this.#component;
	}

	get wantsKeyRelease(): boolean {
		return this.#component.wantsKeyRelease === true;
	}

	get focused(): boolean {
		return this.#try(() => isFocusable(this.#component) && this.#component.focused) ?? false;
	}

	set focused(focused: boolean) {
		this.#try(() => {
			if (isFocusable(this.#component)) this.#component.focused = focused;
		});
	}

	render(width: number): string[] {
		if (this.#failedKey !== undefined) return [this.#placeholder(this.#failedKey, width)];
		let reason = "";
		const rows = this.#try(
			() => checkedRows(runOwned(this.#component, "render", () => this.#component.render(width))),
			(why) => {
				reason = why;
			},
		);
		return rows ?? [this.#placeholder(reason, width)];
	}

	handleInput(data: string): void {
		this.#failedKey = undefined;
		this.#try(
			() => runOwned(this.#component, "key", () => this.#component.handleInput?.(data)),
			(reason) => {
				this.#failedKey = reason;
			},
		);
	}

	invalidate(): void {
		// Older components do not have this method.
		this.#try(() => this.#component.invalidate?.());
	}

	isFinal(): boolean {
		const { isFinal } = this.#component;
		return typeof isFinal === "function"
			? this.#try(() => isFinal.call(this.#component) !== false) !== false
			: true;
	}

	dispose(): void {
		const { dispose } = this.#component;
		if (typeof dispose === "function") this.#try((): void => dispose.call(this.#component));
	}

	#try<T>(action: () => T, onFailure?: (reason: string) => void): T | undefined {
		try {
			return action();
		} catch (error) {
			const reason = reasonOf(error);
			onFailure?.(reason);
			this.#report(reason);
			return undefined;
		}
	}

	#report(reason: string): void {
		if (this.#isReported) return;
		this.#isReported = true;
		const { name, onFailure } = this.#options;
		if (onFailure) onFailure(reason);
		else log.error("a component failed", { name, reason });
	}

	#placeholder(reason: string, width: number): string {
		const { name, theme } = this.#options;
		return truncateToWidth(theme.fg("error", `✗ ${labelOf(name)}: ${reason}`), width);
	}
}

/** Extensions are not always type-checked. */
function checkedRows(rows: unknown): string[] {
	const isRows = Array.isArray(rows) && rows.every((row) => typeof row === "string");
	if (!isRows) throw new TypeError("render() did not return a list of rows");
	return rows;
}

function reasonOf(error: unknown): string {
	const message = error instanceof Error ? error.message : typeof error === "string" ? error : "";
	return labelOf(message.slice(0, limits.reasonChars)).trim() || "it failed without a reason";
}
