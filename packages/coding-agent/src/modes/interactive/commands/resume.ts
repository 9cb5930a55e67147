/** `/resume`: another session, of this directory or of any. */
import { listAgentSessions, type SessionInfo } from "@tau/session";
import type { InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import { SessionMarks } from "../selectors/sessions/marks.ts";
import { lastWord } from "../selectors/sessions/preview.ts";
import { SessionSelector } from "../selectors/sessions/selector.ts";
import type { SlashCommand } from "./command.ts";
import { listStored, renameStored, trashStored, type StoredSessions } from "../selectors/sessions/stored.ts";

export const resume: SlashCommand = {
	name: "resume",
	group: "Session",
	aliases: ["sessions"],
	argumentHint: "[search]",
	description: "Resume a previous session",
	run(args, host) {
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
	},
};

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
