/** Work of a command that takes a while: a loader is in place of the editor, and Escape stops it. */
import { BorderedLoader } from "@tau/tui";
import { isAbort } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";

/** Undefined if the user stopped it. */
export async function whileLoading<T>(
	host: InteractiveHost,
	text: string,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
	const stop = new AbortController();
	using loader = new BorderedLoader(host.tui, host.theme.current, `${text}… (Esc stops)`);
	const shown = host.showInEditor(loader, { onCancel: () => stop.abort() });
	try {
		const done = await work(stop.signal);
		return stop.signal.aborted ? undefined : done;
	} catch (error) {
		if (stop.signal.aborted || isAbort(error)) return undefined;
		throw error;
	} finally {
		shown.close();
	}
}
