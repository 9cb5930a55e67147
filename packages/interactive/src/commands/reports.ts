/** Commands whose reply is a report in the transcript: `/cost`, `/usage`, `/stats`, `/hooks`, `/lsp`, `/machine`, `/debugger`, `/browser`. */
import { providerOf, type QuotaWindow } from "@tau/ai";
import { wrapTextWithAnsi, type Theme } from "@tau/tui";
import type { CommandReply } from "@tau/wire";

import {
	cost as costRow,
	stats as statsRow,
	usage as usageRow,
	type CostData,
	type QuotaAnswer,
	browser as browserRow,
	debuggerCommand as debuggerRow,
	lsp as lspRow,
	machine as machineRow,
	type LspData,
	type LspServer,
	type MachineData,
	type TitledData,
	hookIsOff,
	hooks as hooksRow,
	type HooksData,
} from "@tau/session-commands/rows";
import { drawReply, type DrawReply } from "../run-row.ts";
import { drawCost } from "../selectors/cost/draw-cost.ts";
import { report, type DrawReport } from "../selectors/kit/report.ts";
import { plain } from "../selectors/kit/row.ts";
import { elapsed } from "../views/format.ts";
import { onScreen } from "./on-screen.ts";

/** Draws the data of a reply that has some, and the text of the others. `D` is what the row gives its replies. */
function drawing<D>(draw: (data: Partial<D>) => DrawReport | undefined): DrawReply {
	return (reply: CommandReply, host) => {
		const drawn = draw((reply.data ?? {}) as Partial<D>);
		if (drawn) host.print(report(host.theme, drawn));
		else drawReply(reply, host);
	};
}

export const cost = onScreen(
	costRow,
	drawing<CostData>(({ totals, byModel, byTurn }) =>
		totals && byModel && byTurn
			? (width, theme) => drawCost({ totals, byModel, byTurn }, width, theme)
			: undefined,
	),
);

export const usage = onScreen(
	usageRow,
	drawing<{ answers: readonly QuotaAnswer[] }>(({ answers }) =>
		answers ? (_width, theme) => answers.flatMap((answer) => drawQuota(answer, theme)) : undefined,
	),
);

/** Its columns are made of blanks, which a notice would fold; what stands at the edge is a heading. */
export const stats = onScreen(statsRow, ({ text = "" }, host) =>
	host.print(
		report(host.theme, (_width, theme) =>
			text.split("\n").map((line) => (line.startsWith(" ") ? line : theme.bold(line))),
		),
	),
);

const barCells = 20;

function drawQuota({ provider, quota }: QuotaAnswer, theme: Theme): string[] {
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

export const hooks = onScreen(
	hooksRow,
	drawing<HooksData>(({ hooks: rows }) =>
		rows
			? (_width, theme) =>
					rows.flatMap(({ head, command, file, isOn }) => [
						`${theme.fg("accent", head)}  ${command}`,
						`  ${theme.fg("muted", file)}`,
						...(isOn ? [] : [`  ${theme.fg("warning", hookIsOff)}`]),
					])
			: undefined,
	),
);

export const lsp = onScreen(
	lspRow,
	drawing<LspData>(({ servers, log }) => {
		if (log) return (width) => log.flatMap((line) => wrapTextWithAnsi(line, width));
		return servers && ((width, theme) => servers.flatMap((server) => drawServer(server, width, theme)));
	}),
);

function drawServer({ name, state, about, lines }: LspServer, width: number, theme: Theme): string[] {
	const color = state === "failed" ? "error" : state === "ready" ? "success" : "muted";
	return [
		`${theme.fg("accent", name)}  ${theme.fg(color, about)}`,
		...lines.flatMap((line) =>
			wrapTextWithAnsi(theme.fg("muted", line), Math.max(1, width - 2)).map((row) => `  ${row}`),
		),
	];
}

export const machine = onScreen(
	machineRow,
	drawing<MachineData>(({ current, hosts }) =>
		current !== undefined && hosts
			? (_width, theme) => [
					`${theme.fg("accent", "machine")}  ${current}`,
					...hosts.map(({ name, about }) => `  ${name}  ${theme.fg("muted", about)}`),
				]
			: undefined,
	),
);

const drawTitled = drawing<TitledData>(({ title, lines }) =>
	title !== undefined && lines
		? (_width, theme) => [
				theme.bold(title),
				...lines.map((line) => theme.fg(line.startsWith(" ") ? "muted" : "text", line)),
			]
		: undefined,
);

export const debuggerCommand = onScreen(debuggerRow, drawTitled);
export const browser = onScreen(browserRow, drawTitled);
