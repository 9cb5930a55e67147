/** The shapes of the lines of `--mode json`, from which `schema.json` is made: the session's header, then events. */
import { z } from "zod";

import { event } from "../event-schema.ts";

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

/** What `schema.json` has to hold: it describes one line. */
export function lineSchema(): object {
	return z.toJSONSchema(z.union([header, event]), { io: "input" });
}
