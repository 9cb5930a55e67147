/** Parses the commands that a client sends, and reports the error in an invalid line. */
import { cutUnits, jsonOf, nearest } from "@tau/utils";
import {
	commandId,
	commands,
	commandSchema,
	extensionUIResponse,
	isCommandName,
	type Command,
	type CommandName,
	type CommandOf,
	type ExtensionUIResponse,
} from "@tau/wire";
import type { z } from "zod";

import { limits } from "./limits.ts";
import type { RpcFailure, RpcId } from "./protocol.ts";

export type CommandType = CommandName;
export type RpcCommandOf<T extends CommandType> = CommandOf<T>;
export type RpcCommand = Command;

export type Received =
	| { kind: "command"; command: RpcCommand }
	/** The line needs no action and no response: it is empty, or an invalid answer. */
	| { kind: "nothing" }
	/** To a dialog of an extension. */
	| { kind: "answer"; answer: ExtensionUIResponse }
	| { kind: "refused"; response: RpcFailure };

/** Reads one line. Whatever it is, nothing has happened by it yet. */
export function readCommand(line: Uint8Array | undefined): Received {
	const read = jsonOf(line, limits.commandBytes);
	if (!read) return { kind: "nothing" };
	if ("reason" in read) return unreadable(read.reason);
	const { value } = read;
	if (typeof value !== "object" || value === null || Array.isArray(value))
		return unreadable("a command is a JSON object");
	return checkCommand(value as Record<string, unknown>);
}

/** What older versions of pi, and omp, call commands with the same fields and the same response. */
const otherNames: Readonly<Record<string, CommandName>> = {
	branch: "fork",
	get_branch_messages: "get_fork_messages",
};

/** What to send instead of other commands of omp. */
const instead: Readonly<Record<string, string>> = {
	abort_and_prompt: "abort, then prompt",
	get_available_commands: "get_commands",
	get_subagents: "get_children",
	get_subagent_messages: "get_child_messages",
	steer_subagent: "prompt_child",
	cancel_subagent: "abort_child",
	set_host_tools: "an extension (-e) or an MCP server for tools of your own",
};

/** Reads one that was parsed already. */
export function checkCommand(value: Record<string, unknown>): Received {
	const knownId = commandId().safeParse(value.id);
	const echoed = knownId.success ? knownId.data : undefined;
	if (typeof value.type !== "string") return unreadable('it has no "type"', echoed);
	const type = Object.hasOwn(otherNames, value.type) ? (otherNames[value.type] ?? "") : value.type;
	if (type === "extension_ui_response") {
		const answer = extensionUIResponse().safeParse(value);
		// An invalid answer to a dialog gets no error response, because the client would not read it.
		return answer.success ? { kind: "answer", answer: answer.data } : { kind: "nothing" };
	}
	if (!isCommandName(type)) return refused(type, unknown(type), echoed);
	const parsed = commandSchema(type).safeParse({ ...value, type });
	if (parsed.success) return { kind: "command", command: parsed.data };
	return refused(type, describe(parsed.error), echoed);
}

function unknown(type: string): string {
	const name = cutUnits(type, limits.echoChars);
	if (Object.hasOwn(instead, type)) return `Unknown command: ${name}. Use ${instead[type]}.`;
	const [near] = nearest(type, Object.keys(commands));
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
