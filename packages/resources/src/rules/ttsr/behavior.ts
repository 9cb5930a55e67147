/** Injects rules when the model breaks them: the answer is interrupted and retried, or a reminder is added. */
import type { SessionManager } from "@tau/log";
import type { Behavior, Rule, SessionEvent } from "@tau/session/run";

import type { TtsrModes } from "./injections.ts";
import type { RuleWatch } from "./rule-watch.ts";

export interface TtsrOptions {
	/** Rules with conditions. */
	stream: readonly Rule[];
	/** Rules that are injected with the first result about one of their files. */
	byFile: readonly Rule[];
	/** Notices about rules that were left out. */
	notices?: readonly string[];
	cwd: string;
	/** The session log, which records the injected rules. */
	log: SessionManager;
	/** Called at each use, so that the user can change the setting. */
	modes(): TtsrModes;
}

const watchedEvents = [
	"agent_start",
	"turn_start",
	"message_update",
	"message_end",
	"turn_end",
	"agent_end",
] as const;

export type WatchedEvent = Extract<SessionEvent, { type: (typeof watchedEvents)[number] }>;

export function ttsr(options: TtsrOptions): Behavior {
	return {
		name: "ttsr",
		attach(session) {
			using owned = new DisposableStack();
			let watch: RuleWatch | undefined;
			const begin = async (event: WatchedEvent): Promise<void> => {
				const { RuleWatch } = await import("./rule-watch.ts");
				watch = new RuleWatch(session, options);
				await watch.onEvent(event);
			};
			owned.use(
				session.onBefore(watchedEvents, (event) => {
					// Rules are compiled at the first prompt, so that a session starts fast.
					if (event.type === "agent_start" && !watch) return begin(event);
					return watch?.onEvent(event);
				}),
			);
			owned.use(session.gateTools({ name: "Rules", change: (call, result) => watch?.remind(call, result) }));
			return owned.move();
		},
	};
}
