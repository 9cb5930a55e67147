/** `tau sessions`: lists, shows, removes, exports and checks the conversations that are kept. */
import { resolve } from "node:path";

import { dirs, expandHome, shortenHome } from "@tau/utils";

import { ownerInWords, SessionManager, trashSession } from "../session/index.ts";
import { UsageError, type Args } from "./args.ts";
import { complain } from "./complain.ts";
import { exitCodes } from "./exit-codes.ts";
import { loadSettings } from "./load-settings.ts";
import { findSession } from "./open-session.ts";
import { checkSessions } from "./sessions-doctor.ts";
import { exportSession } from "./sessions-export.ts";
import { listing } from "./sessions-list.ts";
import { jsonLine, printed } from "./sessions-output.ts";
import { sessionPage } from "./sessions-show.ts";

/** A command line, and where its sessions lie when it is not the usual place. */
interface Asked {
	args: Args;
	place: string | undefined;
}

const actions: Readonly<Record<string, (asked: Asked) => Promise<number>>> = {
	list: async ({ args, place }) => {
		const sessions = args.flags.has("all")
			? await SessionManager.listAll()
			: await SessionManager.list(process.cwd(), place);
		return printed(listing(sessions, isJson(args)));
	},
	show: async ({ args, place }) => {
		using session = await openNamed(args, place);
		return printed(sessionPage(session, isJson(args)));
	},
	rm: remove,
	export: async ({ args, place }) => {
		using session = await openNamed(args, place);
		const [, , file] = args.operands;
		const written = await exportSession(session, file, args.flags.get("format"));
		return printed(isJson(args) ? jsonLine({ file: written }) : `${shortenHome(written)}\n`);
	},
	doctor: async ({ args, place }) => {
		const { text, isHealthy } = checkSessions(place, isJson(args));
		const code = await printed(text);
		return code === exitCodes.answered && !isHealthy ? exitCodes.failed : code;
	},
};

export async function runSessions(args: Args): Promise<number> {
	const [action = "list"] = args.operands;
	if (args.flags.has("all") && action !== "list") throw new UsageError("--all goes with tau sessions list.");
	if (args.flags.has("format") && action !== "export") {
		throw new UsageError("--format goes with tau sessions export.");
	}
	if (args.flags.get("mode") === "rpc") throw new UsageError("tau sessions prints --mode text or json.");
	const run = actions[action];
	if (!run) throw new UsageError(`There is no tau sessions ${action}. See tau sessions --help.`);
	const named = args.flags.get("session-dir") ?? (await loadSettings(args)).get("sessionDir");
	const place = named === undefined ? undefined : resolve(expandHome(named));
	return run({ args, place });
}

async function remove({ args, place }: Asked): Promise<number> {
	const path = await pathOf(args, place);
	if (!path.endsWith(".jsonl")) throw new UsageError(`${path} is no session.`);
	const outcome = trashSession(path, `${dirs().data}/trash`);
	if (outcome.ok) {
		const { folder } = outcome;
		return printed(isJson(args) ? jsonLine({ removed: path, folder }) : `Moved to ${shortenHome(folder)}\n`);
	}
	if (outcome.reason === "locked") {
		complain(`${ownerInWords(outcome.locked.owner)} has the session open; nothing was removed.`);
	} else complain(`${outcome.path} belongs to pi or omp, whose directories Tau does not change.`);
	return exitCodes.failed;
}

async function openNamed(args: Args, place: string | undefined): Promise<SessionManager> {
	const path = await pathOf(args, place);
	const outcome = SessionManager.tryOpen(path, { access: "read" });
	if (!outcome.ok) {
		throw new UsageError(outcome.reason === "unreadable" ? `${path}: ${outcome.message}` : outcome.reason);
	}
	if (outcome.session.getHeads().length > 0) return outcome.session;
	outcome.session[Symbol.dispose]();
	throw new UsageError(`There is no session in ${path}.`);
}

async function pathOf({ operands: [action = "", name] }: Args, place: string | undefined): Promise<string> {
	if (name === undefined) throw new UsageError(`Say it like this: tau sessions ${action} <id>`);
	try {
		return await findSession(name, process.cwd(), place);
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

function isJson({ flags }: Args): boolean {
	return flags.get("mode") === "json";
}
