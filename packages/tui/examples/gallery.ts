/** Shows every component: `bun run packages/tui/examples/gallery.ts`, on a terminal or into a pipe. */
import {
	builtinTheme,
	colorModeOf,
	detectCapabilities,
	ProcessTerminal,
	setCapabilities,
	TUI,
	type BuiltinThemeName,
} from "@tau/tui";

import { Gallery } from "./gallery/gallery.ts";
import { pages } from "./gallery/pages.ts";

const { stdin, stdout, env } = process;
const isScreen = stdin.isTTY && stdout.isTTY && env.TERM !== "dumb";

// The alternate screen and a pipe show no images: a text description takes their place.
setCapabilities({ ...detectCapabilities(), images: null });

if (isScreen) show();
else print();

function show(): void {
	const terminal = new ProcessTerminal();
	const tui = new TUI(terminal);
	const gallery = new Gallery({
		themeName: "dark",
		mode: colorModeOf(env),
		ui: tui,
		showOverlay: (component, options) => tui.showOverlay(component, options),
		onQuit: () => {
			gallery.close();
			// Clears the normal screen, so that no part of the gallery remains.
			tui.clear();
			tui.stop();
		},
	});
	terminal.onAppearance = (appearance) => gallery.setTheme(appearance);
	terminal.onLost = () => gallery.close();
	tui.addChild(gallery);
	tui.setFocus(gallery);
	tui.start();
	tui.setFullScreen(true);
	terminal.setTitle("Tau: gallery");
}

/** Prints all pages below each other, once. */
function print(): void {
	const width = Number(env.COLUMNS) || stdout.columns || 80;
	const name: BuiltinThemeName = "dark";
	const isColored = Boolean(env.FORCE_COLOR);
	const theme = builtinTheme(name, isColored ? colorModeOf(env) : "none");
	const ui = { requestRender: () => {}, terminal: { rows: 24 } };
	for (const { label, open } of pages) {
		const page = open({ theme, ui, showOverlay: () => undefined });
		const title = `── ${label} `;
		stdout.write(`${title}${"─".repeat(Math.max(0, width - title.length))}\n\n`);
		for (const row of page.body.render(width))
			stdout.write(`${(isColored ? row : Bun.stripANSI(row)).trimEnd()}\n`);
		stdout.write("\n");
		page.close?.();
	}
}
