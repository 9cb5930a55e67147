/** Registers the worker that opens the page without a network and receives pushes. */
import { workerAddress } from "../parts/worker-address.ts";

export function registerWorker(): void {
	if (!("serviceWorker" in navigator)) return;
	// A browser may forbid workers: the page works without.
	navigator.serviceWorker.register(workerAddress("/sw.js")).catch(() => {});
}
