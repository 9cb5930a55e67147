/** The shortcuts of extensions, active while the editor has the focus. */
import { isKeyRelease, matchesKey, type InputListener, type KeyId } from "@tau/tui";
import type { Extension, ShortcutOptions } from "@tau/extensions/api";
import type { Extensions } from "@tau/extensions/host";
import { describeFailure } from "@tau/extensions/support";

interface ShortcutHost {
	/** Whether the editor has the focus. */
	isAtEditor(): boolean;
	/** Called before a shortcut runs. */
	onShortcut(): void;
}

/** A listener for `TUI.addInputListener`. */
export function shortcutListener(extensions: Extensions, host: ShortcutHost): InputListener {
	return (data) => {
		// Plain characters are text, and by far the most of what comes.
		if (data.length === 1 && data >= " " && data !== "\x7f") return undefined;
		if (isKeyRelease(data) || !host.isAtEditor()) return undefined;
		for (const extension of extensions.runner.extensions) {
			for (const [key, shortcut] of extension.shortcuts) {
				// A name that is not one of a key matches nothing.
				if (!matchesKey(data, key as KeyId)) continue;
				host.onShortcut();
				void run(extensions, extension, key, shortcut);
				return { consume: true };
			}
		}
		return undefined;
	};
}

async function run(
	{ runner }: Extensions,
	extension: Extension,
	key: string,
	shortcut: ShortcutOptions,
): Promise<void> {
	try {
		await shortcut.handler(runner.contextOf(extension));
	} catch (error) {
		await runner.report({ extension, event: key, error: describeFailure(error, extension.path) });
	}
}
