/** `tau sessions`: lists, shows, removes, exports, imports, checks and cleans up the stored sessions, and restores their files. */
import { dirs, shortenHome, UsageError } from "@tau/utils";
import { formatOwner, SessionManager, trashSession } from "@tau/log";

import type { Args } from "../../args.ts";
import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { FlagName } from "../../flags.ts";
import { checkSessions } from "./doctor.ts";
import { exportNamed } from "./export.ts";
import { runGc } from "./gc.ts";
import { runImport } from "./import.ts";
import { listing } from "./list.ts";
import { runRestore } from "./restore.ts";
import { openNamed, pathOf, sessionDirectory } from "./named.ts";
import { isJson, jsonLine, printed } from "./output.ts";
import { sessionPage } from "./show.ts";

/** A command line, and its session directory when it is not the default one. */
interface SessionsRequest {
	args: Args;
	directory: string | undefined;
}

const actions: Readonly<Record<string, (request: SessionsRequest) => Promise<number>>> = {
	list: async ({ args, directory }) => {
		const sessions = args.flags.has("all")
			? await SessionManager.listAll()
			: await SessionManager.list(process.cwd(), directory);
		return printed(listing(sessions, isJson(args)));
	},
	show: async ({ args, directory }) => {
		using session = await openNamed(nameIn(args), directory);
		return printed(sessionPage(session, isJson(args)));
	},
	rm: remove,
	export: async ({ args, directory }) => {
		using session = await openNamed(nameIn(args), directory);
		return await exportNamed(args, session, args.operands[2]);
	},
	import: ({ args, directory }) => runImport(args, directory),
	restore: ({ args, directory }) => runRestore(args, nameIn(args), directory),
	gc: ({ args }) => runGc(args),
	doctor: async ({ args, directory }) => {
		const { text, isHealthy } = checkSessions(directory, isJson(args));
		const code = await printed(text);
		return code === exitCodes.answered && !isHealthy ? exitCodes.failed : code;
	},
};

const ownFlags: readonly [flag: FlagName, ...actions: string[]][] = [
	["all", "list"],
	["format", "export"],
	["from", "import"],
	["dry-run", "gc", "restore"],
	["force", "restore"],
];

export async function runSessions(args: Args): Promise<number> {
	const [action = "list"] = args.operands;
	for (const [flag, ...its] of ownFlags) {
		if (args.flags.has(flag) && !its.includes(action))
			throw new UsageError(`--${flag} only applies to tau sessions ${its.join(" and ")}.`);
	}
	if (args.flags.get("mode") === "rpc")
		throw new UsageError("tau sessions supports only --mode text and --mode json.");
	const run = actions[action];
	if (!run) throw new UsageError(`Unknown command: tau sessions ${action}. See tau sessions --help.`);
	return run({ args, directory: await sessionDirectory(args) });
}

async function remove({ args, directory }: SessionsRequest): Promise<number> {
	const path = await pathOf(nameIn(args), directory);
	if (!path.endsWith(".jsonl")) throw new UsageError(`${path} is not a session.`);
	const outcome = trashSession(path, `${dirs().data}/trash`);
	if (outcome.ok) {
		const { folder } = outcome;
		return printed(
			isJson(args) ? jsonLine({ removed: path, folder }) : `Moved the session to ${shortenHome(folder)}\n`,
		);
	}
	if (outcome.reason === "locked") {
		printError(`${formatOwner(outcome.locked.owner)} has the session open. Nothing was removed.`);
	} else printError(`${outcome.path} belongs to pi or omp. Tau does not change their directories.`);
	return exitCodes.failed;
}

function nameIn({ operands: [action = "", name] }: Args): string {
	if (name === undefined) throw new UsageError(`Usage: tau sessions ${action} <id>`);
	return name;
}
