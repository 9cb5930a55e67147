/** The addresses of the page's own workers, as a browser with Trusted Types takes them. */

/** Not every browser has it, and no library describes it yet. */
const trusted = globalThis as unknown as {
	trustedTypes?: {
		createPolicy(
			name: string,
			rules: { createScriptURL(address: string): string },
		): { createScriptURL(address: string): unknown };
	};
};

type WorkerPath = "/sw.js" | "/pdf-worker.js";
const paths: ReadonlySet<string> = new Set<WorkerPath>(["/sw.js", "/pdf-worker.js"]);

let policy: { createScriptURL(address: string): unknown } | undefined;

export function workerAddress(path: WorkerPath): string {
	// Only these addresses: the policy of the page takes no other as code.
	policy ??= trusted.trustedTypes?.createPolicy("tau", {
		createScriptURL(address: string): string {
			if (!paths.has(address)) throw new TypeError("This is no worker of the page.");
			return address;
		},
	});
	return (policy ? policy.createScriptURL(path) : path) as string;
}
