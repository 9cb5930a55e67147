/** `/session`: shows the session's file, its length and its cost. */
import { linesBlock } from "../views/lines.ts";
import { money, plural, tokens } from "../views/format.ts";
import type { SlashCommand } from "./command.ts";

export const session: SlashCommand = {
	name: "session",
	group: "Session",
	description: "Show session info: file, messages, tokens, cost",
	run(_, host) {
		const { messages } = host.session.state;
		const count = (role: string): number => messages.filter((message) => message.role === role).length;
		const { input, output, cacheRead, cacheWrite, cost } = host.session.usage.totals;
		const { tokens: used, contextWindow, percent } = host.session.contextUsage();
		host.print(
			linesBlock(host, [
				["name", host.log.getSessionName() ?? "none"],
				["id", host.log.getSessionId()],
				["file", host.log.getSessionFile() ?? "in memory only"],
				["directory", host.cwd],
				["model", `${host.session.model.provider}/${host.session.model.id}`],
				[
					"messages",
					`${count("user")} user, ${count("assistant")} assistant, ${plural(count("toolResult"), "tool result")}`,
				],
				[
					"context",
					contextWindow > 0
						? `${tokens(used)} of ${tokens(contextWindow)} (${percent.toFixed(1)}%)`
						: tokens(used),
				],
				[
					"tokens",
					`${tokens(input)} input, ${tokens(output)} output, ${tokens(cacheRead)} cache read, ${tokens(cacheWrite)} cache write`,
				],
				["cost", money(cost.total)],
			]),
		);
	},
};
