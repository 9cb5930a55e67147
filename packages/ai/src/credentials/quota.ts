/** What is left of a subscription, as its vendor reports it to the login. None of the addresses is documented; all may change. */
import { env as readEnv, type Env } from "@tau/utils";

import { codexAccount } from "../auth/codex-account.ts";
import { count, isObject, list, object, parseObject, string, type Json } from "../json.ts";

export interface QuotaWindow {
	/** `5 hours`, `7 days`, `7 days, Opus`. */
	name: string;
	/** 0 to 100, and more when it is overdrawn. */
	usedPercent: number;
	/** As `Date.now()`; undefined if the vendor does not say. */
	resetsAt?: number;
}

export interface Quota {
	plan?: string;
	windows: readonly QuotaWindow[];
}

interface QuotaRow {
	url: string;
	/** Names a variable with the beginning of another address, up to the last part of `url`. */
	baseFrom?: string;
	headers(token: string): Record<string, string>;
	read(answer: Json): Quota;
}

const quotaMs = 10_000;
const quotaBytes = 256 * 1024;

const rows: Readonly<Record<string, QuotaRow>> = {
	anthropic: {
		url: "https://api.anthropic.com/api/oauth/usage",
		headers: () => ({ "anthropic-beta": "oauth-2025-04-20" }),
		read: readAnthropic,
	},
	"openai-codex": {
		url: "https://chatgpt.com/backend-api/wham/usage",
		headers: (token) => ({ "ChatGPT-Account-Id": codexAccount(token) }),
		read: readCodex,
	},
	"kimi-code": {
		url: "https://api.kimi.com/coding/v1/usages",
		baseFrom: "KIMI_CODE_BASE_URL",
		headers: () => ({}),
		read: readKimi,
	},
};

/** The providers whose logins can be asked. */
export const quotaProviders: readonly string[] = Object.keys(rows);

/** Rejects with the reason if the vendor does not answer. `url` is another address for tests. */
export async function fetchQuota(
	provider: string,
	token: string,
	{ signal, url, env = process.env }: { signal: AbortSignal; url?: string; env?: Env },
): Promise<Quota> {
	const row = rows[provider];
	if (!row) throw new Error(`${provider} does not say what is left of a subscription.`);
	const response = await fetch(url ?? addressOf(row, env), {
		headers: { accept: "application/json", authorization: `Bearer ${token}`, ...row.headers(token) },
		signal: AbortSignal.any([signal, AbortSignal.timeout(quotaMs)]),
		// A token goes nowhere else.
		redirect: "error",
	});
	if (!response.ok) throw new Error(`HTTP ${response.status}`);
	const answer = parseObject((await response.text()).slice(0, quotaBytes));
	if (!answer) throw new Error("the answer is not JSON");
	return row.read(answer);
}

function addressOf({ url, baseFrom }: QuotaRow, env: Env): string {
	const base = baseFrom === undefined ? undefined : readEnv(baseFrom, env);
	return base === undefined ? url : base.replace(/\/+$/, "") + url.slice(url.lastIndexOf("/"));
}

function readAnthropic(answer: Json): Quota {
	const named: [key: string, name: string][] = [
		["five_hour", "5 hours"],
		["seven_day", "7 days"],
		["seven_day_opus", "7 days, Opus"],
		["seven_day_sonnet", "7 days, Sonnet"],
	];
	const windows = named.flatMap(([key, name]) => {
		const window = answer[key];
		if (!isObject(window) || typeof window.utilization !== "number") return [];
		const resetsAt = Date.parse(string(window.resets_at));
		return [{ name, usedPercent: window.utilization, ...(Number.isNaN(resetsAt) ? {} : { resetsAt }) }];
	});
	return { windows };
}

function readCodex(answer: Json): Quota {
	const limit = object(answer.rate_limit);
	const windows = [limit.primary_window, limit.secondary_window].flatMap((value) => {
		if (!isObject(value) || typeof value.used_percent !== "number") return [];
		const resetsAt = count(value.reset_at) * 1000;
		return [
			{
				name: lengthOf(count(value.limit_window_seconds)),
				usedPercent: value.used_percent,
				...(resetsAt > 0 ? { resetsAt } : {}),
			},
		];
	});
	const plan = string(answer.plan_type);
	return { ...(plan === "" ? {} : { plan }), windows };
}

/** The limits of short windows, and the one of the plan's week. Counts may be written as strings. */
function readKimi(answer: Json): Quota {
	const windows = list(answer.limits).flatMap((limit) => {
		const { duration, timeUnit } = object(object(limit).window);
		const seconds = Number(duration) * (unitSeconds[string(timeUnit)] ?? Number.NaN);
		return Number.isFinite(seconds) ? kimiWindow(lengthOf(seconds), object(object(limit).detail)) : [];
	});
	const plan = string(object(object(answer.user).membership).level);
	return {
		...(plan === "" ? {} : { plan: plan.replace(/^LEVEL_/, "").toLowerCase() }),
		windows: [...windows, ...kimiWindow("7 days", object(answer.usage))],
	};
}

const unitSeconds: Readonly<Record<string, number>> = {
	TIME_UNIT_MINUTE: 60,
	TIME_UNIT_HOUR: 3600,
	TIME_UNIT_DAY: 86_400,
};

function kimiWindow(name: string, { limit, used, remaining, resetTime }: Json): QuotaWindow[] {
	const most = Number(limit ?? Number.NaN);
	const spent = used === undefined ? most - Number(remaining ?? Number.NaN) : Number(used);
	if (!(most > 0) || !Number.isFinite(spent)) return [];
	const resetsAt = Date.parse(string(resetTime));
	return [{ name, usedPercent: (spent / most) * 100, ...(Number.isNaN(resetsAt) ? {} : { resetsAt }) }];
}

function lengthOf(seconds: number): string {
	const hours = Math.round(seconds / 3600);
	if (hours < 24) return hours === 1 ? "1 hour" : `${hours} hours`;
	const days = Math.round(hours / 24);
	return days === 1 ? "1 day" : `${days} days`;
}
