/** Another machine that the user reaches by ssh: nothing is installed there, a POSIX shell is enough. */
import { resolve } from "node:path";

import {
	type Machine,
	type MachineShell,
	PtySession,
	shellQuote,
	type ShellCommand,
	type ShellOutcome,
} from "@tau/sys";
import { lineQuote } from "./channel.ts";
import { SshConnection, type ConnectionOptions } from "./connection.ts";
import { remoteFiles } from "./remote-files.ts";
import { remoteSession } from "./remote-session.ts";
import { RemoteShell } from "./remote-shell.ts";

export interface SshMachine extends AsyncDisposable {
	readonly machine: Machine;
	readonly connection: SshConnection;
	/** The directory that work starts in, with all links resolved. */
	readonly cwd: string;
	readonly home: string;
	/** What a call that works there is judged by. */
	readonly judged: JudgedFiles;
}

interface JudgedFiles {
	/** Paths without links, also of files that do not exist; undefined for what cannot be resolved. */
	realPaths(paths: readonly string[], signal: AbortSignal): Promise<(string | undefined)[]>;
	/** The first of the directories that is inside of a repository without a working tree, as git would find it. */
	bareRepository(directories: readonly string[], signal: AbortSignal): Promise<string | undefined>;
}

/** Connects. `path`: absolute, or relative to the home directory there. Rejects with a readable reason. */
export async function openSshMachine(
	options: ConnectionOptions,
	path: string | undefined,
	signal: AbortSignal,
): Promise<SshMachine> {
	const connection = new SshConnection(options);
	try {
		const { home } = await connection.facts(signal);
		const machine = sshMachine(connection);
		const wanted = resolve(home, (path ?? "").replace(/^~(?=\/|$)/, "."));
		const facts = await machine.files.stat(wanted);
		if (facts?.kind !== "directory")
			throw new Error(`There is no directory ${wanted} on ${connection.name}.`);
		const cwd = await machine.files.realpath(wanted);
		// It is shown, and part of the system prompt.
		if (/\p{Cc}/u.test(cwd))
			throw new Error(`The directory on ${connection.name} has control characters in its name.`);
		await connection.ping(signal);
		return {
			machine,
			connection,
			cwd,
			home,
			judged: judgedFiles(connection),
			[Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
		};
	} catch (error) {
		await connection[Symbol.asyncDispose]();
		throw error;
	}
}

function judgedFiles(connection: SshConnection): JudgedFiles {
	/** What a line of shell prints for each path. */
	const forEach = async (
		paths: readonly string[],
		script: (word: string) => string,
		signal: AbortSignal,
	): Promise<string[]> => {
		const whole = paths.map((path) => `${script(lineQuote(path))}; printf "\\0"`).join("; ");
		const { output } = await connection.request(whole, { signal, mayRepeat: true });
		return output.toString("utf8").split("\0");
	};
	return {
		async realPaths(paths, signal) {
			const script = (word: string): string => `if R ${word} >/dev/null; then printf %s "$r"; fi`;
			const printed = await forEach(paths, script, signal);
			return paths.map((_, index) => printed[index] || undefined);
		},
		async bareRepository(directories, signal) {
			const printed = await forEach(directories, (word) => `if bare ${word}; then printf 1; fi`, signal);
			return directories.find((_, index) => printed[index] === "1");
		},
	};
}

export function sshMachine(connection: SshConnection): Machine {
	return {
		where: { kind: "ssh", label: connection.name },
		files: remoteFiles(connection),
		shell: remoteShells(connection),
	};
}

function remoteShells(connection: SshConnection): MachineShell {
	return {
		session: ({ cwd }) => remoteSession(connection, { cwd }),
		pty: () => {
			const terminal = new PtySession();
			return {
				get running() {
					return terminal.running;
				},
				write: (data) => terminal.write(data),
				resize: (columns, rows) => terminal.resize(columns, rows),
				async start(command) {
					const words = await terminalCommand(connection, command.cwd, command.command);
					return await terminal.start({
						...command,
						command: `exec ${words.map(shellQuote).join(" ")}`,
						cwd: "/",
						env: connection.environment,
					});
				},
			};
		},
		run: (command) => runOnce(connection, command),
		async start({ command }) {
			throw new Error(
				`${command[0]} is not started on ${connection.name}: language servers, debuggers and cells work only on this machine. Use bash instead.`,
			);
		},
	};
}

/** The local command that runs a command there in a terminal of its own. */
async function terminalCommand(connection: SshConnection, cwd: string, command: string): Promise<string[]> {
	const { programs } = await connection.facts();
	const script = `cd ${shellQuote(cwd)} && { ${command}\n}`;
	const remote = `exec ${programs.has("bash") ? "bash" : "sh"} -lc ${shellQuote(script)}`;
	return await connection.clientCommand(undefined, "-tt", "--", connection.host, remote);
}

async function runOnce(connection: SshConnection, command: ShellCommand): Promise<ShellOutcome> {
	if (command.signal.aborted) return { stopped: "abort", durationMs: 0 };
	const { signal, cwd, env: _, ...rest } = command;
	await using shell = await RemoteShell.start(connection, { cwd, states: [] }, signal);
	const end = await shell.run({ ...rest, signal }, new AbortController().signal);
	if (end === "unstarted") throw new Error("The connection was lost before the command was started.");
	const { cwd: __, ...ended } = end.outcome;
	return ended;
}
