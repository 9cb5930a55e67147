/** Plan mode lasts: the log says when it begins and ends, and a session that is resumed is in it again. */
import type { SessionManager } from "@tau/log";
import type { Policy } from "../policy/index.ts";
import type { Behavior } from "../run/behavior.ts";

/** What it needs of the session. */
interface Host {
	readonly policy: Policy | undefined;
	readonly log: SessionManager;
	onReplaced(listener: () => void): Disposable;
}

const planning = "plan";

/** Other modes do not last: a session that is opened again has the mode of the settings and the command line. */
export function modeRecord(host: Pick<Host, "policy">, log: SessionManager): Behavior {
	const record = (): void => {
		const isPlanning = host.policy?.isReadOnly ?? false;
		if (isPlanning !== wasPlanning(log)) log.appendModeChange(isPlanning ? planning : "none");
	};
	return {
		name: "mode-record",
		attach(session) {
			using owned = new DisposableStack();
			// Not before the first run: an empty session is not stored.
			owned.use(session.onBefore(["agent_start"], () => void record()));
			const changed = host.policy?.onChange(() => void (log.getEntryCount() > 0 && record()));
			if (changed) owned.use(changed);
			return owned.move();
		},
	};
}

/** Plan mode only ever takes rights away, so that a log may turn it on. */
export function restoreMode(host: Omit<Host, "policy">, policy: Policy): void {
	if (wasPlanning(host.log) && !policy.isReadOnly) policy.setMode("plan");
	let id = host.log.getSessionId();
	host.onReplaced(() => {
		// Going back in the same session does not change the mode.
		const isSame = id === host.log.getSessionId();
		id = host.log.getSessionId();
		if (!isSame && wasPlanning(host.log) && !policy.isReadOnly) policy.setMode("plan");
	});
}

function wasPlanning(log: SessionManager): boolean {
	return log.buildSessionContext().mode === planning;
}
