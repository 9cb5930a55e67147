/** What reacts to a session is a behavior: it is attached, listens, acts through a narrow interface, can be detached. */
import type { AgentEvent } from "@tau/agent";

/** Everything that a session tells: the events of the loop and its own. */
export type SessionEvent = AgentEvent | { type: "notice"; level: "info" | "warning"; message: string };

export type SessionListener = (event: SessionEvent) => void | Promise<void>;

/** What a behavior may do with its session. */
export interface SessionHandle {
	on(listener: SessionListener): Disposable;
	/** Tells the person something, once, wherever the person is. */
	notice(level: "info" | "warning", message: string): void;
}

export interface Behavior {
	readonly name: string;
	attach(session: SessionHandle): Disposable;
}
