/** Logs which machine a session works on, says so when it is resumed on another one, and tells clients of every change. */
import type { Behavior } from "@tau/session";
import type { SessionManager } from "@tau/log";
import type { RunContext } from "@tau/session/host";
import { log as logger } from "@tau/utils";

import type { SessionMachine } from "./session-machine.ts";

const machineType = "tau.machine";
const here = "local";
/** Entries of extensions and of Tau that are looked at, from the newest on: each is read from the log. */
const lookedAt = 200;

export function machineRecord(machine: SessionMachine, { log, host, isResumed }: RunContext): Behavior {
	const current = (): string => machine.current?.address ?? here;
	return {
		name: "machine-record",
		attach(session) {
			using owned = new DisposableStack();
			owned.use(
				machine.onChange(
					() => void session.emit({ type: "machine_changed", machine: machine.facts ?? null }),
				),
			);
			// Not before the first run: an empty session is not stored.
			owned.use(
				session.onAfter(["agent_start"], () => {
					const last = lastMachine(log);
					if ((last ?? here) === current()) return;
					if (last !== undefined || isResumed) void host.notice(movedText(last ?? here, current()));
					log.appendCustomEntry(machineType, { address: current() });
				}),
			);
			// Off the path of the run.
			owned.use(session.onAfter(["agent_end"], () => void machine.measure().catch(logFailure)));
			return owned.move();
		},
	};
}

/** The state of a connection shows that it is lost. */
function logFailure(error: unknown): void {
	logger.debug("how fast the machine answers was not measured", { reason: String(error) });
}

function movedText(last: string, now: string): string {
	if (last === here) return `Until now this session has worked on this machine, and now on ${now}.`;
	return `Until now this session has worked on ${last}. Use /machine ${last} to continue there.`;
}

function lastMachine(log: SessionManager): string | undefined {
	const custom = log
		.getHeads()
		.filter(({ type }) => type === "custom")
		.slice(-lookedAt);
	for (const { id } of custom.toReversed()) {
		const entry = log.getEntry(id);
		if (entry?.type !== "custom" || entry.customType !== machineType) continue;
		const { data } = entry;
		const isNamed = typeof data === "object" && data !== null && "address" in data;
		return isNamed && typeof data.address === "string" ? data.address : undefined;
	}
	return undefined;
}
