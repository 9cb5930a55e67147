/** A promise as rows of the matrix: each row is checked with every client that can have it. */
import type { Capability, Client, ClientName } from "./client.ts";

export interface Row {
	/** `promise/aspect`, by which open cells are listed. */
	readonly id: string;
	/** What a user would notice, as the end of "in <client>, …". */
	readonly title: string;
	readonly needs?: readonly Capability[];
	/** Clients that cannot have this row, although they have what it needs. */
	readonly notFor?: Readonly<Partial<Record<ClientName, string>>>;
	/** Run when no other cell runs. */
	readonly isAlone?: boolean;
	check(client: Client): Promise<void>;
}

/** Why a client has no follow-ups. */
export const steers = "sends a prompt during a run, which steers it; its answer is the end of the run";

/** Why a row is not checked with a client; undefined if it is. */
export function notApplicable({ needs = [], notFor = {} }: Row, client: Client): string | undefined {
	const missing = needs.find((capability) => client.lacks[capability] !== undefined);
	const own = notFor[client.name] ?? (client.beside && notFor[client.beside]);
	return own ?? (missing === undefined ? undefined : client.lacks[missing]);
}
