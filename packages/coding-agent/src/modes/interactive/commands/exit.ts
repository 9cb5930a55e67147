/** `/exit`: the end. */
import type { SlashCommand } from "./command.ts";

export const exit: SlashCommand = {
	name: "exit",
	group: "Session",
	aliases: ["quit", "q"],
	description: "Exit",
	run: (_, host) => host.leave(),
};
