/** Plays a recording to a client, as a session elsewhere. */
import { isRecord, version } from "@tau/utils";
import { frameLines, type Frame, type SessionFacts } from "@tau/wire";
import {
	emptySnapshot,
	Playback,
	type Connection,
	type ConnectionEvents,
	type FrameBody,
	type RecordedSession,
	type Transport,
} from "@tau/wire/remote";

import type { Cassette } from "./format.ts";
import { playerReply, playerCommands, stateLine } from "./player-commands.ts";
import type { Timeline } from "./timeline.ts";

export class Player implements Transport, Disposable {
	readonly playback: Playback;
	#events: ConnectionEvents | undefined;

	constructor(cassette: Cassette, timeline: Timeline, speed: number) {
		this.playback = new Playback(recordingOf(cassette, timeline), speed, (frame) => this.#send(frame));
	}

	async connect(_: unknown, events: ConnectionEvents): Promise<Connection> {
		this.#events = events;
		// Frames come after the welcome.
		queueMicrotask(() => this.playback.start());
		return {
			rights: "control",
			send: (line) => this.#take(line),
			[Symbol.dispose]: () => this[Symbol.dispose](),
		};
	}

	[Symbol.dispose](): void {
		this.playback[Symbol.dispose]();
		this.#events = undefined;
	}

	#send(frame: Frame): void {
		for (const line of frameLines(frame)) this.#events?.onLine(line);
	}

	#respond(body: FrameBody): void {
		this.#send(this.playback.frame(body));
	}

	#take(line: object): void {
		if (!isRecord(line) || typeof line.id !== "string") return;
		const { id } = line;
		try {
			const data = this.#answer(line);
			this.#respond({ kind: "response", body: { id, ok: true, ...(data === undefined ? {} : { data }) } });
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			this.#respond({ kind: "response", body: { id, ok: false, error: message } });
		}
	}

	#notice(message: string): void {
		this.playback.insert({ kind: "event", body: { type: "notice", level: "info", message } });
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
				this.playback.pause(!this.playback.state.isPaused);
				this.#notice(stateLine(this.playback));
				return undefined;
			case "run_command":
				return { text: playerReply(this.playback, String(name), String(args ?? "")), level: "info" };
			case "prompt":
				// Enter without a text is not sent: any text is taken as a command.
				return void playerReply(
					this.playback,
					...(String(message).trim().split(/\s+/, 2) as [string, string?]),
				);
			default:
				throw new Error(
					"This is a recording: it can be watched only. To continue it: tau replay FILE --fork N",
				);
		}
	}
}

/** What any player plays, in a terminal or in a page. */
export function recordingOf(cassette: Cassette, { beats, steps, lengthMs }: Timeline): RecordedSession {
	return { facts: factsOf(cassette), beats, steps, lengthMs };
}

/** All frames of a recording in their order, the first of them a snapshot: the same bytes on every machine. */
export function* framesOf(cassette: Cassette, { beats }: Timeline): Generator<Frame> {
	const facts = factsOf(cassette);
	const first = emptySnapshot(0, facts);
	const head = { epoch: first.cursor.epoch, sessionId: facts.session.id };
	yield { ...head, seq: 0, kind: "snapshot", body: first };
	let seq = 0;
	// A body fits its kind, which the compiler does not follow through a spread.
	for (const body of beats.flatMap(({ frames }) => frames)) yield { ...head, seq: ++seq, ...body } as Frame;
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
