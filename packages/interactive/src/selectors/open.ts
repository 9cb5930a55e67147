/** Shows a selector in place of the editor, and disposes of its resources when it is closed. */
import type { Component } from "@tau/tui";

import type { Closable, InteractiveHost } from "../host.ts";
import type { PickerScreen } from "./kit/spec.ts";

export interface Selector {
	component: Component;
	/** What it owns, such as listeners and what is still being read. */
	owns?: Disposable;
}

/** What a selector sees of the host. */
export function screenOf(host: Pick<InteractiveHost, "theme" | "tui">): PickerScreen {
	return {
		theme: host.theme,
		get rows() {
			return host.tui.terminal.rows;
		},
		requestRender: () => host.tui.requestRender(),
	};
}

export function openSelector(
	host: Pick<InteractiveHost, "theme" | "tui" | "showInEditor">,
	make: (screen: PickerScreen, close: () => void) => Selector,
): Closable {
	const { component, owns } = make(screenOf(host), () => shown.close());
	const shown: Closable = host.showInEditor(component);
	void shown.closed.then(() => owns?.[Symbol.dispose]());
	return shown;
}
