/** `tau bug`: the last session as a masked recording with versions and settings, shown before it is written. */
import { resolve } from "node:path";

import { checkTarget, textOf, writeCassette } from "@tau/cassette";
import { SessionManager } from "@tau/log";
import { isTerminal, plural, shortenHome, UsageError } from "@tau/utils";
import { columns } from "@tau/utils/text-table";

import type { Args } from "../../args.ts";
import { confirm } from "../../confirm.ts";
import { exitCodes } from "../../exit-codes.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { printError } from "../../print-error.ts";
import { onInterrupt } from "../../signals.ts";
import { settingRows } from "../config/rows.ts";
import { openNamed, sessionDirectory } from "../sessions/named.ts";
import { bytes, printed } from "../sessions/output.ts";
import { cassetteOf, factRows } from "./make.ts";

export async function runBug(args: Args): Promise<number> {
	using interruption = onInterrupt();
	using session = await openNamed(await nameOf(args), await sessionDirectory(args));
	const target = resolve(
		args.flags.get("output") ?? `tau-bug-${session.getSessionId().slice(0, 8)}.cassette`,
	);
	checkTarget(target);
	const settings = await settingRows(await loadSettings(args), "");
	const changed = settings.flatMap(({ key, value, from }) =>
		from.layer === "default" ? [] : [[key, JSON.stringify(value)]],
	);
	const { cassette, found } = await cassetteOf(args, session, { settings: Object.fromEntries(changed) });
	const rows = [
		...factRows(cassette, shortenHome(target)),
		["size", `${bytes(textOf(cassette).length)} before compression`],
		...found.map(({ family, shown, count }) => ["masked", `${family}: ${shown}, ${plural(count, "time")}`]),
	];
	await printed(`${columns(rows).join("\n")}\n\n`);
	if (!args.flags.has("yes")) {
		if (!isTerminal("stdin")) {
			printError("Not a terminal: nothing was written. Pass --yes to write the report.");
			return exitCodes.failed;
		}
		const question = `Write this to ${shortenHome(target)}? Nothing is sent anywhere.`;
		if (!(await confirm(question, interruption.signal))) {
			printError("Nothing was written.");
			return interruption.exitCode ?? exitCodes.failed;
		}
	}
	const size = writeCassette(target, cassette);
	return await printed(
		`${shortenHome(target)} (${bytes(size)}). Read it before you attach it: tau replay ${shortenHome(target)}\n`,
	);
}

async function nameOf(args: Args): Promise<string> {
	const [named] = args.operands;
	if (named !== undefined) return named;
	const directory = await sessionDirectory(args);
	const sessions = await SessionManager.list(process.cwd(), directory);
	const [last] = sessions.toSorted((a, b) => b.modified.getTime() - a.modified.getTime());
	if (!last) throw new UsageError("There is no session of this directory. Name one: tau bug <session>");
	return last.path;
}
