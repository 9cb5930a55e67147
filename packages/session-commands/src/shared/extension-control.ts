/** How commands of extensions move the session, in every client that can. */
import { navigateTree, type SessionControl } from "@tau/extensions/api";
import type { Extensions } from "@tau/extensions/host";
import type { SessionHost, SessionMove } from "@tau/session/host";

export function extensionControl(host: SessionHost, extensions: Extensions): SessionControl {
	const isMoved = async (to: SessionMove): Promise<boolean> => (await host.move(to)).kind === "moved";
	return {
		newSession: ({ parentSession, setup }) =>
			isMoved({ to: "new", parentSession, ...(setup ? { setup } : {}) }),
		switchSession: (path) => isMoved({ to: "resume", file: path }),
		fork: async (entryId, position) => {
			const outcome = await host.move({ to: "fork", entryId, position });
			if (outcome.kind === "moved" && outcome.text !== undefined)
				extensions.runner.mode.ui.setEditorText(outcome.text);
			return outcome.kind === "moved";
		},
		navigateTree: (targetId, options) =>
			navigateTree(extensions.runner, (change) => branch(host, change), targetId, options),
		reload: async () => void (await host.move({ to: "reload" })),
	};
}

async function branch(host: SessionHost, change: () => void | Promise<void>): Promise<void> {
	await host.move({ to: "branch", change });
}
