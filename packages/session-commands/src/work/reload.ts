/** Makes the features of a session again: its extensions, skills and tools. */
import type { MoveOutcome, SessionHost, SessionMove } from "@tau/session/host";

/** Resolves with what was not reloaded. `move` is how the client moves the session. */
export async function reloadSession(
	host: SessionHost,
	move: (to: SessionMove) => Promise<MoveOutcome | undefined>,
): Promise<string[]> {
	// A move would end a compaction that was asked for meanwhile.
	if (host.isBusy || host.session.isCompacting)
		return ["Extensions and skills are not reloaded during a run. Run /reload again afterwards."];
	const outcome = await move({ to: "reload" });
	return outcome?.kind === "moved" ? [] : ["Extensions and skills were not reloaded."];
}
