/** `/session`, `/status`, `/cost` and `/usage`: what the session works with, and what it has used. */
import { existsSync } from "node:fs";
import { basename } from "node:path";

import { providerOf, quotaProviders, type Quota, type Usage } from "@tau/ai";
import type { ModelUsage, TurnUsage } from "@tau/session";
import { dirs, elapsed, money, plural, shortenHome, tokens, version } from "@tau/utils";

import { facts, plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";

export const session: SessionCommand = {
	name: "session",
	group: "Session",
	description: "Show session info: file, messages, tokens, cost",
	right: "view",
	run(_, { host, cwd }) {
		const { log } = host;
		const { messages, model, steering, followUps } = host.session.state;
		const queued = steering.length + followUps.length;
		const count = (role: string): number => messages.filter((message) => message.role === role).length;
		const { input, output, cacheRead, cacheWrite, cost: paid } = host.session.usage.totals;
		return facts([
			["name", log.getSessionName() ?? "none"],
			["id", log.getSessionId()],
			["file", log.getSessionFile() ?? "in memory only"],
			["directory", cwd],
			["model", `${model.provider}/${model.id}`],
			[
				"messages",
				`${count("user")} user, ${count("assistant")} assistant, ${plural(count("toolResult"), "tool result")}`,
			],
			...(queued > 0 ? [["queued", plural(queued, "message")] as const] : []),
			["context", contextOf(host, "")],
			[
				"tokens",
				`${tokens(input)} input, ${tokens(output)} output, ${tokens(cacheRead)} cache read, ${tokens(cacheWrite)} cache write`,
			],
			["cost", money(paid.total)],
		]);
	},
};

function contextOf({ session: run }: CommandTarget["host"], unit: string): string {
	const { tokens: used, contextWindow, percent } = run.contextUsage();
	if (contextWindow <= 0) return `${tokens(used)}${unit}`;
	return `${tokens(used)} of ${tokens(contextWindow)}${unit} (${percent.toFixed(1)}%)`;
}

export const status: SessionCommand = {
	name: "status",
	group: "Session",
	description: "Show version, account, model, directories, sandbox, servers and settings in use",
	// It shows the account of the owner.
	right: "control",
	async run(_, target) {
		const { host, settings } = target;
		const { model, thinkingLevel } = host.session.state;
		const files = settings.sources.map(({ path }) => path).filter((path) => existsSync(path));
		const { log } = host;
		return facts([
			["version", version],
			["model", `${model.provider}/${model.id}, thinking ${thinkingLevel}`],
			["account", accountOf(target)],
			...profileLine(),
			["context", contextOf(host, " tokens")],
			["session", `${log.getSessionName() ?? "unnamed"}, ${log.getSessionId()}`],
			["directory", `${shortenHome(target.cwd)} (${target.isTrusted ? "trusted" : "not trusted"})`],
			...settings
				.get("additionalDirectories")
				.map((directory): [string, string] => ["", shortenHome(directory)]),
			["tools", toolsOf(host)],
			["commands", boundaryOf(host)],
			["mcp", await serversText(target)],
			["lsp", await languageServersText(target)],
			["background", plural(host.work.jobs.running(), "running job")],
			["settings", files.map((path) => shortenHome(path)).join(", ") || "defaults"],
		]);
	},
};

/** Where the key comes from; never the key. */
function accountOf({ host, credentials, registry }: CommandTarget): string {
	const { provider } = host.state.model;
	const stored = credentials.list().find((each) => each.provider === provider);
	if (stored)
		return `${stored.kind === "oauth" ? "login" : "stored key"}${stored.account ? ` of ${stored.account}` : ""}`;
	const origin = registry.keyOrigin(provider);
	return origin === undefined ? "none" : `API key from ${origin}`;
}

/** Where the model's commands run. */
function boundaryOf({ policy }: CommandTarget["host"]): string {
	if (!policy) return "without rules";
	if (policy.boundary === "sandbox") return "run in the sandbox (/sandbox)";
	return policy.boundary === "container"
		? "run in this container"
		: "run without a sandbox (/sandbox, /doctor)";
}

async function serversText({ mcp }: CommandTarget): Promise<string> {
	const servers = (await mcp?.())?.servers;
	if (!servers) return "off";
	return servers.map(({ name, state }) => `${plain(name)} (${state})`).join(", ") || "no servers";
}

async function languageServersText(target: CommandTarget): Promise<string> {
	const { serversOf } = await import("../work/language-servers.ts");
	const { isEnabled, status: running } = serversOf(target.env());
	if (!isEnabled) return "off";
	return (
		running.map(({ name, state }) => `${plain(name)} (${state})`).join(", ") ||
		"none runs; one starts when needed"
	);
}

function profileLine(): [string, string][] {
	const { profile } = dirs();
	return profile === undefined ? [] : [["profile", basename(profile)]];
}

function toolsOf({ session: run, policy }: CommandTarget["host"]): string {
	const entries = run.tools?.entries ?? [];
	const on = entries.filter(({ hiddenBy }) => hiddenBy.length === 0).length;
	return `${on} of ${entries.length} on${policy ? `; approval mode ${policy.mode}` : ""}`;
}

export interface CostData {
	totals: Usage;
	byModel: readonly ModelUsage[];
	byTurn: readonly TurnUsage[];
}

export const cost: SessionCommand = {
	name: "cost",
	group: "Model",
	description: "Show token usage and cost by model and turn",
	right: "view",
	run(_, { host: { session: run } }) {
		const { usage: used } = run;
		// The state at the time of the command.
		const data: CostData = structuredClone({
			totals: used.totals,
			byModel: used.byModel(),
			byTurn: used.byTurn(),
		});
		return { ...reply(costText(data)), data };
	},
};

function costText({ totals, byModel }: CostData): string {
	if (byModel.length === 0) return "No requests yet.";
	const models = byModel.map(
		({ provider, model, answers, usage: { cost: paid, totalTokens } }) =>
			`${plain(provider)}/${plain(model)} ×${answers}  ${money(paid.total)}, ${tokens(totalTokens)} tokens`,
	);
	return [`${money(totals.cost.total)} for ${tokens(totals.totalTokens)} tokens`, ...models].join("\n");
}

/** The limits of a subscription, or why they are not known. */
export interface QuotaAnswer {
	provider: string;
	quota: Quota | string;
}

export const usage: SessionCommand = {
	name: "usage",
	group: "Model",
	description: "Show remaining subscription limits",
	// It shows the account of the owner.
	right: "control",
	async run(_, target) {
		const logins = new Set(
			target.credentials
				.list()
				.filter(({ kind }) => kind === "oauth")
				.map(({ provider }) => provider),
		);
		const asked = quotaProviders.filter((provider) => logins.has(provider));
		if (asked.length === 0)
			return reply(
				"Not logged in to a subscription that reports limits (Claude, ChatGPT, Kimi). /cost shows what this session has used.",
			);
		const answers = await Promise.all(asked.map((provider) => quotaOf(provider, target)));
		return { ...reply(answers.map(quotaText).join("\n")), data: { answers } };
	},
};

async function quotaOf(provider: string, { credentials, signal }: CommandTarget): Promise<QuotaAnswer> {
	try {
		const quota = await credentials.quota(provider, signal);
		return { provider, quota: quota ?? "The login has ended. Run /login." };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { provider, quota: `It did not answer: ${reason}` };
	}
}

function quotaText({ provider, quota }: QuotaAnswer): string {
	const name = providerOf(provider)?.label ?? provider;
	if (typeof quota === "string") return `${name}  ${plain(quota)}`;
	const windows = quota.windows.map(({ name: window, usedPercent, resetsAt }) => {
		const resets = resetsAt === undefined ? "" : `, resets in ${elapsed(Math.max(0, resetsAt - Date.now()))}`;
		return `  ${window}  ${Math.round(Math.max(0, 100 - usedPercent))} % left${resets}`;
	});
	const plan = quota.plan === undefined ? "" : `  ${plain(quota.plan)}`;
	return [`${name}${plan}`, ...(windows.length === 0 ? ["  It names no limits."] : windows)].join("\n");
}
