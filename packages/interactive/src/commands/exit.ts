/** `/exit`: the end. `/detach`: the terminal is free, and the session continues. */
import type { SlashCommand } from "./command.ts";

export const exit: SlashCommand = {
	name: "exit",
	group: "Session",
	aliases: ["quit", "q"],
	description: "Exit",
	run: (_, host) => host.leave(),
};

export const detach: SlashCommand = {
	name: "detach",
	group: "Session",
	description: "Leave the terminal and keep the session running in the background",
	details:
		"The session continues without this terminal; tau attach comes back to it. While the model works, it waits until the turn ends. Background jobs are stopped.",
	run: (_, host) => host.detach(),
};
