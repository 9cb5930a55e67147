/** One server-sent event. */
import { writeJson } from "../../json.ts";

export function sse(data: object, event?: string): string {
	const lines = `data: ${writeJson(data)}\n\n`;
	return event === undefined ? lines : `event: ${event}\n${lines}`;
}
