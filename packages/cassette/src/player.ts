/** Plays a timeline to a client, as a session elsewhere: at a speed, with pauses, and from any place. */
import { isRecord, version } from "@tau/utils";
import { frameLines, Replica, type Frame, type SessionFacts } from "@tau/wire";
import type { Connection, ConnectionEvents, Transport } from "@tau/wire/remote";

import type { Cassette } from "./format.ts";
import { limits } from "./limits.ts";
import { playerReply, playerCommands, stateLine } from "./player-commands.ts";
import type { FrameBody, Timeline } from "./timeline.ts";

export interface PlayerState {
	readonly isPaused: boolean;
	readonly speed: number;
	readonly step: number;
	readonly steps: number;
	readonly atMs: number;
	readonly lengthMs: number;
}

const epoch = "cassette";

export class Player implements Transport, Disposable {
	readonly #timeline: Timeline;
	readonly #facts: SessionFacts;
	#replica = new Replica();
	#events: ConnectionEvents | undefined;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#seq = 0;
	/** The next beat. */
	#next = 0;
	#speed: number;
	#isPaused = false;

	constructor(cassette: Cassette, timeline: Timeline, speed: number) {
		this.#timeline = timeline;
		this.#facts = factsOf(cassette);
		this.#speed = speed;
	}

	get state(): PlayerState {
		const { beats, steps, lengthMs } = this.#timeline;
		const last = beats[this.#next - 1];
		const { step = 0, at: atMs = 0 } = last ?? {};
		return { isPaused: this.#isPaused, speed: this.#speed, step, steps, atMs, lengthMs };
	}

	async connect(_: unknown, events: ConnectionEvents): Promise<Connection> {
		this.#events = events;
		// Frames come after the welcome.
		queueMicrotask(() => {
			this.seek(this.#next);
			this.#schedule();
		});
		return {
			rights: "control",
			send: (line) => this.#take(line),
			[Symbol.dispose]: () => this[Symbol.dispose](),
		};
	}

	pause(isPaused: boolean): void {
		this.#isPaused = isPaused;
		this.#schedule();
	}

	setSpeed(speed: number): void {
		this.#speed = Math.min(limits.speeds.most, Math.max(limits.speeds.least, speed));
		this.#schedule();
	}

	/** Continues before the answer with this number, from 1; 0 is the beginning. */
	seekStep(step: number): void {
		const { beats } = this.#timeline;
		const at = beats.findIndex((beat) => beat.step >= step);
		this.seek(at === -1 ? beats.length : at);
		this.#schedule();
	}

	/** Shows the session as it was before a beat. */
	seek(next: number): void {
		this.#replica = new Replica();
		this.#replica.take(this.#frame({ kind: "snapshot", body: emptySnapshot(this.#seq, this.#facts) }));
		this.#next = 0;
		while (this.#next < next) this.#advance();
		const { facts, tail, live } = this.#replica;
		const cursor = { epoch, seq: this.#seq };
		this.#send({ kind: "snapshot", body: { cursor, facts, tail, live: live.state(), clients: [] } });
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#timer);
		this.#events = undefined;
	}

	#schedule(): void {
		clearTimeout(this.#timer);
		const beat = this.#timeline.beats[this.#next];
		if (this.#isPaused || !beat || !this.#events) return;
		const since = this.#timeline.beats[this.#next - 1]?.at ?? 0;
		this.#timer = setTimeout(
			() => {
				for (const frame of this.#advance()) this.#sendFrame(frame);
				this.#schedule();
			},
			(beat.at - since) / this.#speed,
		);
	}

	#advance(): Frame[] {
		const beat = this.#timeline.beats[this.#next++];
		return (beat?.frames ?? []).map((body) => {
			this.#seq++;
			const frame = this.#frame(body);
			this.#replica.take(frame);
			return frame;
		});
	}

	#notice(message: string): void {
		this.#seq++;
		const frame = this.#frame({ kind: "event", body: { type: "notice", level: "info", message } });
		this.#replica.take(frame);
		this.#sendFrame(frame);
	}

	#frame(body: FrameBody): Frame {
		return { epoch, seq: this.#seq, sessionId: this.#facts.session.id, ...body } as Frame;
	}

	#send(body: FrameBody): void {
		this.#sendFrame(this.#frame(body));
	}

	#sendFrame(frame: Frame): void {
		for (const line of frameLines(frame)) this.#events?.onLine(line);
	}

	#take(line: object): void {
		if (!isRecord(line) || typeof line.id !== "string") return;
		const { id } = line;
		try {
			const data = this.#answer(line);
			this.#send({ kind: "response", body: { id, ok: true, ...(data === undefined ? {} : { data }) } });
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			this.#send({ kind: "response", body: { id, ok: false, error: message } });
		}
	}

	#answer({ type, name, args, message }: Record<string, unknown>): unknown {
		switch (type) {
			case "list_commands":
				return { commands: playerCommands };
			case "complete_command":
				return { items: [] };
			case "get_entries":
				return { entries: [], leafId: null };
			case "show_components":
				return undefined;
			// Escape.
			case "abort":
				this.pause(!this.#isPaused);
				this.#notice(stateLine(this));
				return undefined;
			case "run_command":
				return { text: playerReply(this, String(name), String(args ?? "")), level: "info" };
			case "prompt":
				// Enter without a text is not sent: any text is taken as a command.
				return void playerReply(this, ...(String(message).trim().split(/\s+/, 2) as [string, string?]));
			default:
				throw new Error(
					"This is a recording: it can be watched only. To continue it: tau replay FILE --fork N",
				);
		}
	}
}

/** All frames of a recording in their order, the first of them a snapshot: the same bytes on every machine. */
export function* framesOf(cassette: Cassette, { beats }: Timeline): Generator<Frame> {
	const facts = factsOf(cassette);
	const head = { epoch, sessionId: facts.session.id };
	yield { ...head, seq: 0, kind: "snapshot", body: emptySnapshot(0, facts) };
	let seq = 0;
	// A body fits its kind, which the compiler does not follow through a spread.
	for (const body of beats.flatMap(({ frames }) => frames)) yield { ...head, seq: ++seq, ...body } as Frame;
}

function emptySnapshot(seq: number, facts: SessionFacts): Extract<FrameBody, { kind: "snapshot" }>["body"] {
	return {
		cursor: { epoch, seq },
		facts,
		tail: { leafId: null, entries: [], earlier: 0 },
		live: new Replica().live.state(),
		clients: [],
	};
}

/** What a recording knows of its session at the beginning. */
function factsOf({ log, exchanges, head }: Cassette): SessionFacts {
	const header = JSON.parse(log[0] ?? "{}") as Record<string, unknown>;
	const { headers: _, ...model } = exchanges[0]?.model ?? {
		id: "recorded",
		name: `Tau ${head.facts.tau || version}`,
		api: "recorded",
		provider: "recorded",
		baseUrl: "",
		reasoning: false,
		input: ["text" as const],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 0,
		maxTokens: 0,
	};
	return {
		session: { id: String(header.id), cwd: String(header.cwd ?? ""), isTrusted: false },
		phase: "idle",
		isCompacting: false,
		model,
		thinkingLevel: "off",
		approvals: null,
		queue: { steering: [], followUp: [] },
		queueModes: { steering: "one-at-a-time", followUp: "one-at-a-time" },
		usage: null,
		context: { tokens: 0, contextWindow: model.contextWindow, percent: 0, exact: false },
		goal: null,
		todos: [],
		machine: null,
		agents: [],
		hiddenTools: [],
	};
}
