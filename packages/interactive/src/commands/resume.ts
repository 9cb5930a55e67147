/** `/resume`: the list of sessions, of this directory or of any. */
import { listAgentSessions, type SessionInfo } from "@tau/log";
import type { InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import { SessionMarks } from "../selectors/sessions/marks.ts";
import { lastWord } from "../selectors/sessions/preview.ts";
import { SessionSelector } from "../selectors/sessions/selector.ts";
import { resume as row, type ResumableSession } from "@tau/session-commands/rows";
import { onScreen } from "./on-screen.ts";
import { listStored, renameStored, trashStored, type StoredSessions } from "@tau/session-commands/work";

export const resume = onScreen(row, {
	pick(data) {
		const { sessions = [] } = (data ?? {}) as { sessions?: readonly ResumableSession[] };
		const choices = sessions.map(({ path, name, firstMessage }) => ({
			value: path,
			label: name ?? firstMessage,
		}));
		return { title: "Resume a session", choices };
	},
	open(args, host) {
		openSelector(host, (screen, close) => {
			const selector = new SessionSelector(screen, {
				cwd: host.cwd,
				current: host.log.getSessionFile(),
				...(args === "" ? {} : { search: args }),
				list: (where, onProgress) => listStored(storedBeside(host), where, onProgress),
				listAgents: listAgentSessions,
				preview: lastWord,
				open: async ({ path }) => {
					if (await host.move({ to: "resume", file: path })) host.redrawSession();
				},
				rename: (info, name) => rename(host, info, name),
				remove: trashStored,
				marks: new SessionMarks(),
				now: Date.now,
				close,
			});
			return { component: selector.component, owns: selector };
		});
		return true;
	},
});

function storedBeside({ log, cwd }: InteractiveHost): StoredSessions {
	return { cwd, directory: log.getSessionDir() || undefined };
}

async function rename(
	{ log, sessionHost }: InteractiveHost,
	info: SessionInfo,
	name: string,
): Promise<string | undefined> {
	if (info.path !== log.getSessionFile()) return renameStored(info, name);
	const outcome = await sessionHost.apply({ type: "name", name });
	return outcome.ok ? undefined : outcome.reason;
}
