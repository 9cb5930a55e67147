/** Says whose session a file is, from its first lines. */
import { record, text } from "./fields.ts";
import { limits } from "./limits.ts";
import { sourceLines } from "./source-lines.ts";

export type Program = "claude" | "codex";

/** `session` for one of Tau, pi or omp; undefined for none that is known. Throws what the file system says. */
export function detect(path: string): Program | "session" | undefined {
	for (const { value } of sourceLines(path, limits.probeBytes)) {
		const found = value && programOf(value);
		if (found) return found;
	}
	return undefined;
}

const codexTypes: ReadonlySet<string> = new Set([
	"session_meta",
	"response_item",
	"event_msg",
	"turn_context",
	"compacted",
]);

function programOf(value: Record<string, unknown>): Program | "session" | undefined {
	const type = text(value.type);
	if (type === "session" && text(value.id) !== "") return "session";
	if (codexTypes.has(type) && Object.keys(record(value.payload)).length > 0) return "codex";
	// The first line of rollouts before there was a payload.
	if (type === "" && text(value.id) !== "" && text(value.timestamp) !== "" && "instructions" in value) {
		return "codex";
	}
	if (text(value.sessionId) !== "" && (type !== "" || text(value.uuid) !== "")) return "claude";
	return type === "summary" && text(value.leafUuid) !== "" ? "claude" : undefined;
}
