/**
 * `tau setup import`: what other agents have on this machine. Keys, the default model, providers and sessions are copied
 * if the user agrees; the rest is used in place.
 */
import { homedir } from "node:os";

import { providerOf } from "@tau/ai";
import { findSources, programs, sourceDirectory, type Program } from "@tau/log/import";
import { loadUserModels } from "@tau/config/models";
import { changeFile, editYaml, type Settings } from "@tau/config/settings";
import { shortenHome, UsageError } from "@tau/utils";
import { columns } from "@tau/utils/text-table";

import type { Args } from "../../args.ts";
import { confirm } from "../../confirm.ts";
import { exitCodes } from "../../exit-codes.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { onInterrupt } from "../../signals.ts";
import { openCredentials } from "../auth/store.ts";
import { runImport } from "../sessions/import.ts";
import { printed } from "../sessions/output.ts";
import { foreignKeys, type ForeignKey } from "./foreign-keys.ts";
import { foreignSettings, type ForeignSettings } from "./foreign-settings.ts";

/** One category: what was found, and how to import it. */
interface Offer {
	lines: string[];
	/** Undefined if there is nothing to copy. */
	question?: string;
	copy(): Promise<number>;
}

export async function importFromOthers(args: Args): Promise<number> {
	const home = process.env.HOME ?? homedir();
	const settings = await loadSettings(args);
	const offers = [
		await keyOffer(home, settings),
		await settingsOffer(home, settings),
		sessionOffer(home, args),
	];
	await printed(
		[
			...offers.flatMap(({ lines }) => (lines.length === 0 ? [] : [...lines, ""])),
			"Settings and models of pi and omp, and MCP servers, skills, agents and instructions of all programs are",
			"used in place; tau doctor lists them, discovery.disabled turns them off.",
			"",
		]
			.map((line) => `${line}\n`)
			.join(""),
	);
	const open = offers.filter(({ question }) => question !== undefined);
	if (open.length > 0 && !args.flags.has("yes") && !process.stdin.isTTY)
		throw new UsageError("Not a terminal: pass --yes to copy everything.");
	let code: number = exitCodes.answered;
	for (const offer of open) {
		if (!args.flags.has("yes")) {
			using interruption = onInterrupt();
			const isWanted = await confirm(offer.question ?? "", interruption.signal);
			if (interruption.signal.aborted) return interruption.exitCode ?? exitCodes.interrupted;
			if (!isWanted) continue;
		}
		const copied = await offer.copy();
		if (copied !== exitCodes.answered) code = copied;
	}
	return code;
}

async function keyOffer(home: string, settings: Settings): Promise<Offer> {
	const { keys, problems } = foreignKeys(home, process.env);
	using store = await openCredentials(settings);
	const known = new Set(store.list().map(({ provider }) => provider));
	const wanted = keys.filter(({ provider }) => providerOf(provider) !== undefined && !known.has(provider));
	const question = wanted.length === 1 ? "Copy this key to Tau?" : `Copy these ${wanted.length} keys to Tau?`;
	return {
		lines: [...problems, ...keyLines(keys, wanted)],
		...(wanted.length === 0 ? {} : { question }),
		async copy() {
			using target = await openCredentials(settings);
			for (const { provider, key } of wanted) await target.add(provider, { kind: "api_key", access: key });
			const names = wanted.map(({ provider }) => provider).join(", ");
			return printed(`Copied to ${shortenHome(target.path)}: ${names}.\n`);
		},
	};
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

interface Wanted {
	/** The path of a setting, or of a provider in `models.yml`. */
	name: string;
	shown: string;
	from: ForeignSettings;
	isTaken: boolean;
}

async function settingsOffer(home: string, settings: Settings): Promise<Offer> {
	const { found, problems } = foreignSettings(home, process.env);
	const models = await loadUserModels(process.env, settings);
	const taken = new Set([...models.providers.keys()].map((id) => `providers.${id}`));
	for (const name of found.flatMap((one) => Object.keys(one.settings)))
		if ((await settings.explain(name))?.from.layer !== "default") taken.add(name);
	const all = found.flatMap((from) =>
		[
			...Object.entries(from.settings).map(([name, shown]) => ({ name, shown })),
			...Object.entries(from.providers).map(([id, { baseUrl = "" }]) => ({
				name: `providers.${id}`,
				shown: baseUrl,
			})),
		].map(({ name, shown }): Wanted => {
			const isTaken = taken.has(name);
			taken.add(name);
			return { name, shown, from, isTaken };
		}),
	);
	const wanted = all.filter(({ isTaken }) => !isTaken);
	const rows = all.map(({ name, shown, from, isTaken }) => [
		name,
		shown,
		`${from.program}, ${shortenHome(from.path)}`,
		isTaken ? "not copied: already set" : "",
	]);
	const lines = [...problems, ...(rows.length === 0 ? [] : ["Settings and providers of other programs:"])];
	return {
		lines: [...lines, ...columns(rows).map((line) => `  ${line}`)],
		...(wanted.length === 0 ? {} : { question: "Copy these settings to Tau?" }),
		copy: () => copySettings(wanted, settings, models.path),
	};
}

async function copySettings(wanted: readonly Wanted[], settings: Settings, file: string): Promise<number> {
	const refused: string[] = [];
	for (const { name, shown, from } of wanted) {
		const id = name.replace(/^providers\./, "");
		const provider = name === id ? undefined : from.providers[id];
		const outcome = provider
			? await changeFile(file, (text) => editYaml(text, [{ path: ["providers", id], value: provider }]))
			: await settings.setUnchecked(name, shown, "global");
		if (!outcome.ok) refused.push(`${name}: ${outcome.reason}`);
	}
	const copied = wanted.length - refused.length;
	await printed(`${copied} ${copied === 1 ? "setting was" : "settings were"} copied.\n`);
	if (refused.length === 0) return exitCodes.answered;
	await printed(refused.map((line) => `Not copied: ${line}\n`).join(""));
	return exitCodes.failed;
}

function sessionOffer(home: string, args: Args): Offer {
	const found = (Object.keys(programs) as Program[])
		.map((program) => ({ program, count: countSessions(sourceDirectory(program, home)) }))
		.filter(({ count }) => count > 0);
	const lines = found.map(
		({ program, count }) =>
			`${count} ${count === 1 ? "session" : "sessions"} of ${programs[program]} (tau sessions import --from ${program})`,
	);
	return {
		lines,
		...(found.length === 0 ? {} : { question: "Import these sessions, as copies?" }),
		async copy() {
			let code: number = exitCodes.answered;
			for (const { program } of found) {
				const flags = new Map([["from" as const, program]]);
				const imported = await runImport({ ...args, operands: ["import"], flags }, undefined);
				if (imported !== exitCodes.answered) code = imported;
			}
			return code;
		},
	};
}

function countSessions(source: string): number {
	try {
		return findSources([source]).files.length;
	} catch {
		// The program is not used here.
		return 0;
	}
}
