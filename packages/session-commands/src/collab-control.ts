/** Sharing a session live, as `/collab` sees it: the program that opened the session provides it. */
import type { Right } from "@tau/wire";

/** What a link can let its guests do. */
export type SharedRight = Extract<Right, "view" | "comment" | "prompt" | "approve">;

export interface CollabLink {
	readonly name: string;
	readonly right: SharedRight;
	/** As `tau join` takes it. */
	readonly link: string;
	/** The address for browsers, and how it is shown; omp's rooms have none. */
	readonly browser?: string;
	readonly shownBrowser?: string;
	/** The program that joins with it, if not Tau. */
	readonly program?: "omp";
	/** Milliseconds since 1970. */
	readonly expiresAt?: number;
	readonly uses?: number;
	/** How many guests have used it. */
	readonly used: number;
}

export interface CollabGuest {
	readonly name: string;
	readonly right: SharedRight;
	/** The name of the link that it came with. */
	readonly link: string;
}

export interface CollabStatus {
	readonly relay: string;
	/** Empty while the relay can be reached; otherwise why it cannot. */
	readonly trouble: string;
	readonly links: readonly CollabLink[];
	readonly guests: readonly CollabGuest[];
}

export interface WantedLink {
	readonly name: string;
	readonly right: SharedRight;
	readonly expiresAt?: number;
	readonly uses?: number;
}

export interface CollabControl {
	/** Undefined while nothing is shared. */
	readonly status: CollabStatus | undefined;
	/** Whether `start` knows a relay without being given one. */
	readonly hasRelay: boolean;
	/** Runs a relay in this process, for guests of this machine. Gives its address. */
	runRelay(): Promise<string>;
	/** Rejects with the reason: no relay is known, or it cannot be reached. */
	start(relay: string | undefined): Promise<CollabStatus>;
	invite(link: WantedLink): Promise<CollabLink>;
	/** Opens a room for guests who use omp, if there is none yet. */
	inviteOmp(right: "prompt" | "view"): Promise<CollabLink>;
	/** Its guests leave. Rejects where no link has the name. */
	revoke(name: string): Promise<void>;
	/** Rejects where nobody has the name. */
	remove(guest: string): Promise<void>;
	stop(): Promise<void>;
}
