/** Registers the worker that opens the page without a network and receives pushes. */
import { limits } from "../limits.ts";
import { workerAddress } from "../parts/worker-address.ts";
import { whenIdle } from "../parts/when-idle.ts";

/** Not before the page has time for it: the worker fetches all of the page again, on the same processor. */
export function registerWorker(): void {
	if (!("serviceWorker" in navigator)) return;
	whenIdle(() => {
		// A browser may forbid workers: the page works without.
		navigator.serviceWorker.register(workerAddress("/sw.js")).catch(() => {});
	}, limits.workerMs);
}
