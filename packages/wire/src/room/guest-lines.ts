/** Puts what was sent to all and what was sent to this guest alone into one order, without gap or repeat. */
import { frameHead, type Cursor } from "../frames.ts";
import { roomLimits as limits } from "./limits.ts";

interface Unit {
	readonly seq: number;
	readonly lines: readonly string[];
}

export class GuestLines {
	readonly #deliver: (line: string) => void;
	/** The last frame that was delivered; undefined before a snapshot. */
	#have: Cursor | undefined;
	/** Frames that came before those that they follow, by number. */
	readonly #early = new Map<number, readonly string[]>();
	#earlyBytes = 0;
	/** Answers and components wait for the frame that they follow. */
	#waiting: Unit[] = [];
	#open: string[] = [];

	constructor(from: Cursor | undefined, deliver: (line: string) => void) {
		this.#have = from;
		this.#deliver = deliver;
	}

	get have(): Cursor | undefined {
		return this.#have;
	}

	/** Frames came that follow ones which have not. */
	get isWaiting(): boolean {
		return this.#early.size > 0;
	}

	/** Throws where a line is no frame. */
	take(lines: readonly string[]): void {
		for (const line of lines) {
			const head = frameHead(line);
			if (!head) throw new Error("This is not a frame of a session.");
			this.#open.push(line);
			if (!head.isLast) continue;
			const unit = { seq: head.seq, lines: this.#open };
			this.#open = [];
			if (head.kind === "response" || head.kind === "component") this.#takeOwn(unit);
			else this.#takeFrame(unit, head.epoch, head.kind === "snapshot");
		}
	}

	/** Lines of a frame are missing. */
	reset(): void {
		this.#open = [];
	}

	#takeFrame({ seq, lines }: Unit, epoch: string, isSnapshot: boolean): void {
		const have = this.#have;
		if (have?.epoch === epoch && seq <= have.seq) return;
		if (isSnapshot) return this.#advance({ epoch, seq }, lines);
		if (have?.epoch === epoch && seq === have.seq + 1) return this.#advance({ epoch, seq }, lines);
		this.#keepEarly(seq, lines);
	}

	#keepEarly(seq: number, lines: readonly string[]): void {
		const bytes = lines.reduce((sum, line) => sum + line.length, 0);
		// More than that is asked for again, when it is its turn.
		if (this.#early.has(seq) || this.#earlyBytes + bytes > limits.earlyBytes) return;
		this.#early.set(seq, lines);
		this.#earlyBytes += bytes;
	}

	#takeOwn(unit: Unit): void {
		if (this.#have && unit.seq <= this.#have.seq) return this.#hand(unit.lines);
		this.#waiting.push(unit);
	}

	#advance(to: Cursor, lines: readonly string[]): void {
		this.#step(to, lines);
		for (const at of this.#early.keys()) if (at <= to.seq) this.#drop(at);
		for (let seq = to.seq + 1; ; seq++) {
			const next = this.#early.get(seq);
			if (!next) return;
			this.#drop(seq);
			this.#step({ epoch: to.epoch, seq }, next);
		}
	}

	#step(to: Cursor, lines: readonly string[]): void {
		this.#have = to;
		this.#hand(lines);
		const due = this.#waiting.filter(({ seq }) => seq <= to.seq);
		if (due.length === 0) return;
		this.#waiting = this.#waiting.filter(({ seq }) => seq > to.seq);
		for (const unit of due) this.#hand(unit.lines);
	}

	#drop(seq: number): void {
		const lines = this.#early.get(seq) ?? [];
		this.#early.delete(seq);
		this.#earlyBytes -= lines.reduce((sum, line) => sum + line.length, 0);
	}

	#hand(lines: readonly string[]): void {
		for (const line of lines) this.#deliver(line);
	}
}
