/** Shows that a branch is being summed up; Escape stops it. */
import { BorderedLoader } from "@tau/tui";
import { isAbort } from "@tau/utils";
import type { SessionEntry } from "@tau/session";

import type { InteractiveHost } from "../host.ts";

type Made = Awaited<ReturnType<InteractiveHost["session"]["summarizeBranch"]>>;

/** Resolves with `stopped` when the user cancelled. Rejects with the reason why the model failed. */
export async function summarizing(
	host: InteractiveHost,
	entries: readonly SessionEntry[],
	options: { instructions?: string; replacesPrompt?: boolean },
): Promise<Made | "stopped"> {
	const stop = new AbortController();
	using loader = new BorderedLoader(host.tui, host.theme.current, "Summarizing the branch…");
	const shown = host.showInEditor(loader, { onCancel: () => stop.abort() });
	try {
		return await host.session.summarizeBranch(entries, { signal: stop.signal, ...options });
	} catch (error) {
		if (stop.signal.aborted || isAbort(error)) return "stopped";
		throw error;
	} finally {
		shown.close();
	}
}
