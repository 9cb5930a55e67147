/** `/skills` and `/commands`: what can be called by name, in a list. */
import {
	commandList as commandsRow,
	skills as skillsRow,
	type CallData,
	type CallRow,
} from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { drawReply, type DrawReply } from "../run-row.ts";
import { calledSelector } from "../selectors/called/selector.ts";
import { openSelector } from "../selectors/open.ts";
import { onScreen } from "./on-screen.ts";

export const skills = onScreen(
	skillsRow,
	drawCalls("Skills", () => []),
);

/** Extensions add their commands to the menu by themselves. */
export const commandList = onScreen(
	commandsRow,
	drawCalls("Commands", ({ commands }) =>
		commands.added.flatMap(({ name, description, isPrompt }) =>
			isPrompt ? [] : [{ name, description, from: "extension" }],
		),
	),
);

function drawCalls(title: string, more: (host: InteractiveHost) => CallRow[]): DrawReply {
	return (reply, host) => {
		const { calls = [] } = (reply.data ?? {}) as Partial<CallData>;
		const all = [...calls, ...more(host)];
		if (all.length === 0) return drawReply(reply, host);
		openSelector(host, (screen, close) => ({
			component: calledSelector(screen, {
				title,
				calls: all,
				choose: ({ name }) => host.editor.setText(`/${name} `),
				close,
			}),
		}));
	};
}
