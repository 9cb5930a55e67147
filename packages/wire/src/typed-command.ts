/** A text of the user that may be a slash command, for clients that take both in one line. */
import type { SessionClient } from "./client.ts";
import type { CommandReply } from "./session-commands.ts";

const typed = /^\/(\S+)(?:\s+([^]*))?$/;

/** Runs the command that the text calls. Undefined if it is a prompt: a name that expands to one is sent as it is. */
export async function runTyped(
	client: Pick<SessionClient, "request">,
	text: string,
): Promise<CommandReply | undefined> {
	const [, word, args = ""] = typed.exec(text.trim()) ?? [];
	if (word === undefined) return undefined;
	const { commands } = await client.request("list_commands", {});
	const command = commands.find(({ name, aliases }) => name === word || aliases?.includes(word));
	const isRun = command?.source === "tau" || command?.source === "extension";
	return isRun ? await client.request("run_command", { name: command.name, args: args.trim() }) : undefined;
}
