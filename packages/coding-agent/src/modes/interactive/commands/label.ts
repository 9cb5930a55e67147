/** `/label`: a name for this point of the session, to find it again in /tree. */
import type { SessionManager } from "@tau/session";

import { leafOf } from "../selectors/tree/tree-rows.ts";
import type { SlashCommand } from "./command.ts";

export const label: SlashCommand = {
	name: "label",
	group: "Session",
	argumentHint: "[label]",
	description: "Label this point in the session (shown in /tree)",
	async run(args, host) {
		const id = lastWord(host.log);
		if (id === null) return host.notify("Nothing to label yet.", "warning");
		const before = host.log.getLabel(id);
		const asked = {
			...(before === undefined ? {} : { initial: before }),
			placeholder: "leave empty to remove the label",
		};
		const text = args === "" ? await host.ask.input("Label for this point", asked) : args;
		if (text === undefined) return;
		host.log.appendLabelChange(id, text.trim());
		host.notify(text.trim() === "" ? "Label removed." : `Labeled "${text.trim()}".`, "success");
	},
};

function lastWord(log: SessionManager): string | null {
	return leafOf(new Map(log.getHeads().map((head) => [head.id, head])), log.getLeafId());
}
