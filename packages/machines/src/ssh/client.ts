/** The command lines of OpenSSH: one process that holds the connection, and others that use it. */
import { hostProgram, type Env } from "@tau/utils";

import { destinationOptions, type SshDestination } from "./destination.ts";
import { limits } from "./limits.ts";

export interface ClientOptions {
	readonly destination: SshDestination;
	readonly env: Env;
	/** OpenSSH's configuration; by default the user's own. */
	readonly config?: string | undefined;
}

/** Holds the connection, and runs a command itself. `asks`: whether a user can answer its questions. */
export function masterWords(
	options: ClientOptions,
	{ control, asks, command }: { control: string; asks: boolean; command: string },
): string[] {
	return [
		...commonWords(options),
		"-T",
		"-M",
		"-S",
		control,
		...settings({
			ControlPersist: "no",
			RequestTTY: "no",
			ServerAliveInterval: limits.aliveSeconds,
			ServerAliveCountMax: limits.aliveCount,
			ConnectTimeout: limits.connectSeconds,
			ClearAllForwardings: "yes",
			ForwardX11: "no",
			PermitLocalCommand: "no",
			...(asks ? {} : { BatchMode: "yes" }),
		}),
		"--",
		options.destination.host,
		command,
	];
}

/** With a dead master ssh would connect by itself, and ask again: this one fails. */
export function clientWords(options: ClientOptions, control: string, more: readonly string[]): string[] {
	return [
		...commonWords(options),
		"-S",
		control,
		...settings({
			ControlMaster: "no",
			BatchMode: "yes",
			ProxyJump: "none",
			ProxyCommand: "echo the connection was lost >&2; false",
		}),
		...more,
	];
}

function commonWords({ destination, env, config }: ClientOptions): string[] {
	return [
		sshProgram(env),
		...(config === undefined ? [] : ["-F", config]),
		"-e",
		"none",
		...settings({ RemoteCommand: "none", LogLevel: "ERROR" }),
		...destinationOptions(destination, env.HOME),
	];
}

function settings(values: Record<string, string | number>): string[] {
	return Object.entries(values).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

function sshProgram({ PATH }: Env): string {
	const program = hostProgram("ssh", PATH);
	if (!program) throw new Error("There is no ssh on PATH. Install OpenSSH (package openssh-client).");
	return program;
}
