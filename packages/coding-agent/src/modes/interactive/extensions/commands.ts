/** The commands of extensions as the slash menu has them. */
import { log } from "@tau/utils";
import type { CommandOptions } from "@tau/extensions/api";
import type { Extensions } from "@tau/extensions/host";

import type { SlashCommand } from "../commands/command.ts";

export function extensionCommands(extensions: Extensions): SlashCommand[] {
	const { runner } = extensions;
	return runner.commands.list().map(({ name, command, extension }) => ({
		name,
		description: command.description ?? `from extension ${extension.label}`,
		...(command.getArgumentCompletions ? { complete: (prefix: string) => complete(command, prefix) } : {}),
		async run(args: string) {
			await runner.runCommand({ text: `/${name} ${args}`.trim() });
		},
	}));
}

type Completions = Awaited<ReturnType<NonNullable<SlashCommand["complete"]>>>;

/** A completion that fails offers nothing and shows no error, because the user is typing. */
async function complete(command: CommandOptions, prefix: string): Promise<Completions> {
	try {
		return (await command.getArgumentCompletions?.(prefix)) ?? [];
	} catch (error) {
		log.error("completions of an extension's command failed", { reason: String(error) });
		return [];
	}
}
