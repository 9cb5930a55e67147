/** `tau auth-gateway key`: gives out keys with limits, lists and revokes them. */
import { Keys, readRights, type KeySummary, type Ledger } from "@tau/gateway";
import { money, stripControls, UsageError } from "@tau/utils";
import { columns } from "@tau/utils/text-table";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { isJson, jsonLine, printed } from "../sessions/output.ts";

export async function runKeys(
	args: Args,
	[action = "list", id]: readonly string[],
	opened: Ledger,
): Promise<number> {
	await using ledger = opened;
	const keys = new Keys(ledger);
	const asJson = isJson(args) || args.flags.has("json");
	switch (action) {
		case "create":
			return await create(args, keys, asJson);
		case "list": {
			const rows = await keys.list();
			return await printed(asJson ? rows.map((row) => jsonLine({ ...row })).join("") : table(rows));
		}
		case "revoke":
			if (id === undefined) throw new UsageError("Name the key: tau auth-gateway key revoke <id>.");
			if (!(await keys.revoke(id)))
				throw new UsageError(`No key "${id}". tau auth-gateway key list shows them.`);
			return await printed(asJson ? jsonLine({ revoked: id }) : `Revoked ${id}.\n`);
		default:
			throw new UsageError(`tau auth-gateway key: "${action}" is none of create, list, revoke.`);
	}
}

async function create({ flags }: Args, keys: Keys, asJson: boolean): Promise<number> {
	const rights = readRights({
		name: flags.get("name"),
		models: flags.get("models"),
		budget: flags.get("budget"),
		rpm: flags.get("rpm"),
		tpm: flags.get("tpm"),
		expires: flags.get("expires"),
	});
	const { key, row } = await keys.create(rights);
	const { hash: _, ...shown } = row;
	if (asJson) return await printed(jsonLine({ key, ...shown }));
	await printed(`${key}\n`);
	process.stderr.write(`The key ${row.id} is shown once. tau auth-gateway key revoke ${row.id} ends it.\n`);
	return exitCodes.answered;
}

function table(rows: readonly KeySummary[]): string {
	if (rows.length === 0) return "There are no keys. tau auth-gateway key create makes one.\n";
	const head = ["id", "name", "state", "models", "limits", "today", "this month"];
	const lines = rows.map((row) => [
		row.id,
		stripControls(row.name) || "–",
		stateOf(row),
		row.models.join(",") || "all",
		limitsOf(row) || "none",
		money(row.today.cost),
		money(row.thisMonth.cost),
	]);
	return `${columns([head, ...lines]).join("\n")}\n`;
}

function stateOf({ revokedAt, expiresAt }: KeySummary): string {
	if (revokedAt !== undefined) return "revoked";
	if (expiresAt === undefined) return "valid";
	return expiresAt <= Date.now() ? "expired" : `until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
}

function limitsOf(row: KeySummary): string {
	const { budgetPerDay, budgetPerMonth, requestsPerMinute, tokensPerMinute } = row;
	return [
		...(budgetPerDay === undefined ? [] : [`$${budgetPerDay}/day`]),
		...(budgetPerMonth === undefined ? [] : [`$${budgetPerMonth}/month`]),
		...(requestsPerMinute === undefined ? [] : [`${requestsPerMinute} rpm`]),
		...(tokensPerMinute === undefined ? [] : [`${tokensPerMinute} tpm`]),
	].join(", ");
}
