/** `tau auth-broker import`: logins of CLIProxyAPI's JSON files become credentials of this machine. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import type { NewCredential } from "@tau/ai";
import { errorText, isRecord, readSecretFile, registerSecret, shortenHome, UsageError } from "@tau/utils";
import { columns } from "@tau/utils/text-table";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { findProvider } from "../auth/providers.ts";
import { jsonLine, printed } from "../sessions/output.ts";
import { openOwnCredentials } from "../auth/store.ts";

/** What each file became, or why it did not. */
interface ImportRow {
	file: string;
	provider?: string;
	account?: string;
	state: "imported" | "would be imported" | "skipped" | "failed";
	note?: string;
}

/** CLIProxyAPI's names. */
const providers: Readonly<Record<string, string>> = {
	claude: "anthropic",
	codex: "openai-codex",
	gemini: "google-gemini-cli",
	"gemini-cli": "google-gemini-cli",
	antigravity: "google-antigravity",
	kimi: "kimi-code",
};

const maxBytes = 1024 * 1024;
const maxFiles = 1_000;

export async function brokerImport({ operands, flags }: Args): Promise<number> {
	const [, ...paths] = operands;
	if (paths.length === 0) throw new UsageError("Usage: tau auth-broker import <file|dir>…");
	using store = await openOwnCredentials();
	const named = flags.get("provider");
	const only = named === undefined ? undefined : await findProvider(named, []);
	const rows: ImportRow[] = [];
	for (const file of paths.flatMap(filesAt)) {
		const read = readFile(file, only, flags.has("include-disabled"));
		if ("state" in read) rows.push(read);
		else {
			const { provider, credential } = read;
			const account = credential.account === undefined ? {} : { account: credential.account };
			const isDryRun = flags.has("dry-run");
			if (!isDryRun) await store.add(provider, credential);
			rows.push({ file, provider, ...account, state: isDryRun ? "would be imported" : "imported" });
		}
	}
	await printed(flags.has("json") ? rows.map(jsonLine).join("") : tableOf(rows));
	return rows.some(({ state }) => state === "failed") ? exitCodes.failed : exitCodes.answered;
}

function tableOf(rows: readonly ImportRow[]): string {
	if (rows.length === 0) return "There are no JSON files.\n";
	const cells = rows.map(({ file, provider = "–", account = "–", state, note }) => [
		shortenHome(file),
		provider,
		account,
		note === undefined ? state : `${state}: ${note}`,
	]);
	return `${columns([["FILE", "PROVIDER", "ACCOUNT", "STATE"], ...cells]).join("\n")}\n`;
}

function filesAt(path: string): string[] {
	try {
		if (!statSync(path).isDirectory()) return [path];
		const names = readdirSync(path).filter((name) => name.endsWith(".json"));
		if (names.length > maxFiles) throw new UsageError(`${path} has more than ${maxFiles} JSON files.`);
		return names.toSorted().map((name) => join(path, name));
	} catch (error) {
		if (error instanceof UsageError) throw error;
		throw new UsageError(`${path}: ${errorText(error)}`);
	}
}

function readFile(
	file: string,
	only: string | undefined,
	withDisabled: boolean,
): ImportRow | { provider: string; credential: NewCredential } {
	let json: unknown;
	try {
		json = JSON.parse(readSecretFile(file, maxBytes)?.toString("utf8") ?? "");
	} catch {
		// The parser's message would quote the file, which has secrets.
		return { file, state: "failed", note: "it cannot be read, or is not JSON" };
	}
	if (!isRecord(json)) return { file, state: "failed", note: "it is not a JSON object" };
	const type = text(json.type);
	const provider = only ?? providers[type];
	if (provider === undefined)
		return {
			file,
			state: "skipped",
			note: type === "" ? "it names no type; add --provider" : `${type} is not known`,
		};
	if (json.disabled === true && !withDisabled) return { file, provider, state: "skipped", note: "disabled" };
	const credential = credentialOf(json);
	return credential ? { provider, credential } : { file, provider, state: "failed", note: "it has no token" };
}

/** Gemini's files have the tokens one level deeper. */
function credentialOf(json: Record<string, unknown>): NewCredential | undefined {
	const token = isRecord(json.token) ? json.token : json;
	const access = text(token.access_token);
	const refresh = text(token.refresh_token);
	const account = text(json.email) || text(json.account_id);
	const project = text(json.project_id);
	if (access === "" && refresh === "") {
		const key = text(json.api_key);
		return key === "" ? undefined : { kind: "api_key", access: key };
	}
	for (const secret of [access, refresh]) if (secret !== "") registerSecret(secret);
	const stated = Date.parse(text(json.expired) || text(token.expiry));
	return {
		kind: "oauth",
		access: access || "none",
		...(refresh === "" ? {} : { refresh }),
		// Without a time, it is renewed before its first use.
		expiresAt: access === "" || Number.isNaN(stated) ? 0 : stated,
		...(account === "" ? {} : { account }),
		...(project === "" ? {} : { project }),
	};
}

function text(value: unknown): string {
	return typeof value === "string" ? value.trim() : "";
}
