/** Delivers the events of a session: behaviors that come first, clients, then behaviors that answer an event with others. */
import type { AgentMessage } from "@tau/agent";
import { log, onDispose } from "@tau/utils";

import { userTextOf } from "@tau/log";
import type { EventType, EventTypes, SessionEvent, SessionListener } from "./behavior.ts";

export class SessionEvents {
	readonly #clients = new Listeners();
	/** Behaviors receive events first, so that what is shown as finished is already on disk. */
	readonly #before = new Listeners();
	readonly #after = new Listeners();
	readonly #notices: SessionEvent[] = [];
	/** The queues as clients know them. */
	#queues = JSON.stringify(queueUpdate({ steering: [], followUps: [] }));

	subscribe(listener: SessionListener): Disposable {
		return this.#clients.add("all", listener);
	}

	onBefore<Type extends EventType>(types: EventTypes<Type>, listener: SessionListener<Type>): Disposable {
		return this.#before.add(types, listener);
	}

	onAfter<Type extends EventType>(types: EventTypes<Type>, listener: SessionListener<Type>): Disposable {
		return this.#after.add(types, listener);
	}

	/** Clients receive it behind the event that is being delivered. */
	notice(level: "info" | "warning", message: string): void {
		this.#notices.push({ type: "notice", level, message });
	}

	async emit(event: SessionEvent): Promise<void> {
		// Messages of the application wait unseen: nothing has changed for clients.
		if (event.type === "queue_update" && !this.#isNews(event)) return;
		// Most events have nothing to wait for, and a wait for nothing costs more than the delivery.
		const before = this.#before.deliver(event);
		if (before) await before;
		const clients = this.#clients.deliver(event);
		if (clients) await clients;
		if (this.#notices.length > 0) await this.#emitNotices();
		const after = this.#after.deliver(event);
		if (after) await after;
		if (this.#notices.length > 0) await this.#emitNotices();
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
		for (const notice of this.#notices.splice(0)) await this.#clients.deliver(notice);
	}
}

interface Subscription {
	/** Undefined for all types. */
	types: ReadonlySet<EventType> | undefined;
	listener: SessionListener;
}

/** Listeners in the order in which they subscribed. */
class Listeners {
	readonly #subscriptions = new Set<Subscription>();
	/** Those of each type, until one is added or removed. */
	readonly #byType = new Map<EventType, readonly Subscription[]>();

	add<Type extends EventType>(types: EventTypes<Type>, listener: SessionListener<Type>): Disposable {
		const subscription: Subscription = {
			types: types === "all" ? undefined : new Set<EventType>(types),
			// It is called with events of its types only.
			listener: listener as SessionListener,
		};
		this.#subscriptions.add(subscription);
		this.#byType.clear();
		return onDispose(() => {
			this.#subscriptions.delete(subscription);
			this.#byType.clear();
		});
	}

	clear(): void {
		this.#subscriptions.clear();
		this.#byType.clear();
	}

	/** Each listener is waited for before the next one is called. Undefined if there was nothing to wait for. */
	deliver(event: SessionEvent): Promise<void> | undefined {
		const subscriptions = this.#of(event.type);
		for (let at = 0; at < subscriptions.length; at++) {
			const pending = this.#call(subscriptions[at], event);
			if (pending) return this.#deliverRest(pending, subscriptions.slice(at + 1), event);
		}
		return undefined;
	}

	async #deliverRest(
		first: Promise<void>,
		rest: readonly Subscription[],
		event: SessionEvent,
	): Promise<void> {
		await first;
		for (const subscription of rest) {
			const pending = this.#call(subscription, event);
			if (pending) await pending;
		}
	}

	#of(type: EventType): readonly Subscription[] {
		const known = this.#byType.get(type);
		if (known) return known;
		const subscriptions = [...this.#subscriptions].filter(({ types }) => types?.has(type) ?? true);
		this.#byType.set(type, subscriptions);
		return subscriptions;
	}

	/** A listener that fails is reported and does not take the conversation with it. */
	#call(subscription: Subscription | undefined, event: SessionEvent): Promise<void> | undefined {
		// Another listener may have removed it while this event was delivered.
		if (!subscription || !this.#subscriptions.has(subscription)) return undefined;
		try {
			const pending = subscription.listener(event);
			return pending?.catch((error: unknown) => reportFailure(event, error));
		} catch (error) {
			reportFailure(event, error);
			return undefined;
		}
	}
}

function reportFailure({ type }: SessionEvent, error: unknown): void {
	log.error("a session listener failed", { event: type, reason: String(error) });
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
