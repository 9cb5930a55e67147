/** The first line of a new session. */
import { resolve } from "node:path";

import { uuidv7 } from "@tau/utils";

import { sessionVersion, type SessionHeader } from "../tree/entry.ts";

export function newHeader(
	cwd: string,
	{ id, parentSession }: { id?: string | undefined; parentSession?: string | undefined } = {},
): SessionHeader {
	return {
		type: "session",
		version: sessionVersion,
		id: id ?? uuidv7(),
		timestamp: new Date().toISOString(),
		cwd: resolve(cwd),
		...(parentSession === undefined ? {} : { parentSession }),
	};
}
