/** Registers the worker that opens the page without a network and receives pushes. */

/** Not every browser has it, and no library describes it yet. */
const trusted = window as unknown as {
	trustedTypes?: {
		createPolicy(
			name: string,
			rules: { createScriptURL(address: string): string },
		): { createScriptURL(address: string): unknown };
	};
};

/** Only this one address: the policy of the page takes no other as code. */
const policy = trusted.trustedTypes?.createPolicy("tau", {
	createScriptURL(address: string): string {
		if (address !== "/sw.js") throw new TypeError("This is no worker of the page.");
		return address;
	},
});

export function registerWorker(): void {
	if (!("serviceWorker" in navigator)) return;
	const address = policy ? policy.createScriptURL("/sw.js") : "/sw.js";
	// A browser may forbid workers: the page works without.
	navigator.serviceWorker.register(address as string).catch(() => {});
}
