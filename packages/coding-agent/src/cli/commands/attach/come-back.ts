/** How to join a session that runs in the background. */
import { limits } from "../../limits.ts";

export function comeBack(sessionId: string): string {
	const id = sessionId.slice(0, limits.shownIdChars);
	return `Session ${id} runs in the background. Join it: tau attach ${id}\n`;
}
