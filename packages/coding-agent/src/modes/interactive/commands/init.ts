/** `/init` and other built-in prompts: the session expands them, in every client. */
import { builtinPrompts } from "@tau/extensions/prompt-templates";

import type { SlashCommand } from "./command.ts";

export const promptCommands: readonly SlashCommand[] = builtinPrompts.map(
	({ name, description, argumentHint }) => ({
		name,
		group: "Context" as const,
		description,
		...(argumentHint === undefined ? {} : { argumentHint }),
		isPrompt: true,
		run: (args, host) => host.prompt(`/${name} ${args}`.trim()),
	}),
);
