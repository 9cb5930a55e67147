/** The diffs of all files that a restore would change, in a list. */
import { restoreDiff, type PreviewRestore } from "@tau/session-commands/work";
import type { UIPlace } from "@tau/extensions/ui";
import type { Theme } from "@tau/tui";

import type { InteractiveHost } from "../../host.ts";
import { openSelector } from "../open.ts";
import { planSelector } from "./selector.ts";

/** On the screen of this process. */
export function previewOn(host: InteractiveHost): PreviewRestore {
	return async ({ files }) => {
		const { rewind: history } = host.sessionHost;
		const shown = openSelector(host, (screen, close) => ({
			component: planSelector(screen, { files, diffOf: (file) => restoreDiff(history, file), close }),
		}));
		await shown.closed;
	};
}

/** What would be restored, and where the contents are. */
export type RestoreFacts = [plan: Parameters<PreviewRestore>[0], history: Parameters<typeof restoreDiff>[0]];

/** On a terminal elsewhere. */
export async function previewAt(
	place: Pick<UIPlace, "custom">,
	...[{ files }, history]: RestoreFacts
): Promise<void> {
	await place.custom<void>((tui, theme, _keys, close) => {
		const screen = {
			// A place has a whole theme.
			theme: { current: theme as Theme },
			get rows() {
				return tui.terminal.rows;
			},
			requestRender: () => tui.requestRender(),
		};
		return planSelector(screen, { files, diffOf: (file) => restoreDiff(history, file), close });
	});
}
