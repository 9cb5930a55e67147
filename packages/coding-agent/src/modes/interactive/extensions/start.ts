/** Gives the extensions of a run the screen, and takes back what they put there when their session is left. */
import type { Extensions } from "@tau/extensions/host";

import { extensionControl } from "../../shared/extension-control.ts";
import { commands as builtin } from "../commands/index.ts";
import type { InteractiveMode } from "../mode.ts";
import type { Screen } from "../screen.ts";
import { extensionCommands } from "./commands.ts";
import { ScreenUI } from "./screen-ui.ts";
import { shortcutListener } from "./shortcuts.ts";
import { themeFiles } from "./theme-files.ts";

/** Resolves when the session's start has been emitted; `owner` disposes of what was started for the extensions. */
export async function startExtensions(
	extensions: Extensions,
	screen: Screen,
	mode: InteractiveMode,
	owner: DisposableStack,
): Promise<void> {
	const { tui, slot } = screen;
	const ui = owner.use(new ScreenUI(screen, mode));
	owner.use(mode.commands.addSource(() => extensionCommands(extensions)));
	const isAtEditor = (): boolean => !slot.hasGuest && !tui.hasOverlay();
	const onShortcut = (): void => slot.expectRequest();
	owner.defer(tui.addInputListener(shortcutListener(extensions, { isAtEditor, onShortcut })));
	const { packaged } = screen.theme;
	screen.theme.packaged = () => [...packaged(), ...themeFiles(extensions.resources.themePaths)];
	let { runner } = extensions;
	owner.use(
		mode.onSessionReplaced(() => {
			// A step to another branch leaves the extensions as they are.
			if (runner !== extensions.runner) ui.reset();
			({ runner } = extensions);
		}),
	);
	await extensions.start({
		ui,
		kind: "tui",
		hasUI: true,
		source: "interactive",
		shutdown: () => void mode.sessionHost.waitForIdle().then(() => mode.quit()),
		showEntry: (entry) => mode.printEntry(entry),
		control: extensionControl(mode.sessionHost, extensions),
		reservedCommands: builtin
			.filter(({ isPlaceholder }) => !isPlaceholder)
			.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
	});
}
