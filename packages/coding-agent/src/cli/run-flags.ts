/** Flags of the whole program, not of a part of it: no server requests, no trust in the project. */
import { UsageError } from "@tau/utils";
import type { Args } from "./args.ts";

/** Must be called before anything reads a project or sends a request to a server. */
export async function applyRunFlags({ flags }: Pick<Args, "flags">): Promise<void> {
	// Inherited by Tau processes that extensions spawn.
	if (flags.has("offline")) process.env.TAU_OFFLINE = "1";
	if (flags.has("no-pty")) process.env.TAU_NO_PTY = "1";
	if (!flags.has("no-approve")) return;
	if (flags.has("trust")) throw new UsageError("--trust and --no-approve cannot be combined.");
	const { refuseForRun } = await import("@tau/extensions/trust");
	refuseForRun(process.cwd());
}
