/** The isolated tree of an agent: as the settings say, and merged with what the session knows of its files. */
import type { IsolatedTree, IsolationMode } from "@tau/machines/isolation";
import type { Machine } from "@tau/sys";
import { dirs, type Env } from "@tau/utils";

import { projectRoot, type ChangeJournal } from "@tau/log/journal";
import { UserError } from "../run/user-error.ts";
import type { Settings } from "@tau/config/settings";

export interface AgentTreeParts {
	/** The parent's, with its journal: a merge can be rewound. */
	machine: Machine;
	journal?: ChangeJournal | undefined;
	settings: Pick<Settings, "get">;
	cwd: string;
	/** Locates Tau's own files. */
	env: Env;
	/** Whether git may run in the project. */
	isTrusted: boolean;
	/** How users know the agent. */
	label: string;
	/** Why its commands could not run in an overlay. */
	overlayProblem?: string | undefined;
	/** Instead of the setting. */
	mode?: IsolationMode | undefined;
	signal: AbortSignal;
}

/** Undefined without isolation. Rejects with a `UserError` if it is wanted and not possible: never silently without. */
export async function agentTree(parts: AgentTreeParts): Promise<IsolatedTree | undefined> {
	const { machine, journal, settings, cwd, env, isTrusted, label, overlayProblem, signal } = parts;
	const mode = parts.mode ?? settings.get("task.isolation.mode");
	if (mode === "none") return undefined;
	if (machine.where.kind === "ssh")
		throw new UserError(
			`Agents on ${machine.where.label} cannot be isolated: that needs the file system of this machine. Set task.isolation.mode to none.`,
		);
	const own = dirs(env);
	const root = projectRoot(cwd, own.home);
	if (root === undefined) throw new UserError(`${cwd} is not a project, so agents cannot be isolated here.`);
	const { isolate } = await import("@tau/machines/isolation");
	try {
		return await isolate(machine, {
			root,
			cwd,
			mode,
			directory: own.trees,
			include: settings.get("task.isolation.include"),
			link: settings.get("task.isolation.link"),
			isTrusted,
			overlayProblem,
			label,
			contentAt: (path, timeMs) => journal?.recorder?.history.contentAt(path, timeMs),
			signal,
		});
	} catch (error) {
		signal.throwIfAborted();
		throw new UserError(error instanceof Error ? error.message : String(error));
	}
}
