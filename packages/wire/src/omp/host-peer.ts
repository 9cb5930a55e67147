/** One omp guest as its Tau host sees it: a client of the session, whose frames are translated for it alone. */
import { isRecord } from "@tau/utils/portable";

import type { EventFrame } from "../events.ts";
import { FrameReader } from "../frames.ts";
import { Replica } from "../replica.ts";
import type { RoomGuest, RoomMember } from "../room/host-peer.ts";
import type { AgentFacts, Entry } from "../view.ts";
import { ompProtocol, type OmpEvent, type OmpHostFrame } from "./frames.ts";
import { ompLimits as limits } from "./limits.ts";
import {
	agentsToOmp,
	busToOmp,
	chunksOf,
	entryToOmp,
	eventToOmp,
	fitting,
	headerToOmp,
	stateToOmp,
} from "./to-omp.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a guest needs of its room. */
export interface OmpPeerRoom {
	readonly hostName: string;
	/** A promise while the relay does not take more. */
	post(frame: OmpHostFrame): Promise<void>;
	join(guest: RoomGuest, onLines: (lines: readonly string[]) => Promise<void>): RoomMember;
}

export class OmpPeer implements Disposable {
	readonly guest: RoomGuest;
	readonly #room: OmpPeerRoom;
	readonly #member: RoomMember;
	readonly #replica = new Replica();
	#reader = new FrameReader();
	readonly #startedAt = Date.now();
	readonly #answers = new Map<string, (data: unknown) => void>();
	readonly #agents = new Map<string, string>();
	#commands = 0;
	/** Frames are told when the past has been. */
	#isWelcomed = false;
	#isGone = false;
	#early: (() => void)[] = [];
	#posting: Promise<void> = Promise.resolve();
	#later: ReturnType<typeof setTimeout> | undefined;
	#answerDue: ReturnType<typeof setTimeout> | undefined;

	constructor(guest: RoomGuest, room: OmpPeerRoom) {
		this.guest = guest;
		this.#room = room;
		this.#replica.onReset(() => void this.#welcome());
		this.#replica.subscribe((event) => this.#whenIn(() => this.#onEvent(event)));
		this.#replica.onResponse(({ id, ok, data, error }) => this.#onResponse(id, ok ? data : undefined, error));
		this.#member = room.join(guest, (lines) => this.#takeLines(lines));
	}

	/** A frame of the guest; `hello` was read before. */
	take(frame: Fields): void {
		switch (frame.t) {
			case "prompt": {
				const images = Array.isArray(frame.images) ? { images: frame.images } : {};
				return this.#write("prompting", {
					type: "prompt",
					message: String(frame.text),
					...images,
					streamingBehavior: "steer",
				});
			}
			case "abort":
				return this.#write("interrupting", { type: "abort" });
			case "agent-cmd":
				return this.#agentCommand(frame);
			case "fetch-transcript":
				return void this.#transcript(frame);
		}
	}

	end(reason: string): void {
		this.#post({ t: "bye", reason });
		this[Symbol.dispose]();
	}

	/** What was posted is out. */
	get sent(): Promise<void> {
		return this.#posting;
	}

	[Symbol.dispose](): void {
		if (this.#isGone) return;
		this.#isGone = true;
		clearTimeout(this.#later);
		clearTimeout(this.#answerDue);
		this.#member[Symbol.dispose]();
	}

	// To the guest.

	async #takeLines(lines: readonly string[]): Promise<void> {
		for (const line of lines) {
			const frame = this.#reader.read(line);
			if (!frame) continue;
			if (frame.kind === "state") this.#soon();
			const isComplete = this.#replica.take(frame);
			if (frame.kind === "entry" && isComplete)
				this.#whenIn(() => this.#post({ t: "entry", entry: entryToOmp(frame.body.entry) }));
			const { cursor } = this.#replica;
			if (!isComplete && cursor) this.#member.resume({ epoch: "", seq: 0 });
		}
		// The guest's own pace is the relay's.
		await this.#posting;
	}

	/** Everything anew: at the beginning, and after a move that cannot be told in steps. */
	async #welcome(): Promise<void> {
		this.#isWelcomed = false;
		this.#early = [];
		const { facts, clients } = this.#replica;
		const entries = (await this.#branch()).map(entryToOmp);
		if (this.#isGone) return;
		this.#post({
			t: "welcome",
			proto: ompProtocol,
			header: headerToOmp(facts, entries[0]?.timestamp ?? new Date(this.#startedAt).toISOString()),
			state: stateToOmp(facts, clients, this.#room.hostName),
			agents: agentsToOmp(facts, this.#startedAt, facts.phase !== "idle"),
			entryCount: entries.length,
			...(this.guest.right === "view" ? { readOnly: true } : {}),
		});
		const chunks = chunksOf(entries);
		chunks.forEach((chunk, at) =>
			this.#post({ t: "snapshot-chunk", entries: chunk, final: at === chunks.length - 1 }),
		);
		this.#isWelcomed = true;
		// What is being written is visible at once.
		const { answer } = this.#replica.live;
		if (answer) {
			this.#event({ type: "message_start", message: { ...answer, content: [] } });
			this.#event({ type: "message_update", message: answer });
		}
		for (const emit of this.#early.splice(0)) emit();
	}

	/** The newest entries of the branch, as many as a snapshot may have. */
	async #branch(): Promise<Entry[]> {
		const { entries } = this.#replica.tail;
		const all = [...entries];
		let bytes = JSON.stringify(all).length;
		for (let first = all[0]; first?.parentId && bytes < limits.snapshotBytes; first = all[0]) {
			const reply = await this.#ask({ type: "get_entries", before: first.id });
			const page = isRecord(reply) && Array.isArray(reply.entries) ? (reply.entries as Entry[]) : [];
			if (page.length === 0 || this.#isGone) break;
			bytes += JSON.stringify(page).length;
			all.unshift(...page);
		}
		const [first, ...rest] = all;
		// A root that has a parent would be a broken tree.
		return first ? [{ ...first, parentId: null }, ...rest] : [];
	}

	#whenIn(emit: () => void): void {
		if (this.#isWelcomed) emit();
		else this.#early.push(emit);
	}

	#onEvent(event: EventFrame): void {
		if (event.type === "message_update") return this.#answerSoon();
		if (event.type === "clients_changed" || event.type === "queue_update") return this.#soon();
		if (event.type === "child_started" || event.type === "child_progress" || event.type === "child_ended") {
			this.#soon();
			return this.#tellAgents();
		}
		const known = eventToOmp(event);
		if (!known) return;
		clearTimeout(this.#answerDue);
		this.#answerDue = undefined;
		this.#event(known);
	}

	#answerSoon(): void {
		this.#answerDue ??= setTimeout(() => {
			this.#answerDue = undefined;
			const { answer } = this.#replica.live;
			if (answer)
				this.#event({ type: "message_update", message: { ...answer, content: [...answer.content] } });
		}, limits.answerMs);
	}

	#event(event: OmpEvent): void {
		this.#post({ t: "event", event: fitting(event) });
	}

	/** Facts that change often are told together. */
	#soon(): void {
		this.#later ??= setTimeout(() => {
			this.#later = undefined;
			if (!this.#isWelcomed) return;
			const { facts, clients } = this.#replica;
			this.#post({ t: "state", state: stateToOmp(facts, clients, this.#room.hostName) });
			this.#post({ t: "agents", agents: agentsToOmp(facts, this.#startedAt, facts.phase !== "idle") });
		}, limits.stateMs);
	}

	#tellAgents(): void {
		this.#replica.facts.agents.forEach((agent: AgentFacts, index) => {
			const { lifecycle, progress } = busToOmp(agent, index);
			if (this.#agents.get(agent.id) !== agent.state)
				this.#post({ t: "bus", channel: "task:subagent:lifecycle", data: lifecycle });
			this.#agents.set(agent.id, agent.state);
			if (agent.state === "running")
				this.#post({ t: "bus", channel: "task:subagent:progress", data: progress });
		});
	}

	#post(frame: OmpHostFrame): void {
		if (this.#isGone && frame.t !== "bye") return;
		this.#posting = this.#posting.then(() => this.#room.post(frame)).catch(() => {});
	}

	// Of the guest.

	#write(what: string, command: Fields): void {
		if (this.guest.right === "view")
			return this.#post({ t: "error", message: `${what} is disabled on a read-only link` });
		void this.#ask(command);
	}

	#agentCommand({ cmd, agentId, text }: Fields): void {
		const childId = String(agentId);
		if (cmd === "kill") return this.#write("agent control", { type: "abort_child", childId });
		const message = cmd === "revive" && typeof text !== "string" ? "Continue." : String(text);
		this.#write("agent control", { type: "prompt_child", childId, message });
	}

	async #transcript({ reqId, agentId, fromByte }: Fields): Promise<void> {
		const number = Number(reqId);
		const reply = await this.#ask({ type: "get_child_messages", childId: String(agentId) });
		const messages = isRecord(reply) && Array.isArray(reply.messages) ? reply.messages : undefined;
		if (!messages)
			return this.#post({
				t: "transcript",
				reqId: number,
				text: "",
				newSize: 0,
				error: "no transcript available",
			});
		const bytes = new TextEncoder().encode(transcriptOf(messages, String(agentId)));
		const from = Math.min(Math.max(0, Number(fromByte) || 0), bytes.length);
		const part = bytes.subarray(from, from + limits.transcriptBytes);
		// Whole lines, so that no character is cut in two.
		const end = from + part.length < bytes.length ? part.lastIndexOf(10) + 1 : part.length;
		const text = new TextDecoder().decode(part.subarray(0, end));
		this.#post({ t: "transcript", reqId: number, text, newSize: from + end });
	}

	#ask(command: Fields): Promise<unknown> {
		const id = `omp-${++this.#commands}`;
		return new Promise((resolve) => {
			this.#answers.set(id, resolve);
			this.#member.take({ ...command, id });
		});
	}

	#onResponse(id: string, data: unknown, error: string | undefined): void {
		this.#answers.get(id)?.(data);
		this.#answers.delete(id);
		if (error !== undefined) this.#post({ t: "error", message: error });
	}
}

/** As a session file, each line with an id that stays the same. */
function transcriptOf(messages: readonly unknown[], agent: string): string {
	const header = { type: "session", version: 3, id: agent, timestamp: new Date(0).toISOString(), cwd: "" };
	const lines = messages.map((message, at) =>
		fitting({
			type: "message",
			id: at.toString(16).padStart(8, "0"),
			parentId: at === 0 ? null : (at - 1).toString(16).padStart(8, "0"),
			timestamp: new Date(0).toISOString(),
			message,
		}),
	);
	return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}
