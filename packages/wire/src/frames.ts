/** Frames: what a host sends to its clients, in one numbered order for every transport. */
import type { ComponentChanges } from "./components.ts";
import type { EventFrame, EventFrameOf } from "./events.ts";
import type { WireMessage } from "./messages.ts";
import type { Flat } from "./schema.ts";
import type { ClientInfo } from "./session-shapes.ts";
import type { Entry, SessionFacts, SessionSnapshot } from "./view.ts";

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

/** An event without what entries carry: a replica puts it back. `message_update` has only the new part. */
export type LeanEvent =
	| Exclude<EventFrame, { type: "message_end" | "turn_end" | "agent_end" }>
	| Flat<Omit<EventFrameOf<"message_end">, "message"> & { message?: WireMessage }>
	| Flat<Omit<EventFrameOf<"turn_end">, "message" | "toolResults">>
	| Flat<Omit<EventFrameOf<"agent_end">, "messages">>;

interface FrameBodies {
	readonly event: LeanEvent;
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
	/** To one client: what extensions draw for it. Not numbered, because no other client has it. */
	readonly component: ComponentChanges;
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
	/** A frame put together from its pieces, at most. */
	wholeBytes: 64 * 1024 * 1024,
	pieces: 1024,
	/** What a host keeps of the last frames, for clients that come back: further back, a snapshot is about as short. */
	replayBytes: 2 * 1024 * 1024,
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

/** One frame as the lines that transports carry: pieces of it, where it is large. */
export function frameLines(frame: Frame): string[] {
	const whole = JSON.stringify(frame);
	if (whole.length <= frameLimits.frameBytes) return [whole];
	const { epoch, seq, sessionId, kind } = frame;
	const json = JSON.stringify(frame.body);
	const size = frameLimits.frameBytes / 2;
	const count = Math.ceil(json.length / size);
	return Array.from({ length: count }, (_, index) => {
		// Half of a surrogate pair is escaped in JSON, and whole again when the pieces are joined.
		const data = json.slice(index * size, (index + 1) * size);
		return JSON.stringify({ epoch, seq, sessionId, kind: "blob", body: { of: kind, index, count, data } });
	});
}

/** What a line says of its frame before its body. */
export interface FrameHead extends Cursor {
	/** Of a piece: the kind of the frame that the pieces make. */
	readonly kind: FrameKind;
	/** The last line of its frame. */
	readonly isLast: boolean;
}

const head = /^\{"epoch":"([\w-]*)","seq":(\d+),"sessionId":"[\w-]*","kind":"(\w+)"/;
const piece = /^,"body":\{"of":"(\w+)","index":(\d+),"count":(\d+),/;

/** Undefined for what `frameLines` does not make. Frames come by the thousand, and are not parsed for this. */
export function frameHead(line: string): FrameHead | undefined {
	const [whole = "", epoch, seq, kind] = head.exec(line) ?? [];
	if (epoch === undefined || kind === undefined) return undefined;
	const cursor = { epoch, seq: Number(seq) };
	if (kind !== "blob") return { ...cursor, kind: kind as FrameKind, isLast: true };
	const [, of, index, count] = piece.exec(line.slice(whole.length, whole.length + 100)) ?? [];
	if (of === undefined) return undefined;
	return { ...cursor, kind: of as FrameKind, isLast: Number(index) + 1 === Number(count) };
}

/** Joins pieces. A host is believed only as far as its frames are of a bounded size. */
export class FrameReader {
	#pieces: string[] = [];
	#bytes = 0;

	/** Undefined while pieces are missing. Throws where a line is no frame, or its pieces do not fit together. */
	read(line: string): Frame | undefined {
		const frame = JSON.parse(line) as Frame;
		if (typeof frame !== "object" || frame === null || typeof frame.seq !== "number")
			throw new Error("This is not a frame of a session.");
		if (frame.kind !== "blob") {
			if (this.#pieces.length > 0) throw new Error("A frame came before the pieces of the last one.");
			return frame;
		}
		const { of, index, count, data } = frame.body;
		if (index !== this.#pieces.length || count > frameLimits.pieces)
			throw new Error("A piece of a frame is missing.");
		this.#pieces.push(data);
		this.#bytes += data.length;
		if (this.#bytes > frameLimits.wholeBytes) throw new Error("A frame is too large.");
		if (index + 1 < count) return undefined;
		const body: unknown = JSON.parse(this.#pieces.join(""));
		this.#pieces = [];
		this.#bytes = 0;
		return { ...frame, kind: of, body } as Frame;
	}
}
