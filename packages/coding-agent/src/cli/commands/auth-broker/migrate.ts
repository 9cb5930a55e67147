/** `tau auth-broker migrate --from-local`: sends the credentials of this machine to the broker that is set. */
import { BrokerClient, readSnapshot, toWire, Vault, type StoredCredential } from "@tau/ai/broker";
import { keyFrom, providers, services, type NewCredential } from "@tau/ai";
import { configuredBroker, credentialsPath } from "@tau/config/models";
import { env as readEnv, UsageError } from "@tau/utils";
import { columns } from "@tau/utils/text-table";
import { existsSync } from "node:fs";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { printError } from "../../print-error.ts";
import { jsonLine, printed } from "../sessions/output.ts";
import { lent } from "./list.ts";

interface Candidate {
	provider: string;
	credential: NewCredential;
	/** `stored`, or the variable. */
	from: string;
}

interface MigrateRow {
	provider: string;
	kind: "key" | "login";
	account?: string;
	from: string;
	state: "sent" | "would be sent" | "already there" | "skipped";
	note?: string;
}

const sendMs = 15_000;

export async function brokerMigrate(args: Args): Promise<number> {
	const { flags } = args;
	if (!flags.has("from-local"))
		throw new UsageError(
			"Usage: tau auth-broker migrate --from-local [--include-oauth] [--include-env] [--dry-run]",
		);
	const access = await configuredBroker(process.env, await loadSettings(args));
	if (!access)
		throw new UsageError(
			"No auth broker is set. Set TAU_AUTH_BROKER_URL and TAU_AUTH_BROKER_TOKEN, or auth.broker.url and auth.broker.token.",
		);
	const client = new BrokerClient(access, process.env);
	const snapshot = readSnapshot((await client.ask("/v1/snapshot", { timeoutMs: sendMs })) ?? {});
	const present = snapshot?.rows ?? [];
	using vault = new Vault(credentialsPath(), printError);
	const stored = existsSync(credentialsPath()) ? lent(vault.list()) : [];
	const candidates = [
		...stored.map(({ provider, ...credential }) => ({ provider, credential, from: "stored" })),
		...(flags.has("include-env") ? environmentKeys() : []),
	];
	const rows: MigrateRow[] = [];
	for (const candidate of candidates) {
		const skipped = whyNot(candidate, present, flags.has("include-oauth"));
		const row = rowOf(candidate);
		if (skipped) rows.push({ ...row, ...skipped });
		else if (flags.has("dry-run")) rows.push({ ...row, state: "would be sent" });
		else {
			const body = { provider: candidate.provider, credential: toWire(candidate.credential) };
			await client.ask("/v1/credential", { method: "POST", body, timeoutMs: sendMs });
			rows.push({ ...row, state: "sent" });
		}
	}
	await printed(flags.has("json") ? rows.map(jsonLine).join("") : tableOf(rows));
	return exitCodes.answered;
}

function whyNot(
	{ provider, credential }: Candidate,
	present: readonly StoredCredential[],
	withLogins: boolean,
): Pick<MigrateRow, "state" | "note"> | undefined {
	const isThere = present.some(
		(row) =>
			row.provider === provider &&
			row.kind === credential.kind &&
			(row.access === credential.access ||
				(row.kind === "oauth" && row.account !== undefined && row.account === credential.account)),
	);
	if (isThere) return { state: "already there" };
	if (credential.kind === "oauth" && !withLogins)
		return { state: "skipped", note: "a login; add --include-oauth" };
	return undefined;
}

function environmentKeys(): Candidate[] {
	const held = providers.flatMap((provider) => {
		const key = keyFrom(provider, process.env);
		return key ? [{ provider: provider.id, value: key.value, from: key.variable }] : [];
	});
	const others = services.flatMap(({ id, keys }) => {
		const from = keys.find((name) => readEnv(name) !== undefined);
		const value = from === undefined ? undefined : readEnv(from);
		return from === undefined || value === undefined ? [] : [{ provider: id, value, from }];
	});
	return [...held, ...others].map(({ provider, value, from }) => ({
		provider,
		credential: { kind: "api_key", access: value },
		from,
	}));
}

function rowOf({ provider, credential: { kind, account }, from }: Candidate): Omit<MigrateRow, "state"> {
	return {
		provider,
		kind: kind === "oauth" ? "login" : "key",
		...(account === undefined ? {} : { account }),
		from,
	};
}

function tableOf(rows: readonly MigrateRow[]): string {
	if (rows.length === 0) return "There are no credentials to send.\n";
	const cells = rows.map(({ provider, kind, account = "–", from, state, note }) => [
		provider,
		kind,
		account,
		from,
		note === undefined ? state : `${state} (${note})`,
	]);
	const lines = columns([["PROVIDER", "KIND", "ACCOUNT", "FROM", "STATE"], ...cells]);
	const advice = rows.some(({ kind, state }) => kind === "login" && state === "sent")
		? "\nThe broker renews these logins from now on. Run tau auth-broker logout <provider> here, so that no two renew them.\n"
		: "";
	return `${lines.join("\n")}\n${advice}`;
}
