/** Delivers the events of a session: behaviors that come first, clients, then behaviors that answer an event with others. */
import type { AgentMessage } from "@tau/agent";

import { userTextOf } from "../log/index.ts";
import type { SessionEvent, SessionListener } from "./behavior.ts";
import { deliver, register } from "./listeners.ts";

export class SessionEvents {
	readonly #clients = new Set<SessionListener>();
	/** Behaviors receive events first, so that what is shown as finished is already on disk. */
	readonly #before = new Set<SessionListener>();
	readonly #after = new Set<SessionListener>();
	readonly #notices: SessionEvent[] = [];
	/** The queues as clients know them. */
	#queues = JSON.stringify(queueUpdate({ steering: [], followUps: [] }));

	subscribe(listener: SessionListener): Disposable {
		return register(this.#clients, listener);
	}

	onBefore(listener: SessionListener): Disposable {
		return register(this.#before, listener);
	}

	onAfter(listener: SessionListener): Disposable {
		return register(this.#after, listener);
	}

	/** Clients receive it behind the event that is being delivered. */
	notice(level: "info" | "warning", message: string): void {
		this.#notices.push({ type: "notice", level, message });
	}

	async emit(event: SessionEvent): Promise<void> {
		// Messages of the application wait unseen: nothing has changed for clients.
		if (event.type === "queue_update" && !this.#isNews(event)) return;
		for (const listener of this.#before) await deliver(listener, event);
		for (const listener of this.#clients) await deliver(listener, event);
		await this.#emitNotices();
		for (const listener of this.#after) await deliver(listener, event);
		await this.#emitNotices();
	}

	/** No client receives anything any more. */
	close(): void {
		this.#clients.clear();
	}

	#isNews(event: SessionEvent): boolean {
		const queues = JSON.stringify(event);
		if (queues === this.#queues) return false;
		this.#queues = queues;
		return true;
	}

	async #emitNotices(): Promise<void> {
		for (const notice of this.#notices.splice(0)) {
			for (const listener of this.#clients) await deliver(listener, notice);
		}
	}
}

/** The queues as users see them; messages of the application wait unseen. */
export function queueUpdate(queues: {
	steering: readonly AgentMessage[];
	followUps: readonly AgentMessage[];
}): SessionEvent {
	const { steering, followUps } = queues;
	return { type: "queue_update", steering: queuedTexts(steering), followUp: queuedTexts(followUps) };
}

export function queuedTexts(messages: readonly AgentMessage[]): string[] {
	return messages.filter(({ role }) => role === "user").map(userTextOf);
}
