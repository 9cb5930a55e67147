/** What a broker and its clients send each other. The format is that of omp's broker, so that either works with either. */
import { registerSecret } from "@tau/utils";

import { count, isObject, list, object, string, type Json } from "../../json.ts";
import type { Quota } from "../quota.ts";
import type { NewCredential, StoredCredential } from "../types.ts";

/** In the place of a refresh token: the real one never leaves the broker. */
export const refreshSentinel = "__remote__";

/** The expiry of tokens that have none. */
const never = Number.MAX_SAFE_INTEGER;

export type WireCredential =
	| { type: "api_key"; key: string }
	| {
			type: "oauth";
			access: string;
			refresh: string;
			expires: number;
			email?: string;
			accountId?: string;
			projectId?: string;
			/** Tau's own: the address of requests with it, if the account determines that. */
			baseUrl?: string;
	  };

export interface WireEntry {
	id: number;
	provider: string;
	credential: WireCredential;
	identityKey: string | null;
}

export interface WireBlock {
	providerKey: string;
	blockScope: string;
	blockedUntilMs: number;
}

export interface SnapshotEntry extends WireEntry {
	/** When the broker will renew it; null if it will not. */
	rotatesInMs: number | null;
	blocks?: WireBlock[];
}

export interface Snapshot {
	generation: number;
	generatedAt: number;
	serverNowMs: number;
	refresher: { enabled: boolean; intervalMs: number; skewMs: number; nextSweepInMs: number };
	credentials: SnapshotEntry[];
}

export interface DisabledEntry {
	id: number;
	provider: string;
	type: "oauth" | "api_key";
	email?: string;
	cause: string;
}

export interface UsageReport {
	provider: string;
	fetchedAt: number;
	limits: {
		id: string;
		label: string;
		scope: { provider: string; accountId?: string };
		window: { id: string; label: string; resetsAt?: number };
		amount: { usedFraction: number; unit: "percent" };
		status: "ok" | "warning" | "exhausted";
	}[];
	metadata?: { planType?: string; email?: string };
}

/** Names a credential on the wire: a number that its id determines, and which no other credential gets later. */
export function wireId(id: string): number {
	return Number.parseInt(new Bun.CryptoHasher("sha256").update(id).digest("hex").slice(0, 13), 16);
}

/** Tells a client's token from the broker's without sending it. */
export function fingerprint(access: string): string {
	return new Bun.CryptoHasher("sha256").update(access).digest("hex");
}

export function toEntry({ id, provider, ...credential }: StoredCredential): WireEntry {
	const { account } = credential;
	return {
		id: wireId(id),
		provider,
		credential: {
			...toWire(credential),
			...(credential.kind === "oauth" ? { refresh: refreshSentinel } : {}),
		},
		identityKey: account === undefined ? null : `${account.includes("@") ? "email" : "account"}:${account}`,
	};
}

/** With the refresh token, for the way to the broker. */
export function toWire(credential: NewCredential): WireCredential {
	const { kind, access, refresh = "", expiresAt = never, account, project, baseUrl } = credential;
	if (kind === "api_key") return { type: "api_key", key: access };
	return {
		type: "oauth",
		access,
		refresh,
		expires: expiresAt,
		...(account === undefined ? {} : account.includes("@") ? { email: account } : { accountId: account }),
		...(project === undefined ? {} : { projectId: project }),
		...(baseUrl === undefined ? {} : { baseUrl }),
	};
}

/** Undefined if it is none that Tau could use. */
export function fromWire(value: unknown, identityKey?: unknown): NewCredential | undefined {
	const wire = object(value);
	const name =
		string(wire.email) || string(identityKey).replace(/^(?:email|account):/, "") || string(wire.accountId);
	const account = name === "" ? {} : { account: name };
	if (wire.type === "api_key") {
		const access = string(wire.key);
		return isHeaderWord(access) ? { kind: "api_key", access, ...account } : undefined;
	}
	const access = string(wire.access);
	if (wire.type !== "oauth" || !isHeaderWord(access)) return undefined;
	const refresh = string(wire.refresh);
	const expires = typeof wire.expires === "number" ? wire.expires : never;
	const project = string(wire.projectId);
	const baseUrl = string(wire.baseUrl);
	return {
		kind: "oauth",
		access,
		...(refresh === "" ? {} : { refresh }),
		...(expires >= never ? {} : { expiresAt: expires }),
		...account,
		...(project === "" ? {} : { project }),
		...(URL.canParse(baseUrl) ? { baseUrl } : {}),
	};
}

/** What a client knows: rows that can be used, and why others cannot. Times are those of the broker's clock. */
export interface Lent {
	generation: number;
	generatedAt: number;
	serverNowMs: number;
	rows: StoredCredential[];
}

/** Undefined if it is no snapshot. Entries of kinds that this version does not know are left out. */
export function readSnapshot(answer: Json): Omit<Lent, "disabled"> | undefined {
	const { generation, generatedAt, serverNowMs, credentials } = answer;
	if (typeof generation !== "number" || typeof generatedAt !== "number" || !Array.isArray(credentials))
		return undefined;
	return {
		generation,
		generatedAt,
		serverNowMs: typeof serverNowMs === "number" ? serverNowMs : generatedAt,
		rows: credentials.flatMap((entry) => readEntry(entry) ?? []),
	};
}

export function readEntry(value: unknown): StoredCredential | undefined {
	if (!isObject(value)) return undefined;
	const { id, blocks } = value;
	const provider = string(value.provider);
	const credential = fromWire(value.credential, value.identityKey);
	if (!Number.isSafeInteger(id) || provider === "" || !credential) return undefined;
	registerSecret(credential.access);
	const restsUntil = Math.max(0, ...list(blocks).map((block) => count(object(block).blockedUntilMs)));
	return { ...blank, ...credential, id: String(id), provider, restsUntil };
}

export function readDisabled(answer: Json): StoredCredential[] {
	return list(answer.disabled).flatMap((value) => {
		const { id, type, email, cause } = object(value);
		const provider = string(object(value).provider);
		if (!Number.isSafeInteger(id) || provider === "") return [];
		return [
			{
				...blank,
				id: String(id),
				provider,
				kind: type === "api_key" ? "api_key" : "oauth",
				access: "",
				refused: string(cause) || "the broker has disabled it",
				...(string(email) === "" ? {} : { account: string(email) }),
			} satisfies StoredCredential,
		];
	});
}

const blank = { createdAt: 0, lastUsedAt: 0, restsUntil: 0, strikes: 0, revision: 0 };

export function toReport(provider: string, quota: Quota, fetchedAt: number, account?: string): UsageReport {
	const { plan, windows } = quota;
	return {
		provider,
		fetchedAt,
		limits: windows.map(({ name, usedPercent, resetsAt }) => {
			const id = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
			return {
				id: `${provider}:${id}`,
				label: name,
				scope: { provider, ...(account === undefined ? {} : { accountId: account }) },
				window: { id, label: name, ...(resetsAt === undefined ? {} : { resetsAt }) },
				amount: { usedFraction: usedPercent / 100, unit: "percent" as const },
				status: usedPercent >= 100 ? "exhausted" : usedPercent >= 80 ? "warning" : "ok",
			};
		}),
		metadata: {
			...(plan === undefined ? {} : { planType: plan }),
			...(account === undefined ? {} : { email: account }),
		},
	};
}

/** The limits of each provider's subscription, of its first account. */
export function readReports(answer: Json): Map<string, Quota> {
	const quotas = new Map<string, Quota>();
	for (const report of list(answer.reports)) {
		const provider = string(object(report).provider);
		if (provider === "" || quotas.has(provider)) continue;
		const plan = string(object(object(report).metadata).planType);
		const windows = list(object(report).limits).flatMap((value) => {
			const limit = object(value);
			const { usedFraction } = object(limit.amount);
			if (typeof usedFraction !== "number") return [];
			const resetsAt = count(object(limit.window).resetsAt);
			const name = string(object(limit.window).label) || string(limit.label);
			return [{ name, usedPercent: usedFraction * 100, ...(resetsAt > 0 ? { resetsAt } : {}) }];
		});
		quotas.set(provider, { ...(plan === "" ? {} : { plan }), windows });
	}
	return quotas;
}

/** What is sent as one word of a header must be one. */
function isHeaderWord(text: string): boolean {
	return text !== "" && !/[\s\p{Cc}]/u.test(text);
}
