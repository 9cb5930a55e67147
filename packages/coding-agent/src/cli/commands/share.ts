/** `tau share`: shares a stored session as a link, lists and deletes shares, and opens those of others. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { SessionManager } from "@tau/log";
import {
	describeShare,
	destinationOf,
	documentPage,
	findShare,
	listShares,
	prepare,
	readShare,
	removeShare,
	send,
	shownIdChars,
} from "@tau/session/share";
import { dirs, errorText, localDate, shortenHome, UsageError } from "@tau/utils";
import { columns } from "@tau/utils/text-table";

import type { Args } from "../args.ts";
import { confirm } from "../confirm.ts";
import { exitCodes } from "../exit-codes.ts";
import { loadSettings } from "../launch/load-settings.ts";
import { printError } from "../print-error.ts";
import { onInterrupt } from "../signals.ts";
import { openCredentials } from "./auth/store.ts";
import { openNamed, sessionDirectory } from "./sessions/named.ts";
import { isJson, jsonLine, printed } from "./sessions/output.ts";

export async function runShare(args: Args): Promise<number> {
	const [word, name, ...more] = args.operands;
	if (more.length > 0) throw new UsageError("Usage: tau share [session], tau share list, tau share rm <id>");
	using interruption = onInterrupt();
	try {
		if (word === "list") return await list(args);
		if (word === "rm") return await remove(args, name, interruption.signal);
		if (word === "open") return await open(args, name, interruption.signal);
		return await share(args, word, interruption.signal);
	} catch (error) {
		if (interruption.exitCode !== undefined) return interruption.exitCode;
		if (error instanceof UsageError) throw error;
		printError(errorText(error));
		return exitCodes.failed;
	}
}

async function share(args: Args, name: string | undefined, signal: AbortSignal): Promise<number> {
	const settings = await loadSettings(args);
	const directory = await sessionDirectory(args);
	using session = await openNamed(name ?? (await newest(directory)), directory);
	// Stored keys that the session contains are masked: listing them makes them known.
	using store = await openCredentials(settings);
	store.list();
	const destination = destinationOf(settings, session, dirs().agent, process.stdin.isTTY);
	const prepared = prepare(session, destination, { redact: settings.get("share.redactSecrets") });
	const { found, files, images, packed } = prepared;
	const code = isJson(args)
		? await printed(jsonLine({ destination, found, files, images, bytes: packed.length }))
		: await printed(`${describeShare(prepared, destination)}\n`);
	if (args.flags.has("dry-run") || code !== exitCodes.answered) return code;
	if (!args.flags.has("yes")) {
		if (!process.stdin.isTTY)
			throw new UsageError("tau share asks before it sends. Run it in a terminal, or add --yes.");
		if (!(await confirm("Share this session?", signal)))
			return await printed("Share cancelled. Nothing was sent.\n");
	}
	const { text, url, path } = await send(prepared, destination, signal);
	return await printed(isJson(args) ? jsonLine({ url, path }) : `${text}\n`);
}

async function newest(directory: string | undefined): Promise<string> {
	const [last] = (await SessionManager.list(process.cwd(), directory)).toSorted(
		(one, other) => other.modified.getTime() - one.modified.getTime(),
	);
	if (!last) throw new UsageError("This directory has no session. Name one: tau share <id>");
	return last.path;
}

async function list(args: Args): Promise<number> {
	const shares = listShares();
	if (isJson(args))
		return await printed(shares.map(({ deleteToken: _, ...shown }) => jsonLine(shown)).join(""));
	if (shares.length === 0) return await printed("You have shared nothing, or it has expired.\n");
	const rows = shares.map(({ id, createdAt, expiresAt, title, url }) => [
		id.slice(0, shownIdChars),
		localDate(new Date(createdAt)),
		expiresAt === undefined ? "" : `until ${localDate(new Date(expiresAt))}`,
		title,
		url,
	]);
	return await printed(`${columns(rows).join("\n")}\n`);
}

async function remove(args: Args, id: string | undefined, signal: AbortSignal): Promise<number> {
	if (id === undefined) throw new UsageError("Usage: tau share rm <id>. tau share list shows the ids.");
	const record = findShare(id);
	await removeShare(record, signal);
	return await printed(isJson(args) ? jsonLine({ removed: record.id }) : `Deleted ${record.address}\n`);
}

/** For links that no page shows, and readers who trust only their own program. */
async function open(args: Args, link: string | undefined, signal: AbortSignal): Promise<number> {
	if (link === undefined) throw new UsageError('Usage: tau share open "<link>"');
	const document = await readShare(link, signal);
	const file = join(process.cwd(), `share-${document.session.id}.html`);
	writeFileSync(file, await documentPage(document), { mode: 0o600, flag: "wx" });
	return await printed(isJson(args) ? jsonLine({ file }) : `${shortenHome(file)}\n`);
}
