/** Queries the features of the terminal; each query is followed by a sentinel of its own. */
import { timer } from "@tau/utils";

import { terminalLimits } from "../limits.ts";
import type { Reply } from "./replies.ts";

const queries = {
	keyboard: "\x1b[?u",
	background: "\x1b]11;?\x1b\\",
	syncOutput: "\x1b[?2026$p",
	inBandResize: "\x1b[?2048$p",
	appearance: "\x1b[?2031$p",
	cellSize: "\x1b[16t",
	cursor: "\x1b[6n",
	textSize: "\x1b[18t",
	colorScheme: "\x1b[?996n",
	notifications: "\x1b]99;i=tau:p=?;\x1b\\",
	colorRegisters: "\x1b[?1;1;0S",
	graphics: "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\",
} as const;

export type Probe = keyof typeof queries;

/** Primary device attributes: all terminals answer, in the order of the queries. */
const sentinel = "\x1b[c";

const modes: Readonly<Record<number, Probe>> = {
	2026: "syncOutput",
	2048: "inBandResize",
	2031: "appearance",
};

export class Probes implements Disposable {
	readonly #answered: (probe: Probe, reply: Reply | undefined) => void;
	/** Queries whose sentinel has not come back, in order. */
	#open: { probe: Probe; answered: boolean }[] = [];
	#timer: Disposable | undefined;

	/** `undefined` means that there is no answer and that none will come. */
	constructor(answered: (probe: Probe, reply: Reply | undefined) => void) {
		this.#answered = answered;
	}

	get waiting(): boolean {
		return this.#open.length > 0;
	}

	/** The bytes to write. */
	ask(probes: readonly Probe[]): string {
		for (const probe of probes) this.#open.push({ probe, answered: false });
		this.#timer?.[Symbol.dispose]();
		this.#timer = timer(terminalLimits.probeMs, () => this.#giveUp());
		return probes.map((probe) => queries[probe] + sentinel).join("");
	}

	onReply(reply: Reply): void {
		if (reply.kind === "sentinel") {
			const query = this.#open.shift();
			if (query?.answered === false) this.#answered(query.probe, undefined);
			if (!this.waiting) this.#stop();
			return;
		}
		const probe = probeOf(reply);
		const query = this.#open.find((open) => open.probe === probe && !open.answered);
		if (query !== undefined) query.answered = true;
		if (probe !== undefined) this.#answered(probe, reply);
	}

	[Symbol.dispose](): void {
		this.#stop();
		this.#open = [];
	}

	#giveUp(): void {
		const silent = this.#open.filter(({ answered }) => !answered);
		this.#open = [];
		for (const { probe } of silent) this.#answered(probe, undefined);
	}

	#stop(): void {
		this.#timer?.[Symbol.dispose]();
		this.#timer = undefined;
	}
}

function probeOf(reply: Reply): Probe | undefined {
	if (reply.kind === "mode") return modes[reply.mode];
	if (reply.kind === "appearance") return "colorScheme";
	if (reply.kind === "sentinel" || reply.kind === "resized") return undefined;
	return reply.kind;
}
