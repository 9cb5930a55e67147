/** `/thinking`: how much the model thinks. */
import { levelsOf } from "@tau/ai";

import { openSelector } from "../selectors/open.ts";
import { thinkingSelector } from "../selectors/thinking/selector.ts";
import { valueItems, type SlashCommand } from "./command.ts";

export const thinking: SlashCommand = {
	name: "thinking",
	group: "Model",
	argumentHint: "[level]",
	description: "Set the thinking level",
	complete: (prefix, { session }) => {
		const levels = levelsOf(session.model).map((value) => ({ value }));
		return valueItems(levels, prefix, session.state.thinkingLevel);
	},
	run(args, host) {
		const levels = levelsOf(host.session.model);
		if (levels.length < 2) return host.notify("This model does not support thinking.", "warning");
		const level = levels.find((each) => each === args);
		if (level) return host.setThinking(level);
		if (args !== "") throw new Error(`This model supports these levels: ${levels.join(", ")}.`);
		openSelector(host, (screen, close) => ({
			component: thinkingSelector(screen, {
				levels,
				current: host.session.state.thinkingLevel,
				use: (chosen) => host.setThinking(chosen),
				close,
			}),
		}));
	},
};
