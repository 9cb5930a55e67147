/** Puts a bus of the program in the place of the one between extensions, so that both hear each other. */
import type { EventBus, ExtensionAPI } from "@tau/extensions/api";

import type { InlineExtension } from "./inline-extension.ts";

/** Loaded before all others: they are all given the same bus. */
export function sharedBus(shared: EventBus): InlineExtension & { name: string } {
	return {
		name: "event-bus",
		factory({ events }: ExtensionAPI) {
			const open = new Set<() => void>();
			const own: EventBus & { clear(): void } = {
				emit: (channel, data) => shared.emit(channel, data),
				on(channel, handler) {
					const stop = shared.on(channel, handler);
					open.add(stop);
					return () => {
						open.delete(stop);
						stop();
					};
				},
				// The session ends: what its extensions listen to is over, the rest of the bus goes on.
				clear() {
					for (const stop of open) stop();
					open.clear();
				},
			};
			Object.assign(events, own);
		},
	};
}
