/** Messages between the agents of a session: direct ones and those of channels, within bounds, and kept for the user. */
import { cutUnits, onDispose } from "@tau/utils";

import { limits } from "./limits.ts";

/** The address of all agents. */
export const everyone = "all";

export interface AgentMessageNote {
	readonly from: string;
	/** An agent, or a channel: `#name`. */
	readonly to: string;
	readonly text: string;
	readonly sentAt: number;
}

type Deliver = (note: AgentMessageNote) => void;
export type SendOutcome = { ok: true; reached: readonly string[] } | { ok: false; reason: string };

export class AgentMessages {
	readonly #members = new Map<string, { deliver: Deliver; channels: Set<string>; sent: number }>();
	readonly #notes: AgentMessageNote[] = [];
	readonly #listeners = new Set<(note: AgentMessageNote) => void>();

	/** The newest, oldest first. */
	get notes(): readonly AgentMessageNote[] {
		return this.#notes;
	}

	/** Those that can be reached now. */
	get members(): readonly string[] {
		return [...this.#members.keys()];
	}

	channelsOf(id: string): readonly string[] {
		return [...(this.#members.get(id)?.channels ?? [])];
	}

	/** Until the result is disposed of, messages to the agent reach it. */
	connect(id: string, deliver: Deliver): Disposable {
		const member = { deliver, channels: new Set<string>(), sent: 0 };
		this.#members.set(id, member);
		return onDispose(() => {
			if (this.#members.get(id) === member) this.#members.delete(id);
		});
	}

	onMessage(listener: (note: AgentMessageNote) => void): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	/** Whoever sends to a channel joins it. */
	join(id: string, channel: string): boolean {
		const channels = this.#members.get(id)?.channels;
		if (!channels || (channels.size >= limits.agentChannels && !channels.has(channel))) return false;
		channels.add(channel);
		return true;
	}

	leave(id: string, channel: string): void {
		this.#members.get(id)?.channels.delete(channel);
	}

	send(from: string, to: string, text: string): SendOutcome {
		const sender = this.#members.get(from);
		if (!sender) return { ok: false, reason: `Agent ${from} has ended.` };
		if (sender.sent >= limits.agentSends)
			return { ok: false, reason: `You have sent ${limits.agentSends} messages, which is the limit.` };
		if (to.startsWith("#") && !this.join(from, to))
			return { ok: false, reason: `At most ${limits.agentChannels} channels can be joined.` };
		const reached = this.#receivers(from, to);
		if (reached.length === 0 && !to.startsWith("#")) {
			const known = this.members.filter((id) => id !== from);
			return { ok: false, reason: `No agent ${to} is running. Running: ${known.join(", ") || "none"}.` };
		}
		sender.sent++;
		const note = { from, to, text: cutUnits(text, limits.agentMessageChars), sentAt: Date.now() };
		this.#notes.push(note);
		this.#notes.splice(0, this.#notes.length - limits.agentMessages);
		for (const listener of this.#listeners) listener(note);
		for (const id of reached) this.#members.get(id)?.deliver(note);
		return { ok: true, reached };
	}

	clear(): void {
		this.#notes.length = 0;
	}

	#receivers(from: string, to: string): string[] {
		const others = [...this.#members].filter(([id]) => id !== from);
		if (to.startsWith("#")) return others.filter(([, { channels }]) => channels.has(to)).map(([id]) => id);
		if (to === everyone) return others.map(([id]) => id);
		return others.filter(([id]) => id === to).map(([id]) => id);
	}
}
