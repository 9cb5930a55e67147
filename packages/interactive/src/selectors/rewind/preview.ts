/** The diffs of all files that a restore would change, in a list. */
import { restoreDiff, type PreviewRestore } from "@tau/session-commands/work";
import type { InteractiveHost } from "../../host.ts";
import { openSelector } from "../open.ts";
import { planSelector } from "./selector.ts";

export function previewOn(host: InteractiveHost): PreviewRestore {
	return async ({ files }) => {
		const { rewind: history } = host.sessionHost;
		const shown = openSelector(host, (screen, close) => ({
			component: planSelector(screen, { files, diffOf: (file) => restoreDiff(history, file), close }),
		}));
		await shown.closed;
	};
}
