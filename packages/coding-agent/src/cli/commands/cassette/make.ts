/** `tau cassette`: makes a recording of a saved session, and shows what a recording has. */
import { basename, resolve } from "node:path";

import {
	cassetteOfLog,
	checkTarget,
	environmentFacts,
	linesOf,
	masked,
	readCassette,
	writeCassette,
	type Cassette,
	type Facts,
	type MaskedCassette,
} from "@tau/cassette";
import type { SessionManager } from "@tau/log";
import { plural, shortenHome, UsageError } from "@tau/utils";
import { columns } from "@tau/utils/text-table";
import { knownSecrets } from "@tau/utils/secrets";

import type { Args } from "../../args.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { projectCommit } from "../../launch/project-commit.ts";
import { openCredentials } from "../auth/store.ts";
import { openNamed, sessionDirectory } from "../sessions/named.ts";
import { bytes, isJson, jsonLine, printed } from "../sessions/output.ts";

export async function runCassette(args: Args): Promise<number> {
	const [action, name, file] = args.operands;
	if (name === undefined)
		throw new UsageError(
			"Usage: tau cassette make <session> [file.cassette], or tau cassette show <file.cassette>",
		);
	return action === "show" ? await show(args, name) : await make(args, name, file);
}

async function make(args: Args, name: string, file: string | undefined): Promise<number> {
	using session = await openNamed(name, await sessionDirectory(args));
	const target = resolve(file ?? `${session.getSessionId().slice(0, 8)}.cassette`);
	checkTarget(target);
	const { cassette, found } = await cassetteOf(args, session);
	const size = writeCassette(target, cassette);
	if (isJson(args)) return await printed(jsonLine({ file: target, bytes: size, masked: found.length }));
	const secrets = found.length === 0 ? "" : `, ${plural(found.length, "secret")} masked`;
	return await printed(`${shortenHome(target)} (${bytes(size)}${secrets})\n`);
}

/** Of the log alone; a session that was recorded has its streams in the file of the recording. */
export async function cassetteOf(
	args: Args,
	session: SessionManager,
	facts?: Partial<Facts>,
): Promise<MaskedCassette> {
	// Stored keys that the session contains are masked: listing them makes them known.
	using store = await openCredentials(await loadSettings(args));
	store.list();
	const commit = await projectCommit(session.getCwd());
	const cassette = cassetteOfLog(linesOf(session), { ...environmentFacts(), ...commit, ...facts });
	return await masked(cassette, knownSecrets(process.env));
}

async function show(args: Args, file: string): Promise<number> {
	const cassette = readCassette(file);
	if (isJson(args)) return await printed(jsonLine({ ...cassette.head, entries: cassette.log.length - 1 }));
	return await printed(`${columns(factRows(cassette, basename(file))).join("\n")}\n`);
}

/** What a recording says about itself. */
export function factRows({ head, log, exchanges }: Cassette, name: string): string[][] {
	const { facts, madeAt, masked: secrets } = head;
	const streams = exchanges.filter(({ raw }) => raw !== undefined).length;
	return [
		["recording", name],
		["made", madeAt],
		["Tau", facts.tau],
		["system", `${facts.os}, ${facts.runtime}, ${plural(facts.cores, "core")}`],
		["locale", `${facts.locale}, ${facts.timeZone}`],
		...(facts.commit === undefined ? [] : [["commit", facts.commit]]),
		["entries", String(log.length - 1)],
		["requests", `${exchanges.length}, ${streams} with their raw streams`],
		["masked", plural(secrets, "secret")],
		...Object.entries(facts.settings ?? {}).map(([key, value]) => [`setting ${key}`, value]),
		...(facts.doctor ?? []).map((line) => ["doctor", line]),
	];
}
