/** How lines travel between a client and a session elsewhere: over a socket of this machine, a WebSocket, a sealed room. */
import type { JoinRequest } from "./greeting.ts";
import type { Right } from "./rights.ts";
import type { ClientInfo } from "./session-shapes.ts";

/** It refused: the reason is for the user, and trying again would not help. */
export class RefusedError extends Error {}

/** The session is not there any more. It is waited for only if it has said that it comes back. */
export class GoneError extends Error {}

export interface Connection extends Disposable {
	/** What the host lets this client do. */
	readonly rights: Right;
	/** Who this client is to the others, where the host decides that. */
	readonly me?: Pick<ClientInfo, "id" | "name"> | undefined;
	/** A command. A promise while the other end does not read. */
	send(line: object): void | Promise<void>;
	/** Finds out whether the other end is still there, where the transport would not notice: if not, `onEnd` is called. */
	probe?(): void;
}

export interface ConnectionEvents {
	/** A frame, a piece of one, or `bye`. Never called before the welcome of the host. */
	onLine(line: string): void;
	/** Called once, and only after the welcome; without a reason, the other end has left. `isFinal`: coming back is of no use. */
	onEnd(reason: string | undefined, isFinal?: boolean): void;
	signal: AbortSignal | undefined;
}

export interface Transport {
	/**
	 * Resolves when the host has let the client in. Rejects with a `RefusedError`, a `GoneError`, or what may be over with
	 * the next attempt. `sessionId` is the session as it was last seen, which moves; undefined before the first snapshot.
	 */
	connect(join: JoinRequest & { readonly sessionId?: string }, events: ConnectionEvents): Promise<Connection>;
}
