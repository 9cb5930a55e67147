/** Draws what a session has used and paid: in all, by model, and turn by turn. */
import type { Usage } from "@tau/ai";
import type { Theme } from "@tau/tui";
import { localClock } from "@tau/utils";

import type { CostData } from "@tau/session-commands/rows";
import { money, plural, tokens } from "../../views/format.ts";
import { aligned, plain, row, type Column } from "../kit/row.ts";
import { limits } from "../limits.ts";

type TurnUsage = CostData["byTurn"][number];

const mostCells = 76;

export function drawCost({ totals, byModel, byTurn }: CostData, width: number, theme: Theme): string[] {
	if (byModel.length === 0) return [theme.fg("muted", "No requests yet.")];
	const room = Math.min(width, mostCells);
	const head = theme.bold(`${money(totals.cost.total)} for ${tokens(totals.totalTokens)} tokens`);
	const models = byModel.toSorted((a, b) => b.usage.cost.total - a.usage.cost.total);
	const turns = byTurn.slice(-limits.costTurns);
	const left = byTurn.length - turns.length;
	return aligned([
		head,
		titles("model", room, theme),
		...models.map(({ provider, model, answers, usage }) =>
			line(`${plain(provider)}/${plain(model)} ×${answers}`, usage, room, theme, "accent"),
		),
		"",
		titles("turns", room, theme),
		...(left > 0 ? [theme.fg("dim", `… ${plural(left, "earlier turn")}`)] : []),
		...turns.map((turn) => line(turnName(turn), turn.usage, room, theme, endColor(turn))),
	]);
}

function titles(name: string, width: number, theme: Theme): string {
	const dim = (text: string): string => theme.fg("dim", text);
	const heads = ["cost", "in", "out", "cached", "written"].map((text, at): Column => {
		return { text, width: at === 0 ? 8 : 7, align: "right", paint: dim };
	});
	return row(name, heads, width, dim);
}

function line(
	name: string,
	{ input, output, cacheRead, cacheWrite, cost }: Usage,
	width: number,
	theme: Theme,
	color: "accent" | "muted" | "error",
): string {
	const counts = [input, output, cacheRead, cacheWrite].map((count): Column => {
		return { text: tokens(count), width: 7, align: "right", paint: (text) => theme.fg("muted", text) };
	});
	const columns: Column[] = [{ text: money(cost.total), width: 8, align: "right" }, ...counts];
	return row(name, columns, width, (text) => theme.fg(color, text));
}

function turnName({ timestamp, model, stopReason }: TurnUsage): string {
	const end = stopReason === "error" ? " failed" : stopReason === "aborted" ? " stopped" : "";
	return `${localClock(new Date(timestamp))} ${plain(model)}${end}`;
}

function endColor({ stopReason }: TurnUsage): "muted" | "error" {
	return stopReason === "error" ? "error" : "muted";
}
