/** `tau auth-broker list`: the credentials that the broker of this machine lends, and the logins that it could. */
import { staysLocal } from "@tau/ai/broker";
import { columns } from "@tau/utils/text-table";

import type { Args } from "../../args.ts";
import { statusRows } from "../auth/status.ts";
import { jsonLine, printed } from "../sessions/output.ts";
import { openOwnCredentials } from "../auth/store.ts";

export async function brokerList({ flags }: Args): Promise<number> {
	using store = await openOwnCredentials();
	const logins = await store.logins();
	const stored = lent(store.list());
	const rows = statusRows({ stored, env: {}, now: Date.now() }).map(({ from: _, ...row }) => row);
	if (flags.has("json")) return printed(jsonLine({ credentials: rows, logins }));
	const head = ["PROVIDER", "KIND", "ACCOUNT", "STATE"];
	const table = rows.map(({ provider, kind, account = "–", state, note }) => [
		provider,
		kind,
		account,
		note === undefined ? state : `${state} (${note})`,
	]);
	const lines = rows.length === 0 ? ["The broker has no credentials."] : columns([head, ...table]);
	const names = logins.map(({ provider }) => provider).join(", ");
	return printed(`${lines.join("\n")}\n\ntau auth-broker login <provider> adds one. Logins: ${names}.\n`);
}

/** Without those of this machine's MCP servers. */
export function lent<T extends { provider: string }>(stored: readonly T[]): T[] {
	return stored.filter(({ provider }) => !staysLocal(provider));
}
