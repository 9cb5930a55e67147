/** `/name`, `/label` and `/comment`: what the session is called, and what people say about this point of it. */
import { addComment, assertOutcome } from "@tau/session/host";
import { UserError } from "@tau/session/run";

import { reply, type SessionCommand } from "../command.ts";
import { lastWord } from "../work/navigate.ts";

export const name: SessionCommand = {
	name: "name",
	aliases: ["rename"],
	group: "Session",
	argumentHint: "[name]",
	description: "Show or set the session name",
	right: "control",
	shows: [""],
	async run(args, { host }) {
		const current = host.log.getSessionName();
		if (args === "") {
			const text =
				current === undefined
					? "This session has no name. Set one with /name <name>."
					: `This session is called "${current}".`;
			return { ...reply(text), data: { name: current ?? null } };
		}
		assertOutcome(await host.apply({ type: "name", name: args }));
		return { ...reply(`Session renamed to "${args}".`, "success"), data: { name: args } };
	},
};

export const label: SessionCommand = {
	name: "label",
	group: "Session",
	argumentHint: "[label]",
	description: "Label this point in the session (shown in /tree)",
	right: "control",
	async run(args, { host, ask }) {
		const entryId = lastWord(host.log);
		if (entryId === null) return reply("Nothing to label yet.", "warning");
		const before = host.log.getLabel(entryId);
		const text =
			args === ""
				? await ask.input("Label for this point", {
						...(before === undefined ? {} : { initial: before }),
						placeholder: "leave empty to remove the label",
					})
				: args;
		if (text === undefined) return {};
		const written = text.trim();
		assertOutcome(await host.apply({ type: "label", entryId, label: written }));
		return {
			...reply(written === "" ? "Label removed." : `Labeled "${written}".`, "success"),
			data: { entryId, label: written === "" ? null : written },
		};
	},
};

export const comment: SessionCommand = {
	name: "comment",
	group: "Session",
	argumentHint: "<text>",
	takesText: true,
	yieldsToPrompts: true,
	description: "Leave a note for people at this point; the model does not read it",
	right: "comment",
	async run(args, { host, by }) {
		if (args.trim() === "") throw new UserError("Usage: /comment <text>");
		await addComment(host, { text: args, entryId: lastWord(host.log) ?? undefined }, by);
		return {};
	},
};
