/** What becomes of a session whose terminal is left: it ends, continues in this process, or is handed to the daemon. */
import type { SessionHost, UserRequests } from "@tau/session/host";

import type { Env } from "@tau/utils";
import type { LocalClient } from "@tau/server/clients/local-client";
import type { InteractiveMode } from "@tau/interactive";
import type { Surfaces } from "@tau/server/surfaces";
import { exitCodes } from "../exit-codes.ts";
import type { InteractiveStart } from "./interactive-session.ts";
import type { ServedSession } from "./serve-session.ts";
import type { Rooms } from "./rooms.ts";
import type { OpenedParts } from "./session-parts.ts";

export interface Departure {
	/** The terminal is gone, and the session is to continue. */
	readonly hasHungUp: boolean;
	/** The user wants the session to continue: in another directory, or without one in the daemon. */
	goOn(directory?: string): void;
	/** Prepares it, when the screen has ended. */
	prepare(host: SessionHost, env: Env): Promise<void>;
}

/** Follows the terminal: where it is closed, the setting decides. */
export function followDeparture(start: InteractiveStart, quit: () => void): Departure {
	const { settings, interruption, screen } = start;
	let hasHungUp = false;
	let wanted: { directory: string | undefined } | undefined;
	const hangUp = (): boolean => {
		hasHungUp ||= settings.get("session.onHangup") === "detach";
		if (hasHungUp) quit();
		return hasHungUp;
	};
	interruption.onHangup = hangUp;
	screen.terminal.onLost = () => {
		if (!hangUp()) quit();
	};
	return {
		get hasHungUp() {
			return hasHungUp;
		},
		goOn(to) {
			wanted = { directory: to };
		},
		async prepare(host, env) {
			if (!wanted) return;
			const { detachRequest, moveRequest } = await import("./hand-over.ts");
			const { directory } = wanted;
			if (directory === undefined) start.handOver = detachRequest(start.args, host, env);
			else start.moved = moveRequest(start.args, host, env, directory);
		},
	};
}

export interface Remaining {
	opened: OpenedParts;
	host: SessionHost;
	requests: UserRequests;
	served: ServedSession;
	surfaces: Surfaces;
	client: LocalClient;
	rooms: Rooms;
	mode: InteractiveMode;
}

/** The terminal was closed: everything that runs continues in this process, until the user ends it from elsewhere. */
export async function continueDetached(start: InteractiveStart, remaining: Remaining): Promise<number> {
	const { host, requests, served, surfaces, client, rooms, opened } = remaining;
	start.screen[Symbol.dispose]();
	start.watched[Symbol.dispose]();
	const server = await served.detach();
	const { DetachedSession } = await import("./detached-session.ts");
	const { extensions } = opened.parts;
	using detached = new DetachedSession({
		host,
		extensions,
		requests,
		server,
		surfaces,
		rooms,
		interruption: start.interruption,
	});
	// Not before another client can answer: questions that only this screen shows would be declined.
	client[Symbol.dispose]();
	await detached.startExtensions();
	await detached.ended;
	return exitCodes.answered;
}
