/** `/model`: the list of models, and the mark in the transcript where another one answers. */
import { model as row } from "@tau/session-commands/rows";

import { showModels } from "../selectors/model/open-models.ts";
import { runRow } from "../run-row.ts";
import type { SlashCommand } from "./command.ts";
import { onScreen } from "./on-screen.ts";

export const model: SlashCommand = {
	...onScreen(row),
	/** A name that fits no model, or several, is what the list is searched for. */
	run: (args, host) => runRow(row, `choose ${args}`.trim(), host, (reply) => showModels(host, reply, args)),
};
