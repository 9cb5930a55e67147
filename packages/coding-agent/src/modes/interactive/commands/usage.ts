/** `/usage`: what is left of the subscriptions that the user is logged in to. */
import { fetchQuota, providerOf, quotaProviders, type Quota, type QuotaWindow } from "@tau/ai";
import type { Theme } from "@tau/tui";

import type { InteractiveHost } from "../host.ts";
import { report } from "../selectors/kit/report.ts";
import { plain } from "../selectors/kit/row.ts";
import { elapsed } from "../views/format.ts";
import type { SlashCommand } from "./command.ts";

export const usage: SlashCommand = {
	name: "usage",
	group: "Model",
	description: "Show remaining subscription limits",
	async run(_, host) {
		const logins = new Set(
			host.credentials
				.list()
				.filter(({ kind }) => kind === "oauth")
				.map(({ provider }) => provider),
		);
		const asked = quotaProviders.filter((provider) => logins.has(provider));
		if (asked.length === 0)
			return host.notify(
				"Not logged in to a subscription that reports limits (Claude, ChatGPT, Kimi). /cost shows what this session has used.",
			);
		const answers = await Promise.all(asked.map((provider) => ask(provider, host)));
		host.print(report(host.theme, (_width, theme) => answers.flatMap((answer) => draw(answer, theme))));
	},
};

interface Answer {
	provider: string;
	quota: Quota | string;
}

async function ask(provider: string, { credentials }: InteractiveHost): Promise<Answer> {
	try {
		const token = await credentials.getApiKey(provider);
		if (token === undefined) return { provider, quota: "The login has ended. Run /login." };
		return { provider, quota: await fetchQuota(provider, token, { signal: new AbortController().signal }) };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { provider, quota: `It did not answer: ${reason}` };
	}
}

const barCells = 20;

function draw({ provider, quota }: Answer, theme: Theme): string[] {
	const name = theme.bold(providerOf(provider)?.label ?? provider);
	if (typeof quota === "string") return [`${name}  ${theme.fg("warning", plain(quota))}`];
	const plan = quota.plan === undefined ? "" : theme.fg("dim", `  ${plain(quota.plan)}`);
	const widest = Math.max(0, ...quota.windows.map((window) => window.name.length));
	return [
		`${name}${plan}`,
		...(quota.windows.length === 0 ? [theme.fg("muted", "  It names no limits.")] : []),
		...quota.windows.map((window) => drawWindow(window, widest, theme)),
	];
}

function drawWindow({ name, usedPercent, resetsAt }: QuotaWindow, widest: number, theme: Theme): string {
	const left = Math.max(0, 100 - usedPercent);
	const full = Math.round((Math.min(100, left) / 100) * barCells);
	const color = left < 10 ? "error" : left < 30 ? "warning" : "success";
	const bar = theme.fg(color, "█".repeat(full)) + theme.fg("dim", "░".repeat(barCells - full));
	const resets = resetsAt === undefined ? "" : `, resets in ${elapsed(Math.max(0, resetsAt - Date.now()))}`;
	return `  ${name.padEnd(widest)}  ${bar}  ${Math.round(left)} % left${theme.fg("dim", resets)}`;
}
