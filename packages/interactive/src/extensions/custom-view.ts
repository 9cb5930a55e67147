/** A focused component of an extension, in place of the editor or as an overlay, until it reports that it is done. */
import {
	getKeybindings,
	guarded,
	type Component,
	type Focusable,
	type Guarded,
	type KeybindingsManager,
	type Theme,
	type TUI,
} from "@tau/tui";
import type { CustomFactory, CustomOptions } from "@tau/extensions/ui";

import type { EditorSlot, EscapeUser } from "../editor-slot.ts";

export interface CustomParts {
	tui: TUI;
	theme: Theme;
	keys: KeybindingsManager;
	slot: { show: (...about: Parameters<EditorSlot["show"]>) => { close(): void } };
	/** Those that are open: called, each closes its own. */
	open: Set<() => void>;
}

/** Resolves with undefined when it was closed: it failed, or the user or the session left it. */
export async function showCustom<T>(
	{ tui, theme, keys, slot, open }: CustomParts,
	factory: CustomFactory<T>,
	{ overlay = false, overlayOptions, onHandle }: CustomOptions = {},
): Promise<T> {
	const ended = Promise.withResolvers<T>();
	let isOver = false;
	const done = (result: T): void => {
		isOver = true;
		ended.resolve(result);
	};
	// As in pi, callers must expect undefined from a custom component.
	const leave = (): void => done(undefined as T);
	using owned = new DisposableStack();
	open.add(leave);
	owned.defer(() => open.delete(leave));
	const component = await factory(tui, theme, keys, done);
	const view = new CustomView(component, theme, leave);
	owned.defer(() => view.dispose());
	// It may have been cancelled while it was created.
	if (!isOver) owned.defer(overlay ? asOverlay(view) : slot.show(view, { onCancel: leave }).close);
	return await ended.promise;

	function asOverlay(shown: Component): () => void {
		const options = typeof overlayOptions === "function" ? overlayOptions() : overlayOptions;
		const handle = tui.showOverlay(shown, options);
		onHandle?.(handle);
		return () => handle.hide();
	}
}

/** All keys are the component's, so there has to be a way out of one that does not work. */
class CustomView implements Component, Focusable, EscapeUser {
	readonly #inner: Guarded;
	readonly #leave: () => void;
	#hasFailed = false;
	#wasCleared = false;

	constructor(component: Component, theme: Theme, leave: () => void) {
		this.#leave = leave;
		this.#inner = guarded(component, {
			name: "extension (esc closes it)",
			theme,
			onFailure: () => {
				this.#hasFailed = true;
			},
		});
	}

	get children(): Component[] {
		return [this.#inner];
	}

	get wrapped(): Component {
		return this.#inner;
	}

	get focused(): boolean {
		return this.#inner.focused;
	}

	set focused(focused: boolean) {
		this.#inner.focused = focused;
	}

	get wantsKeyRelease(): boolean {
		return this.#inner.wantsKeyRelease ?? false;
	}

	wantsEscape(): boolean {
		return !this.#hasFailed;
	}

	handleInput(data: string): void {
		const keys = getKeybindings();
		const isClear = keys.matches(data, "app.clear");
		const isOut = this.#hasFailed && keys.matches(data, "tui.select.cancel");
		if (isOut || (isClear && this.#wasCleared)) return this.#leave();
		this.#wasCleared = isClear;
		this.#inner.handleInput(data);
	}

	invalidate(): void {
		this.#inner.invalidate();
	}

	render(width: number): string[] {
		return this.#inner.render(width);
	}

	dispose(): void {
		this.#inner.dispose();
	}
}
