/** `tau setup import`: what other agents have on this machine; keys are copied after a yes, the rest is used where it is. */
import { homedir } from "node:os";

import { providerOf } from "@tau/ai";
import { findSources, sourceDirectory } from "@tau/session/import";
import { shortenHome, UsageError } from "@tau/utils";

import type { Args } from "../../args.ts";
import { confirm } from "../../confirm.ts";
import { exitCodes } from "../../exit-codes.ts";
import { onInterrupt } from "../../signals.ts";
import { columns } from "../../text-table.ts";
import { openCredentials } from "../auth/store.ts";
import { printed } from "../sessions/output.ts";
import { foreignKeys, type ForeignKey } from "./foreign-keys.ts";

export async function importFromOthers(args: Args): Promise<number> {
	const home = process.env.HOME ?? homedir();
	const { keys, problems } = foreignKeys(home, process.env);
	using store = await openCredentials();
	const known = new Set(store.list().map(({ provider }) => provider));
	const wanted = keys.filter(({ provider }) => providerOf(provider) !== undefined && !known.has(provider));
	await printed(
		[
			...problems,
			...keyLines(keys, wanted),
			"",
			...sessionLines(home),
			"Settings and models of pi and omp, and MCP servers, skills, agents and instructions of all programs are",
			"read where they are: tau doctor lists them, discovery.disabled turns them off.",
			"",
		]
			.map((line) => `${line}\n`)
			.join(""),
	);
	if (wanted.length === 0) return exitCodes.answered;
	if (!args.flags.has("yes")) {
		if (!process.stdin.isTTY)
			throw new UsageError("Nobody can be asked. To copy the keys without a question, add --yes.");
		using interruption = onInterrupt();
		const question =
			wanted.length === 1 ? "Copy this key to Tau?" : `Copy these ${wanted.length} keys to Tau?`;
		if (!(await confirm(question, interruption.signal))) return exitCodes.failed;
	}
	for (const { provider, key } of wanted) await store.add(provider, { kind: "api_key", access: key });
	return printed(
		`Copied to ${shortenHome(store.path)}: ${wanted.map(({ provider }) => provider).join(", ")}.\n`,
	);
}

function keyLines(keys: readonly ForeignKey[], wanted: readonly ForeignKey[]): string[] {
	if (keys.length === 0) return ["No API keys of other programs were found."];
	const rows = keys.map((found) => [
		found.provider,
		`${found.key.slice(0, 4)}…${found.key.slice(-2)}`,
		`${found.program}, ${shortenHome(found.path)}`,
		wanted.includes(found) ? "" : "not copied: unknown here, or Tau has one",
	]);
	return ["API keys of other programs:", ...columns(rows).map((line) => `  ${line}`)];
}

function sessionLines(home: string): string[] {
	return (["claude", "codex"] as const).flatMap((program) => {
		const count = countSessions(sourceDirectory(program, home));
		if (count === 0) return [];
		return [`${count} sessions of ${program}; to import them: tau sessions import --from ${program}`];
	});
}

function countSessions(directory: string): number {
	try {
		return findSources([directory]).files.length;
	} catch {
		// The program is not used here.
		return 0;
	}
}
