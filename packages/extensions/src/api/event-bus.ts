/** Lets extensions talk to each other by channels. */
import { log } from "@tau/utils";

import type { EventBus } from "./types.ts";

export interface EventBusController extends EventBus {
	clear(): void;
}

type Listener = Parameters<EventBus["on"]>[1];

export function createEventBus(): EventBusController {
	const channels = new Map<string, Set<Listener>>();
	return {
		emit(channel, data) {
			for (const listener of channels.get(channel) ?? []) void receive(listener, channel, data);
		},
		on(channel, listener) {
			const listeners = channels.get(channel) ?? new Set();
			channels.set(channel, listeners.add(listener));
			return () => void listeners.delete(listener);
		},
		clear: () => channels.clear(),
	};
}

/** One that fails does not keep the others from hearing it. */
async function receive(listener: Listener, channel: string, data: unknown): Promise<void> {
	try {
		await listener(data);
	} catch (error) {
		log.error("an extension failed on a channel", { channel, reason: String(error) });
	}
}
