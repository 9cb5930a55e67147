/** `tau auth status`: lists keys and logins, their origin and their state; never their values. */
import { keyVariables, providers, services, type CredentialSummary } from "@tau/ai";
import { loadUserModels } from "@tau/config/models";
import type { Settings } from "@tau/config/settings";
import { dirs, env as readEnv, loadDotenv, shortenHome, stripControls, type Env } from "@tau/utils";

import type { Args } from "../../args.ts";
import { printErrorOf, openCredentials } from "./store.ts";
import { exitCodes } from "../../exit-codes.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { printError } from "../../print-error.ts";
import { tableHolders, useProjectEnv } from "../../project-env.ts";

export interface StatusRow {
	provider: string;
	kind: "key" | "login";
	account?: string;
	/** ISO 8601; of logins. */
	expires?: string;
	state: "ready" | "renews" | "resting" | "refused" | "second";
	/** More about the state, for the user. */
	note?: string;
	/** `stored`, the broker that lends it, or the variable or file that it is in. */
	from: string;
}

export async function runAuthStatus(args: Args): Promise<number> {
	loadDotenv();
	try {
		const rows = await credentialRows(args, await loadSettings(args));
		const isJson = args.flags.get("mode") === "json";
		process.stdout.write(isJson ? rows.map((row) => `${JSON.stringify(row)}\n`).join("") : table(rows));
		return exitCodes.answered;
	} catch (error) {
		return printErrorOf(error);
	}
}

/** Those that a session in this directory could use. */
export async function credentialRows(
	args: Args,
	settings: Settings,
	onNotice: (message: string) => void = printError,
): Promise<StatusRow[]> {
	using store = await openCredentials(settings, onNotice);
	const holders = tableHolders(process.env, (provider) => store.has(provider));
	await useProjectEnv({ args, cwd: process.cwd(), holders, onNotice });
	const { keyFiles } = await loadUserModels(process.env, settings);
	const origin = store.lender === undefined ? "stored" : `broker ${store.lender}`;
	return statusRows({ stored: store.list(), origin, env: process.env, files: keyFiles, now: Date.now() });
}

interface Sources {
	stored: readonly CredentialSummary[];
	/** Where they are: `stored`, or the broker that lends them. */
	origin?: string;
	env: Env;
	/** The files in which keys of providers are configured. */
	files?: ReadonlyMap<string, string> | undefined;
	now: number;
}

/** Stored ones first, by provider, then those of the environment and of files: the order in which they are used. */
export function statusRows({ stored, origin = "stored", env, files = new Map(), now }: Sources): StatusRow[] {
	const kept = stored
		.map((credential) => storedRow(credential, origin, now))
		.toSorted((a, b) => compare(a.provider, b.provider) || compare(a.kind, b.kind));
	const first = new Map<string, string>();
	for (const { provider, state } of kept)
		if (state !== "refused") first.set(provider, "the stored credential");
	const holders = [
		...providers.map((provider) => ({ id: provider.id, keys: keyVariables(provider, env) })),
		...services,
	];
	const found = [
		...holders.flatMap(({ id, keys }) =>
			keys.filter((name) => readEnv(name, env) !== undefined).map((from) => ({ id, from })),
		),
		...[...files].map(([id, path]) => ({ id, from: shortenHome(path, dirs(env).home) })),
	];
	const others = found.map(({ id, from }): StatusRow => {
		const before = first.get(id);
		if (before === undefined) first.set(id, from);
		const row = { provider: id, kind: "key", from } as const;
		return before === undefined
			? { ...row, state: "ready" }
			: { ...row, state: "second", note: `${before} is used first` };
	});
	return [...kept, ...others];
}

function storedRow(credential: CredentialSummary, origin: string, now: number): StatusRow {
	const { provider, kind, account, expiresAt } = credential;
	return {
		provider,
		kind: kind === "oauth" ? "login" : "key",
		...(account === undefined ? {} : { account }),
		...(expiresAt === undefined ? {} : { expires: new Date(expiresAt).toISOString() }),
		...fate(credential, now),
		from: origin,
	};
}

function fate(credential: CredentialSummary, now: number): Pick<StatusRow, "state" | "note"> {
	const { provider, refused, restsUntil, expiresAt, renewable } = credential;
	if (refused !== undefined) return { state: "refused", note: `${refused}; run tau login ${provider}` };
	if (restsUntil > now) return { state: "resting", note: `until ${new Date(restsUntil).toISOString()}` };
	if (expiresAt === undefined || expiresAt > now) return { state: "ready" };
	return renewable
		? { state: "renews", note: "at the next request" }
		: { state: "refused", note: `expired; run tau login ${provider}` };
}

const columns = ["provider", "kind", "account", "expires", "state", "from"] as const;

function table(rows: readonly StatusRow[]): string {
	if (rows.length === 0) return "No keys or logins. Run tau login to add one.\n";
	const lines = [
		columns.map((name) => name.toUpperCase()),
		...rows.map((row) =>
			columns.map((name) =>
				name === "state" && row.note ? `${row.state} (${row.note})` : (row[name] ?? "–"),
			),
		),
	].map((cells) => cells.map((cell) => stripControls(cell, { newline: false, tab: false })));
	const widths = columns.map((_, index) =>
		Math.max(...lines.map((cells) => Bun.stringWidth(cells[index] ?? ""))),
	);
	return lines
		.map((cells) =>
			cells
				.map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - Bun.stringWidth(cell)))
				.join("  ")
				.trimEnd(),
		)
		.map((line) => `${line}\n`)
		.join("");
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
