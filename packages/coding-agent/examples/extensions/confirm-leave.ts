/** Asks before a session is left while there are uncommitted files. */
import type { ExtensionAPI, ExtensionContext } from "@tau/coding-agent";

export default function confirmLeave(pi: ExtensionAPI) {
	const isConfirmed = async ({ cwd, hasUI, ui }: ExtensionContext): Promise<{ cancel: boolean }> => {
		// If nobody can answer, `confirm` returns false.
		if (!hasUI) return { cancel: false };
		const { stdout, code } = await pi.exec("git", ["status", "--porcelain"], { cwd, timeout: 5000 });
		const count = code === 0 ? stdout.split("\n").filter(Boolean).length : 0;
		if (count === 0) return { cancel: false };
		const isSure = await ui.confirm("Leave this session?", `${count} files are not committed.`);
		return { cancel: !isSure };
	};
	pi.on("session_before_switch", (_event, ctx) => isConfirmed(ctx));
	pi.on("session_before_fork", (_event, ctx) => isConfirmed(ctx));
	// omp's name for a fork; Tau emits both, and asking once is enough.
	pi.on("session_before_branch", () => undefined);
}
