/** Slash commands as every client sees them: what there is, what may follow a name, and what a command replies. */
import { once } from "@tau/utils";
import { z } from "zod";

import { list } from "./schema.ts";
import { rights, type Right } from "./rights.ts";

export const commandInfo = once(() =>
	z
		.object({
			/** Without the slash. */
			name: z.string(),
			aliases: list(z.string()).exactOptional(),
			/** The heading under which a list of commands has it. */
			group: z.string().exactOptional(),
			description: z.string(),
			details: z.string().exactOptional(),
			/** What comes after the name, for a reader: `<name>`, `[model]`. */
			argumentHint: z.string().exactOptional(),
			/** The words that mean something to it; each can be written as an option, `--word`. */
			words: list(z.string()).exactOptional(),
			/** What a client needs to run it. */
			right: z.enum(rights),
			/** The first words with which it only shows something; then `view` is enough. An empty word: no arguments. */
			shows: list(z.string()).exactOptional(),
			source: z.enum(["tau", "extension", "prompt", "skill", "mcp"]),
		})
		.meta({ id: "CommandInfo" }),
);

export const completion = once(() =>
	z.object({ value: z.string(), label: z.string(), description: z.string().exactOptional() }),
);

export const commandReply = once(() =>
	z.object({
		/** For a reader. */
		text: z.string().exactOptional(),
		level: z.enum(["info", "success", "warning"]).exactOptional(),
		/** A message that the user may change and send again: the client puts it into its editor. */
		prefill: z.string().exactOptional(),
		/** The same as `text` for a program; docs/rpc.md has the shapes. */
		data: z.unknown().optional(),
	}),
);

export type CommandInfo = Omit<z.infer<ReturnType<typeof commandInfo>>, "right"> & { right: Right };
export type Completion = z.infer<ReturnType<typeof completion>>;
export type CommandReply = z.infer<ReturnType<typeof commandReply>>;
