/** Work that can wait until the page is shown and has nothing else to do. */

/** Runs at the latest after `mostMs`, counted from when the page was loaded. */
export function whenIdle(work: () => void, mostMs: number): void {
	const wait = (): void => {
		// Safari has no idle callbacks.
		if ("requestIdleCallback" in globalThis) requestIdleCallback(work, { timeout: mostMs });
		else setTimeout(work, mostMs);
	};
	if (document.readyState === "complete") wait();
	else addEventListener("load", wait, { once: true });
}
