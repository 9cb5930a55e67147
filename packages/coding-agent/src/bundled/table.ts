/** The extensions that ship with Tau: which there are, when one is wanted, and where it is. Nothing is loaded before. */
import type { ShippedExtension } from "@tau/extensions/load";

/** What a run is, as far as it decides what it needs. */
export interface RunFacts {
	mode: "tui" | "rpc" | "print";
	/** The session may be one that exists already, or be exchanged for one. */
	mayHavePast: boolean;
	/** False: the person wants no extensions but those that they name. */
	wantsExtensions: boolean;
}

interface Row extends ShippedExtension {
	isWanted(run: RunFacts): boolean;
}

const table: readonly Row[] = [
	{
		id: "mu",
		isWanted: ({ mode, wantsExtensions }) => mode === "tui" && wantsExtensions,
		load: async () => (await import("./mu/mu.ts")).mu,
	},
	{
		// Apart from mu itself: whoever does without it still has sessions that it has written into.
		id: "mu-restore",
		isWanted: ({ mayHavePast }) => mayHavePast,
		load: async () => (await import("./mu/restore.ts")).muRestore,
	},
];

export function shippedExtensions(run: RunFacts): ShippedExtension[] {
	return table.filter(({ isWanted }) => isWanted(run));
}
