/** Frames: what a host sends to its clients, in one numbered order for every transport. */
import type { EventFrame, EventFrameOf } from "./events.ts";
import type { RequestKind } from "./requests.ts";
import type { Right } from "./rights.ts";
import type { Entry, SessionFacts, SessionSnapshot } from "./view.ts";

/** A program that is attached to a session, and what it may do there. */
export interface ClientInfo {
	readonly id: string;
	/** As people see it: `terminal pts/3`, `Zed`, the name of a guest. */
	readonly name: string;
	readonly rights: Right;
	/** The requests to the user that it can show. */
	readonly kinds: readonly RequestKind[];
}

/** What a client has read last. An epoch ends when the host starts anew; numbers are comparable within one. */
export interface Cursor {
	readonly epoch: string;
	readonly seq: number;
}

/** The end of a frame that is larger than `frameBytes`: the pieces of its JSON, in order. */
interface BlobChunk {
	/** The kind of the frame that the pieces make. */
	readonly of: string;
	readonly index: number;
	readonly count: number;
	readonly data: string;
}

interface FrameBodies {
	/** Without what entries carry: `message_end` has `entryId`, `message_update` only the new part. */
	readonly event: EventFrame;
	/** A line of the log; the leaf is then this entry, or the one that `leafId` names. */
	readonly entry: { readonly entry: Entry; readonly leafId: string | null };
	/** The facts that have changed. */
	readonly state: Partial<SessionFacts>;
	/** A question to the user was opened, or closed: `request_opened` and `request_closed`. */
	readonly request: EventFrameOf<"request_opened" | "request_closed">;
	/** To one client: the outcome of its command. */
	readonly response: {
		readonly id: string;
		readonly ok: boolean;
		readonly data?: unknown;
		readonly error?: string;
	};
	readonly presence: { readonly clients: readonly ClientInfo[] };
	readonly blob: BlobChunk;
	/** Everything anew: the first frame of a joiner, after a move, and for a client that lagged too far behind. */
	readonly snapshot: SessionSnapshot;
}

export type FrameKind = keyof FrameBodies;

export type FrameOf<K extends FrameKind> = {
	readonly epoch: string;
	readonly seq: number;
	readonly sessionId: string;
	readonly kind: K;
	readonly body: FrameBodies[K];
};
export type Frame = { [K in FrameKind]: FrameOf<K> }[FrameKind];

export const frameLimits = {
	/** A larger frame is sent in pieces. */
	frameBytes: 256 * 1024,
	/** What a host keeps of the last frames, for clients that come back. */
	replayBytes: 4 * 1024 * 1024,
	/** What may wait for one client; then it gets a snapshot instead. */
	queueBytes: 4 * 1024 * 1024,
	/** Deltas within this time travel as one frame to remote clients. */
	batchMs: 16,
	/** Entries of a branch in a snapshot, at most; earlier ones are asked for. */
	tailEntries: 400,
	tailBytes: 1024 * 1024,
	/** Notices that a joiner is shown. */
	notices: 20,
	/** Of the output of a running command, for a joiner. */
	outputChars: 64 * 1024,
} as const;
