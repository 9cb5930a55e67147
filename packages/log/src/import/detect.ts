/** Says whose session a file is, from its first lines. */
import { record, text } from "./fields.ts";
import { limits } from "./limits.ts";
import { isInDatabase } from "./opencode.ts";
import { sourceLines, wholeObject } from "./source-lines.ts";

/** Their names in commands, and those that users know. */
export const programs = {
	claude: "Claude Code",
	codex: "Codex",
	gemini: "Gemini CLI",
	opencode: "opencode",
} as const;

export type Program = keyof typeof programs;

/** For the end of a sentence. */
export const programNames = "Claude Code, Codex, Gemini CLI or opencode";

/** `session` for one of Tau, pi or omp; undefined for none that is known. Throws what the file system says. */
export function detect(path: string): Program | "session" | undefined {
	if (isInDatabase(path)) return "opencode";
	const whole = wholeObject(path);
	if (whole) return objectOf(whole);
	for (const { value } of sourceLines(path, limits.probeBytes)) {
		const found = value && programOf(value);
		if (found) return found;
	}
	return undefined;
}

function objectOf(whole: Record<string, unknown>): Program | undefined {
	if (text(whole.sessionId) !== "" && Array.isArray(whole.messages)) return "gemini";
	return text(whole.id).startsWith("ses_") && text(whole.directory) !== "" ? "opencode" : undefined;
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
	if (text(value.sessionId) !== "" && text(value.projectHash) !== "") return "gemini";
	if (text(value.sessionId) !== "" && (type !== "" || text(value.uuid) !== "")) return "claude";
	return type === "summary" && text(value.leafUuid) !== "" ? "claude" : undefined;
}
