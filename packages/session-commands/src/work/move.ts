/** Moves a session for a command: running background jobs would be stopped, so the user decides. */
import { SessionLockedError } from "@tau/log";
import type { MoveOutcome, SessionHost, SessionMove } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { plural } from "@tau/utils";

import type { CommandTarget } from "../command.ts";

export type Moved = Extract<MoveOutcome, { kind: "moved" }>;

interface Mover {
	readonly host: Pick<SessionHost, "work" | "move">;
	readonly ask: Pick<CommandTarget["ask"], "confirm">;
	readonly notice: CommandTarget["notice"];
}

/** Undefined if the user or an extension objects. Throws a `UserError` where another program has the session open. */
export async function moveTo(to: SessionMove, { host, ask, notice }: Mover): Promise<Moved | undefined> {
	const running = host.work.jobs.running();
	if (running > 0 && (await ask.confirm(jobsWarning(running), "Continue?")) !== true) return undefined;
	const outcome = await host.move(to).catch((error: unknown): never => {
		throw error instanceof SessionLockedError ? new UserError(error.message, { cause: error }) : error;
	});
	if (outcome.kind === "moved") return outcome;
	await notice("Cancelled by an extension.", "warning");
	return undefined;
}

export function jobsWarning(jobs: number): string {
	return `${plural(jobs, "background job")} ${jobs === 1 ? "is" : "are"} still running and will be stopped.`;
}
