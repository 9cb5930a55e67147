/** The commit that a project is at, for recordings: what they changed is understood with it. */
import { isTrusted } from "@tau/extensions/trust";
import { runGit } from "@tau/sys";
import { dirs } from "@tau/utils";

const gitMs = 5000;
/** An object's name and a line break. */
const nameBytes = 100;

/** Nothing where there is no repository, or git may not run in it. */
export async function projectCommit(cwd: string): Promise<{ readonly commit?: string }> {
	const outcome = await runGit({
		where: { kind: "project", isTrusted: isTrusted(cwd, dirs().agent) },
		args: ["rev-parse", "--verify", "HEAD"],
		cwd,
		env: process.env,
		timeoutMs: gitMs,
		maxBytes: nameBytes,
	});
	return outcome.ok ? { commit: outcome.output.trim() } : {};
}
