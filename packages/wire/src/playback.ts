/** A recorded session in time: the frames that its clients saw, played at a speed, with pauses, and from any place. */
import type { Frame } from "./frames.ts";
import { Live } from "./live.ts";
import { Replica } from "./replica.ts";
import type { SessionFacts, SessionSnapshot } from "./view.ts";

/** A frame without its place in an order. */
export type FrameBody = {
	[K in Frame["kind"]]: Pick<Extract<Frame, { kind: K }>, "kind" | "body">;
}[Frame["kind"]];

export interface Beat {
	/** Milliseconds since the beginning. */
	readonly at: number;
	/** The number of answers that have begun. */
	readonly step: number;
	readonly frames: readonly FrameBody[];
}

export interface RecordedSession {
	/** Of the session at the beginning. */
	readonly facts: SessionFacts;
	readonly beats: readonly Beat[];
	readonly steps: number;
	readonly lengthMs: number;
}

export interface PlaybackState {
	readonly isPaused: boolean;
	/** All of it was played. */
	readonly isOver: boolean;
	readonly speed: number;
	readonly step: number;
	/** The answer that it is before or in; one more than there are at the end. */
	readonly current: number;
	readonly steps: number;
	readonly atMs: number;
	readonly lengthMs: number;
}

/** A player is not faster or slower than this. */
const speeds = { least: 0.1, most: 1000 } as const;

const epoch = "cassette";

export function emptySnapshot(seq: number, facts: SessionFacts): SessionSnapshot {
	return {
		cursor: { epoch, seq },
		facts,
		tail: { leafId: null, entries: [], earlier: 0 },
		live: new Live().state(),
		clients: [],
	};
}

export class Playback implements Disposable {
	readonly #recording: RecordedSession;
	readonly #onFrame: (frame: Frame) => void;
	#replica = new Replica();
	#timer: ReturnType<typeof setTimeout> | undefined;
	#waitsSince = 0;
	#seq = 0;
	/** The next beat. */
	#next = 0;
	#speed: number;
	#isPaused = false;
	#isClosed = false;

	constructor(recording: RecordedSession, speed: number, onFrame: (frame: Frame) => void) {
		this.#recording = recording;
		this.#speed = speed;
		this.#onFrame = onFrame;
	}

	get state(): PlaybackState {
		const { beats, steps, lengthMs } = this.#recording;
		const { step = 0, at = 0 } = beats[this.#next - 1] ?? {};
		const next = beats[this.#next];
		const waited = this.#timer === undefined ? 0 : (performance.now() - this.#waitsSince) * this.#speed;
		return {
			isPaused: this.#isPaused,
			isOver: next === undefined,
			speed: this.#speed,
			step,
			current: next?.step ?? steps + 1,
			steps,
			atMs: Math.min(next?.at ?? at, at + waited),
			lengthMs,
		};
	}

	/** Shows the place where it is, and continues from there. */
	start(): void {
		this.#show(this.#next);
		this.#schedule();
	}

	pause(isPaused: boolean): void {
		this.#isPaused = isPaused;
		this.#schedule();
	}

	setSpeed(speed: number): void {
		this.#speed = Math.min(speeds.most, Math.max(speeds.least, speed));
		this.#schedule();
	}

	/** Continues before the answer with this number, from 1; 0 is the beginning. */
	seekStep(step: number): void {
		this.#seek(({ step: each }) => each >= step);
	}

	/** Continues after everything that had happened by then. */
	seekMs(ms: number): void {
		this.#seek(({ at }) => at > ms);
	}

	/** A frame of the player itself, among those of the recording. */
	insert(body: FrameBody): void {
		this.#seq++;
		const frame = this.frame(body);
		this.#replica.take(frame);
		this.#onFrame(frame);
	}

	/** With the place of the last one, as answers have. */
	frame(body: FrameBody): Frame {
		return { epoch, seq: this.#seq, sessionId: this.#recording.facts.session.id, ...body } as Frame;
	}

	[Symbol.dispose](): void {
		this.#isClosed = true;
		this.#stop();
	}

	#seek(isNext: (beat: Beat) => boolean): void {
		const at = this.#recording.beats.findIndex(isNext);
		this.#show(at === -1 ? this.#recording.beats.length : at);
		this.#schedule();
	}

	/** The session as it was before a beat. */
	#show(next: number): void {
		this.#replica = new Replica();
		const empty = emptySnapshot(this.#seq, this.#recording.facts);
		this.#replica.take(this.frame({ kind: "snapshot", body: empty }));
		this.#next = 0;
		while (this.#next < next) this.#advance();
		const { facts, tail, live } = this.#replica;
		const cursor = { epoch, seq: this.#seq };
		this.#onFrame(
			this.frame({ kind: "snapshot", body: { cursor, facts, tail, live: live.state(), clients: [] } }),
		);
	}

	#schedule(): void {
		this.#stop();
		const { beats } = this.#recording;
		const beat = beats[this.#next];
		if (this.#isPaused || !beat || this.#isClosed) return;
		const since = beats[this.#next - 1]?.at ?? 0;
		this.#waitsSince = performance.now();
		this.#timer = setTimeout(
			() => {
				for (const frame of this.#advance()) this.#onFrame(frame);
				this.#schedule();
			},
			(beat.at - since) / this.#speed,
		);
	}

	#stop(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	#advance(): Frame[] {
		const beat = this.#recording.beats[this.#next++];
		return (beat?.frames ?? []).map((body) => {
			this.#seq++;
			const frame = this.frame(body);
			this.#replica.take(frame);
			return frame;
		});
	}
}
