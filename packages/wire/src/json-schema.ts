/** The JSON schemas that programs in other languages read, made from the tables. */
import { z } from "zod";

import { commandId, commands, commandSchema, type CommandName } from "./commands.ts";
import { eventSchema } from "./events.ts";
import { extensionUIRequest, extensionUIResponse } from "./extension-ui.ts";

/** One line of `--mode json`: the header of the session, then its events. */
export function printSchema(): object {
	const header = z
		.object({
			type: z.literal("session"),
			version: z.number(),
			id: z.string(),
			timestamp: z.string(),
			cwd: z.string(),
			parentSession: z.string().optional(),
		})
		.meta({ id: "SessionHeader" });
	return z.toJSONSchema(z.union([header, eventSchema()]), { io: "input" });
}

/** All frames of RPC mode: each kind is one of the `$defs`. */
export function rpcSchema(): object {
	const names = Object.keys(commands) as CommandName[];
	const command = z.union(names.map((name) => commandSchema(name))).meta({ id: "Command" });
	const frames = z.object({
		command,
		response: responseSchema(names),
		event: eventSchema(),
		uiRequest: extensionUIRequest(),
		uiAnswer: extensionUIResponse(),
	});
	return z.toJSONSchema(frames, { io: "input" });
}

function responseSchema(names: readonly CommandName[]): z.ZodType {
	const head = { id: commandId(), type: z.literal("response") };
	const withData: z.ZodType[] = [];
	const withoutData: CommandName[] = [];
	for (const name of names) {
		const data = commands[name].result();
		if (data) withData.push(z.object({ ...head, command: z.literal(name), success: z.literal(true), data }));
		else withoutData.push(name);
	}
	const success = z.union([
		...withData,
		z.object({ ...head, command: z.enum(withoutData), success: z.literal(true) }),
	]);
	const failure = z.object({ ...head, command: z.string(), success: z.literal(false), error: z.string() });
	return z.union([success, failure]).meta({ id: "Response" });
}
