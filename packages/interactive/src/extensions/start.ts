/** Connects the extensions of a run to the screen, and removes their UI when their session ends. */
import type { Extensions } from "@tau/extensions/host";
import { runAs } from "@tau/utils";
import type { Extension, ShortcutOptions } from "@tau/extensions/api";
import { isKeyRelease, matchesKey, type InputListener, type KeyId } from "@tau/tui";
import type { ExtensionUI } from "@tau/extensions/ui";
import { describeFailure } from "@tau/extensions/support";

import { extensionControl } from "@tau/session-commands/shared";
import { extensionRows } from "@tau/session-commands";
import { commands } from "../commands/index.ts";
import type { InteractiveMode } from "../mode.ts";
import type { Screen } from "../screen.ts";
import { ScreenUI } from "./screen-ui.ts";
import { themeFiles } from "./theme-files.ts";
import { onScreen } from "../commands/on-screen.ts";

/** Where extensions are shown. */
export interface ExtensionScreen {
	screen: Screen;
	mode: InteractiveMode;
	/** The terminals elsewhere, which show it too. */
	surfaces: {
		readonly shown: { reset(): void };
		share(ui: ExtensionUI, screen: { requestRender(): void } | undefined): ExtensionUI;
		schedule(): void;
	};
}

/** Resolves when the session's start has been emitted; `owner` disposes of what was started for the extensions. */
export async function startExtensions(
	extensions: Extensions,
	{ screen, mode, surfaces }: ExtensionScreen,
	owner: DisposableStack,
): Promise<void> {
	const { tui, slot } = screen;
	const ui = owner.use(new ScreenUI(screen, mode));
	// An extension that asks one screen to be drawn again means all of them.
	tui.onFrame = () => surfaces.schedule();
	owner.defer(() => delete tui.onFrame);
	owner.use(mode.commands.addSource(() => extensionRows(extensions).map((row) => onScreen(row))));
	const isAtEditor = (): boolean => !slot.hasGuest && !tui.hasOverlay();
	const onShortcut = (): void => slot.expectRequest();
	owner.defer(tui.addInputListener(shortcutListener(extensions, { isAtEditor, onShortcut })));
	const { packaged } = screen.theme;
	screen.theme.packaged = () => [...packaged(), ...themeFiles(extensions.resources.themePaths)];
	let { runner } = extensions;
	const shown = new Set<string>();
	const sayReplaced = (): void => {
		for (const notice of replacedCommands(extensions)) {
			if (!shown.has(notice)) mode.notify(notice, "info");
			shown.add(notice);
		}
	};
	owner.use(
		mode.onSessionReplaced(() => {
			// A move to another branch does not affect the extensions.
			if (runner === extensions.runner) return;
			ui.reset();
			surfaces.shown.reset();
			({ runner } = extensions);
			sayReplaced();
		}),
	);
	await extensions.start({
		ui: surfaces.share(ui, tui),
		kind: "tui",
		hasUI: true,
		source: "interactive",
		shutdown: () => void mode.sessionHost.waitForIdle().then(() => mode.quit()),
		control: extensionControl(mode.sessionHost, extensions),
	});
	sayReplaced();
}

/** A command of an extension comes before the built-in one of the same name, which the user has to know. */
function replacedCommands({ runner }: Extensions): string[] {
	return runner.commands.list().flatMap(({ name, extension }) => {
		const builtin = commands.find((each) => each.name === name || each.aliases?.includes(name));
		if (!builtin) return [];
		return [`/${name} is a command of extension ${extension.label}. Tau's own is /tau:${name}.`];
	});
}

interface ShortcutHost {
	/** Whether the editor has the focus. */
	isAtEditor(): boolean;
	/** Called before a shortcut runs. */
	onShortcut(): void;
}

/** A listener for `TUI.addInputListener` that runs the shortcuts of extensions while the editor has the focus. */
export function shortcutListener(extensions: Extensions, host: ShortcutHost): InputListener {
	return (data) => {
		// Most input is plain characters, which are never shortcuts.
		if (data.length === 1 && data >= " " && data !== "\x7f") return undefined;
		if (isKeyRelease(data) || !host.isAtEditor()) return undefined;
		for (const extension of extensions.runner.extensions) {
			for (const [key, shortcut] of extension.shortcuts) {
				// An unknown key name matches nothing.
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
		await runAs(extension.label, key, () => shortcut.handler(runner.contextOf(extension)));
	} catch (error) {
		await runner.report({ extension, event: key, error: describeFailure(error, extension.path) });
	}
}
