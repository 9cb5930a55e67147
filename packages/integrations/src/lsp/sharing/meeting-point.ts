/** Where Tau that would start the same server in the same way find one another. */
import { join } from "node:path";

import type { Machine } from "@tau/sys";
import { dirs, version as ownVersion, type Env } from "@tau/utils";

import { limits } from "../limits.ts";
import type { ServerRow } from "../servers/server-row.ts";

export interface MeetingPoint {
	/** Of the user alone, and hidden from sandboxed commands. */
	readonly directory: string;
	/** Of the lock and the socket, without their endings. */
	readonly path: string;
}

export interface MeetingOptions {
	row: ServerRow;
	command: readonly string[];
	root: string;
	machine: Machine;
	env: Env;
}

/** Variables of a terminal or a run, which mean nothing to a language server. */
const ownVariables =
	/^(_|PWD|OLDPWD|SHLVL|TERM|TERM_.*|COLORTERM|COLUMNS|LINES|WINDOWID|WINDOW|STY|TMUX.*|SSH_.*|XDG_SESSION_ID|XDG_VTNR|INVOCATION_ID|JOURNAL_STREAM|(ITERM|KITTY|WEZTERM|ALACRITTY|VTE|GNOME_TERMINAL|KONSOLE|GHOSTTY|ZELLIJ|WT|LC_TERMINAL|VSCODE|TAU|OMP|PI|npm)_.*|ZELLIJ)$/;

/** Undefined where a server cannot be shared: its files or its boundary are those of this session alone. */
export async function meetingPoint({
	row,
	command,
	root,
	machine,
	env,
}: MeetingOptions): Promise<MeetingPoint | undefined> {
	const isLocal = machine.where.kind === "local" && machine.files.localPath(root) === root;
	if (!isLocal || process.platform === "win32") return undefined;
	const boundary = await machine.shell.boundary?.();
	if (boundary === undefined) return undefined;
	const variables = Object.entries(env)
		.filter(([name, value]) => value !== undefined && !ownVariables.test(name))
		.toSorted(([a], [b]) => (a < b ? -1 : 1));
	const { initializationOptions, settings, files } = row;
	const same = [ownVersion, command, root, initializationOptions, settings, files, boundary, variables];
	const name = new Bun.CryptoHasher("sha256").update(JSON.stringify(same)).digest("hex").slice(0, 24);
	const directory = join(dirs(env).state, "lsp");
	const path = join(directory, name);
	return Buffer.byteLength(`${path}.sock`) > limits.socketPathBytes ? undefined : { directory, path };
}
