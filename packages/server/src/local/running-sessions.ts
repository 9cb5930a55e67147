/** The sessions that run on this machine, with what each says about itself. */
import { isRunning } from "@tau/utils";

import { ask } from "./connect.ts";
import { limits } from "./limits.ts";
import type { SessionStatus } from "./protocol.ts";
import { registrations, type Registration } from "./registrations.ts";

/** A session that runs, with what it says about itself; undefined if it does not answer. */
export interface RunningSession {
	readonly registration: Registration;
	readonly status: SessionStatus | undefined;
}

/** Oldest first. One that hangs costs as long as all that hang. */
export async function runningSessions(): Promise<RunningSession[]> {
	const all = registrations().filter(({ kind }) => kind !== "daemon");
	const asked = await Promise.all(
		all.map(async (registration): Promise<RunningSession> => {
			try {
				const status = await ask(registration, { purpose: "status" }, { timeoutMs: limits.statusMs });
				return { registration, status: status as SessionStatus };
			} catch {
				return { registration, status: undefined };
			}
		}),
	);
	// One that has ended since needs no row.
	return asked.filter(({ registration, status }) => status || isRunning(registration.pid));
}
