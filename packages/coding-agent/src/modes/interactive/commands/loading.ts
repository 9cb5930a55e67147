/** Work of a command that takes a while: a loader with the elapsed time is in place of the editor, and Escape stops it. */
import { BorderedLoader } from "@tau/tui";
import { isAbort, onDispose } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";

/** Undefined if the user stopped it. `work` can say more precisely what it does. */
export async function whileLoading<T>(
	host: InteractiveHost,
	text: string,
	work: (signal: AbortSignal, say: (text: string) => void) => Promise<T>,
): Promise<T | undefined> {
	const stop = new AbortController();
	const since = performance.now();
	let what = text;
	const message = (): string => {
		const seconds = Math.floor((performance.now() - since) / 1000);
		return seconds === 0 ? `${what}…` : `${what}… ${seconds}s`;
	};
	using loader = new BorderedLoader(host.tui, host.theme.current, message());
	const shown = host.showInEditor(loader, { onCancel: () => stop.abort() });
	const clock = setInterval(() => loader.setMessage(message()), 1000);
	using _clock = onDispose(() => clearInterval(clock));
	try {
		const done = await work(stop.signal, (next) => {
			what = next;
			loader.setMessage(message());
		});
		return stop.signal.aborted ? undefined : done;
	} catch (error) {
		if (stop.signal.aborted || isAbort(error)) return undefined;
		throw error;
	} finally {
		shown.close();
	}
}
