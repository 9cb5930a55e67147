/** `/stats`: what all sessions of the user cost. */
import { UserError } from "@tau/session/run";
import { dirs } from "@tau/utils";

import { reply, type SessionCommand } from "../command.ts";

export const stats: SessionCommand = {
	name: "stats",
	group: "Model",
	argumentHint: "[24h | 7d | 30d | today | all]",
	words: ["24h", "7d", "30d", "today", "all"],
	description: "Show what all sessions cost, by model, project and tool",
	details:
		"The last 30 days without an argument. The same as `tau stats` in a shell, which also opens a page.",
	// It shows every project of the owner.
	right: "control",
	async run(args, target) {
		const { dashboardStats, rangeOf, scanInWorker, Stats, summaryLines } = await import("@tau/stats");
		const since = args === "" ? "30d" : args;
		const range = rangeOf(since);
		if (!range) throw new UserError("Usage: /stats [24h | 7d | 4w | today | all | 2026-11-01]");
		const { data, home } = dirs();
		target.progress("Reading what sessions cost");
		try {
			await scanInWorker({ data, home, env: process.env }, target.signal);
		} catch (error) {
			if (target.signal.aborted) return {};
			throw error;
		} finally {
			target.progress(undefined);
		}
		using index = Stats.ofUser((notice) => void target.notice(notice, "warning"));
		const lines = summaryLines(index.database, range, since);
		return { ...reply(lines.join("\n")), data: dashboardStats(index.database, range) };
	},
};
