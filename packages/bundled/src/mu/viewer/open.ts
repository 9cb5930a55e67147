/** Opens the viewer over the whole screen, on what the session holds now. */
import type { ExtensionContext } from "@tau/extensions/api";

import { recentResults } from "../results.ts";
import type { Took } from "../took.ts";
import { Viewer } from "./viewer.ts";

export interface ViewerMeans {
	describe(toolName: string, args: Record<string, unknown>): string;
	took: Took;
}

/** `last` starts with the newest result itself. */
export async function openViewer(
	{ describe, took }: ViewerMeans,
	{ ui, mode, sessionManager }: ExtensionContext,
	at: "list" | "last",
): Promise<void> {
	if (mode !== "tui") return ui.notify("The result viewer needs a terminal.", "warning");
	const results = recentResults(sessionManager, took);
	if (results.length === 0) return ui.notify("No tool results in this session yet.");
	await ui.custom<undefined>(
		(tui, theme, _keys, done) =>
			new Viewer({
				results,
				describe,
				theme,
				height: () => tui.terminal.rows,
				redraw: () => tui.requestRender(),
				close: () => done(undefined),
				startsAt: at,
			}),
		{ overlay: true, overlayOptions: { width: "100%", maxHeight: "100%", anchor: "top-left" } },
	);
}
