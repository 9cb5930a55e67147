/** The ways in which commands of extensions leave a session, in every mode that can. */
import { type SessionControl, navigateTree } from "@tau/extensions/api";
import type { Extensions } from "@tau/extensions/host";
import { Cancelled, clone, fork, newSession, switchSession, type SessionDesk } from "@tau/session/run";

export function extensionControl(desk: SessionDesk, extensions: Extensions): SessionControl {
	return {
		newSession: ({ parentSession, setup }) => isDone(newSession(desk, parentSession, setup)),
		switchSession: (path) => isDone(switchSession(desk, path)),
		fork: (entryId, position) =>
			isDone(
				position === "at"
					? clone(desk, entryId)
					: fork(desk, entryId).then((text) => extensions.runner.mode.ui.setEditorText(text)),
			),
		navigateTree: (targetId, options) =>
			navigateTree(extensions.runner, (change) => desk.conversation.replace(change), targetId, options),
		reload: () => desk.conversation.replace(() => {}, { reason: "reload" }),
	};
}

async function isDone(work: Promise<void>): Promise<boolean> {
	try {
		await work;
		return true;
	} catch (error) {
		if (error instanceof Cancelled) return false;
		throw error;
	}
}
