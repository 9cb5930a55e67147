/** `/resume`: the list of sessions, of this directory or of any. */
import { listAgentSessions, type SessionInfo } from "@tau/log";
import { dirname } from "node:path";

import type { InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import { SessionMarks } from "@tau/session-commands/shared/session-marks";
import { lastWord } from "../selectors/sessions/preview.ts";
import { SessionSelector } from "../selectors/sessions/selector.ts";
import { resume as row } from "@tau/session-commands/rows";
import { listStored, renameStored, trashStored } from "@tau/session-commands/work";
import { runRow } from "../run-row.ts";
import type { SlashCommand } from "./command.ts";
import { onScreen } from "./on-screen.ts";

/** The files are those of the user, also where another process has the session open. */
export const resume: SlashCommand = {
	...onScreen(row),
	run(args, host) {
		const { file } = host.client.view.facts.session;
		const stored = { cwd: host.cwd, directory: file === undefined ? undefined : dirname(file) };
		openSelector(host, (screen, close) => {
			const selector = new SessionSelector(screen, {
				cwd: host.cwd,
				current: file,
				...(args === "" ? {} : { search: args }),
				list: (where, onProgress) => listStored(stored, where, onProgress),
				listAgents: listAgentSessions,
				preview: lastWord,
				open: async ({ path }) => void (await runRow(row, path, host, () => {})),
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

async function rename(
	{ client }: InteractiveHost,
	info: SessionInfo,
	name: string,
): Promise<string | undefined> {
	if (info.path !== client.view.facts.session.file) return renameStored(info, name);
	try {
		await client.request("set_session_name", { name });
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
