/** The commands that a client may send, and what is said to one that sends something else. */
import { thinkingLevels } from "@tau/ai";
import { cutUnits, nearest } from "@tau/utils";
import { z } from "zod";

import { limits } from "./limits.ts";
import type { RpcFailure, RpcId } from "./protocol.ts";
import { uiAnswerSchema, type RpcUIAnswer } from "./ui-protocol.ts";

const id = z.union([z.string(), z.number()]).optional();
const text = z.string().min(1);
const image = z.object({
	type: z.literal("image"),
	data: z.base64().min(1),
	mimeType: z.string().regex(/^image\/[\w.+-]+$/, "must be image/…"),
});
const said = { message: z.string(), images: z.array(image).optional() };
const mode = z.enum(["all", "one-at-a-time"]);
const enabled = z.boolean();

function command<T extends string, S extends z.core.$ZodShape>(type: T, shape: S) {
	return z.object({ id, type: z.literal(type), ...shape });
}

export const commandSchemas = {
	prompt: command("prompt", { ...said, streamingBehavior: z.enum(["steer", "followUp"]).optional() }),
	steer: command("steer", said),
	follow_up: command("follow_up", said),
	abort: command("abort", {}),
	new_session: command("new_session", { parentSession: text.optional() }),
	get_state: command("get_state", {}),
	get_messages: command("get_messages", {}),
	set_model: command("set_model", { provider: text, modelId: text }),
	cycle_model: command("cycle_model", {}),
	get_available_models: command("get_available_models", {}),
	set_thinking_level: command("set_thinking_level", { level: z.enum(thinkingLevels) }),
	cycle_thinking_level: command("cycle_thinking_level", {}),
	set_steering_mode: command("set_steering_mode", { mode }),
	set_follow_up_mode: command("set_follow_up_mode", { mode }),
	compact: command("compact", { customInstructions: z.string().optional() }),
	set_auto_compaction: command("set_auto_compaction", { enabled }),
	set_auto_retry: command("set_auto_retry", { enabled }),
	abort_retry: command("abort_retry", {}),
	bash: command("bash", { command: text }),
	abort_bash: command("abort_bash", {}),
	get_session_stats: command("get_session_stats", {}),
	export_html: command("export_html", { outputPath: text.optional() }),
	switch_session: command("switch_session", { sessionPath: text }),
	fork: command("fork", { entryId: text }),
	clone: command("clone", {}),
	get_fork_messages: command("get_fork_messages", {}),
	get_last_assistant_text: command("get_last_assistant_text", {}),
	set_session_name: command("set_session_name", { name: z.string() }),
	get_commands: command("get_commands", {}),
} as const;

export type CommandType = keyof typeof commandSchemas;
export type RpcCommandOf<T extends CommandType> = z.infer<(typeof commandSchemas)[T]>;
export type RpcCommand = { [T in CommandType]: RpcCommandOf<T> }[CommandType];

export type Received =
	| { kind: "command"; command: RpcCommand }
	/** Nothing to do and nothing to say: an empty line, or an answer that is none. */
	| { kind: "nothing" }
	/** To a dialog of an extension. */
	| { kind: "answer"; answer: RpcUIAnswer }
	| { kind: "refused"; response: RpcFailure };

/** Reads one line. Whatever it is, nothing has happened by it yet. */
export function readCommand(line: Uint8Array | undefined): Received {
	if (!line) return unreadable(`it has more than ${limits.commandBytes} bytes`);
	let value: unknown;
	try {
		const json = new TextDecoder("utf-8", { fatal: true }).decode(line);
		if (json.trim() === "") return { kind: "nothing" };
		value = JSON.parse(json);
	} catch (error) {
		return unreadable(error instanceof Error ? error.message : String(error));
	}
	if (typeof value !== "object" || value === null || Array.isArray(value))
		return unreadable("a command is a JSON object");
	return judge(value as Record<string, unknown>);
}

function judge(value: Record<string, unknown>): Received {
	const knownId = id.safeParse(value.id);
	const echoed = knownId.success ? knownId.data : undefined;
	const { type } = value;
	if (typeof type !== "string") return unreadable('it has no "type"', echoed);
	if (type === "extension_ui_response") {
		const answer = uiAnswerSchema.safeParse(value);
		// What a client says to a dialog in a wrong way is not a mistake that it would read about.
		return answer.success ? { kind: "answer", answer: answer.data } : { kind: "nothing" };
	}
	if (!isKnown(type)) return refused(type, unknown(type), echoed);
	const parsed = commandSchemas[type].safeParse(value);
	if (parsed.success) return { kind: "command", command: parsed.data };
	return refused(type, describe(parsed.error), echoed);
}

function isKnown(type: string): type is CommandType {
	return Object.hasOwn(commandSchemas, type);
}

function unknown(type: string): string {
	const [near] = nearest(type, Object.keys(commandSchemas));
	const name = cutUnits(type, limits.echoChars);
	return `Unknown command: ${name}.${near === undefined ? "" : ` Did you mean ${near}?`}`;
}

function describe({ issues }: z.ZodError): string {
	return issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")).join("; ");
}

function unreadable(reason: string, echoed?: RpcId): Received {
	return refused("parse", `Failed to parse command: ${reason}`, echoed);
}

function refused(type: string, error: string, echoed: RpcId | undefined): Received {
	return { kind: "refused", response: failed(cutUnits(type, limits.echoChars), error, echoed) };
}

export function failed(type: string, error: string, echoed: RpcId | undefined): RpcFailure {
	return {
		...(echoed === undefined ? {} : { id: echoed }),
		type: "response",
		command: type,
		success: false,
		error,
	};
}
