/** The lines of a session file, version 3 of the format that pi and omp share. */
import type { AgentMessage } from "@tau/agent";

export const sessionVersion = 3;

export interface SessionHeader {
	type: "session";
	version: typeof sessionVersion;
	id: string;
	timestamp: string;
	cwd: string;
}

/** Keys stand in this order on disk, so that an index can be built without parsing the rest of the line. */
export interface MessageEntry {
	type: "message";
	id: string;
	parentId: string | null;
	timestamp: string;
	message: AgentMessage;
}
