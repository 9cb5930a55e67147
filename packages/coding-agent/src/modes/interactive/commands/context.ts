/** `/context`: what fills the model's context. */
import { cachedShare, contextParts } from "../selectors/context/context-parts.ts";
import { drawContext } from "../selectors/context/draw-context.ts";
import { report } from "../selectors/kit/report.ts";
import type { SlashCommand } from "./command.ts";

export const context: SlashCommand = {
	name: "context",
	group: "Context",
	description: "Show context usage",
	run(_, host) {
		const { state } = host.session;
		const facts = {
			parts: contextParts(state),
			usage: host.session.contextUsage(),
			cached: cachedShare(state.messages),
			breaks: host.session.cacheBreaks(),
		};
		host.print(report(host.theme, (width, theme) => drawContext(facts, width, theme)));
	},
};
