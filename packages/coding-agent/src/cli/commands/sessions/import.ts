/** `tau sessions import`: imports sessions of other programs. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { dirs, errorText, expandHome, shortenHome, UsageError } from "@tau/utils";
import { SessionManager } from "@tau/log";
import {
	findSources,
	importFile,
	programs,
	sourceDirectory,
	type ImportOutcome,
	type Program,
} from "@tau/log/import";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { printError } from "../../print-error.ts";
import { onInterrupt } from "../../signals.ts";
import { isJson, jsonLine, printed } from "./output.ts";

type Outcome = ImportOutcome | { kind: "failed"; reason: string };

interface Row {
	file: string;
	outcome: Outcome;
}

export async function runImport(args: Args, directory: string | undefined): Promise<number> {
	const [, link] = args.operands;
	if (link !== undefined && /^https?:\/\//i.test(link)) return await importShare(args, link, directory);
	const program = args.flags.get("from");
	const from = program !== undefined && program in programs ? (program as Program) : undefined;
	const named = pathsIn(args, from);
	const { files, passedOver } = findSources(named);
	const known = await knownSessions(directory);
	const rows: Row[] = [];
	let code: number = exitCodes.answered;
	for (const file of files) {
		const outcome = tryImport(file, from, directory, known);
		rows.push({ file, outcome });
		if ("session" in outcome) known.set(outcome.id, outcome.session);
		// A directory may contain any files, while a named file was chosen by the user.
		if (outcome.kind === "failed" || (outcome.kind === "passed over" && named.includes(file))) {
			code = exitCodes.failed;
		}
		const isListed = isJson(args) || outcome.kind !== "current";
		const lineCode = isListed
			? await printed(isJson(args) ? json({ file, outcome }) : formatFile({ file, outcome }))
			: 0;
		if (lineCode !== exitCodes.answered) return lineCode;
	}
	const summaryCode = isJson(args) ? exitCodes.answered : await printed(summary(rows, passedOver));
	return summaryCode === exitCodes.answered ? code : summaryCode;
}

/** Imports a share as a session of this directory. */
async function importShare(args: Args, link: string, directory: string | undefined): Promise<number> {
	const { keepShare, readShare } = await import("@tau/session/share");
	using interruption = onInterrupt();
	try {
		const document = await readShare(link, interruption.signal);
		const file = keepShare(document, process.cwd(), directory);
		const entries = document.entries.length;
		return await printed(
			isJson(args)
				? jsonLine({ session: file, entries })
				: `Imported ${entries} entries. Continue it with: tau --session ${shortenHome(file)}\n`,
		);
	} catch (error) {
		if (interruption.exitCode !== undefined) return interruption.exitCode;
		printError(errorText(error));
		return exitCodes.failed;
	}
}

function pathsIn({ operands: [, ...names] }: Args, from: Program | undefined): string[] {
	if (names.length === 0) {
		if (!from) throw new UsageError("Usage: tau sessions import <file or directory>…");
		names.push(sourceDirectory(from, dirs().home));
	}
	const paths = names.map((name) => resolve(expandHome(name)));
	const lost = paths.find((path) => !existsSync(path));
	if (lost !== undefined) throw new UsageError(`${lost} does not exist.`);
	return paths;
}

/** Matches sessions by id: a session that was imported before may have been moved since. */
async function knownSessions(directory: string | undefined): Promise<Map<string, string>> {
	const all = await SessionManager.listAll();
	const here = directory === undefined ? [] : await SessionManager.list(process.cwd(), directory);
	return new Map([...all, ...here].map(({ id, path }) => [id, path]));
}

function tryImport(
	file: string,
	from: Program | undefined,
	directory: string | undefined,
	known: ReadonlyMap<string, string>,
): Outcome {
	try {
		return importFile(file, { from, directory, existing: (id) => known.get(id) });
	} catch (error) {
		return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
	}
}

function json({ file, outcome }: Row): string {
	if (!("unknown" in outcome)) return jsonLine({ file, ...outcome });
	return jsonLine({ file, ...outcome, unknown: Object.fromEntries(outcome.unknown) });
}

const inStead: Readonly<Record<string, string>> = {
	diverged: "was continued in Tau and also changed in its own program; not imported again",
	"in use": "is open in another process; skipped",
};

function formatFile({ file, outcome }: Row): string {
	const name = shortenHome(file);
	if (!("session" in outcome)) return `${name}: ${outcome.reason}\n`;
	const { kind, id, entries, unknown } = outcome;
	const lines = [`${id}  ${inStead[kind] ?? `${kind} from ${name}, ${entries} entries`}`];
	if (unknown.size > 0) {
		const kinds = [...unknown].map(([what, count]) => `${what} (${count})`).join(", ");
		lines.push(`  skipped lines of unknown kinds: ${kinds}`);
	}
	return lines.map((line) => `${line}\n`).join("");
}

function summary(rows: readonly Row[], agents: number): string {
	const count = (...kinds: string[]): number =>
		rows.filter(({ outcome }) => kinds.includes(outcome.kind)).length;
	const parts = [
		`${count("imported")} imported`,
		`${count("updated")} updated`,
		`${count("current")} up to date`,
		`${count("diverged", "in use")} not changed`,
		`${count("passed over", "failed") + agents} skipped`,
	].filter((part, index) => index === 0 || !part.startsWith("0 "));
	return `${parts.join(", ")}.\n`;
}
