/** The bundled extensions: which exist, when one is used, and where it is. Nothing is loaded before. */
import type { ShippedExtension } from "@tau/extensions/load";

/** What a run is, as far as it decides what it needs. */
export interface RunFacts {
	mode: "tui" | "rpc" | "print";
	/** The session may be one that exists already, or be exchanged for one. */
	mayHavePast: boolean;
	/** False if the user wants only extensions that are named explicitly. */
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
		id: "loop",
		isWanted: ({ mode, wantsExtensions }) => mode !== "print" && wantsExtensions,
		load: async () => (await import("./loop.ts")).loop,
	},
	{
		// Separate from mu itself: without mu there are still sessions that it has written to.
		id: "mu-restore",
		isWanted: ({ mayHavePast }) => mayHavePast,
		load: async () => (await import("./mu/restore.ts")).muRestore,
	},
];

export function shippedExtensions(run: RunFacts): ShippedExtension[] {
	return table.filter(({ isWanted }) => isWanted(run));
}
