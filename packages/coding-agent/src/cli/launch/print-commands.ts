/** Slash commands in print mode: they run instead of being sent to the model, and their replies are printed. */
import type { CommandReply } from "@tau/wire";
import type { SessionHost } from "@tau/session/host";
import { SessionCommands, unknownCommand, type CommandParts } from "@tau/session-commands";

const slashCommand = /^\/([a-z][\w:-]*)(?:\s+([\s\S]*))?$/i;

export interface PrintCommands {
	parts: CommandParts;
	signal: AbortSignal;
	onReply(reply: CommandReply): void | Promise<void>;
}

/**
 * Submits what is no command of Tau's. A single unknown `/word` is refused: it is more likely a misspelt command than a
 * prompt, and the answer would cost money. Commands of extensions and templates are the session's.
 */
export function submitWithCommands({ parts, signal, onReply }: PrintCommands): SessionHost["submit"] {
	const { host } = parts;
	const commands = new SessionCommands(parts);
	return async (prompt, options) => {
		const [, name, args = ""] = slashCommand.exec(prompt.text.trim()) ?? [];
		if (name === undefined) return await host.submit(prompt, options);
		const found = commands.find(name);
		// An extension may make something of it, and the session knows better what is wrong with `/skill:name`.
		const isOthers = parts.extensions?.runner?.events.has("input") || name.includes(":");
		if (!found && args === "" && !isOthers)
			return { kind: "refused", reason: unknownCommand(name, commands.list()) };
		if (found?.source !== "tau") return await host.submit(prompt, options);
		using client = host.attach({});
		try {
			const reply = await commands.run(name, args, {
				by: client.info,
				signal,
				progress() {},
				notice: (text, level) => host.notice(text, level === "warning" ? "warning" : "info"),
			});
			await onReply(reply);
			return { kind: "handled", done: Promise.resolve({}) };
		} catch (error) {
			return { kind: "refused", reason: error instanceof Error ? error.message : String(error) };
		}
	};
}
