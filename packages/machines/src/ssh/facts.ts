/** What a channel sets up on the other machine, and what that reports about it. */
import files from "./files.sh" with { type: "text" };
import helper from "./helper.pl" with { type: "text" };
import { lineQuote } from "./channel.ts";
import { limits } from "./limits.ts";

export interface RemoteFacts {
	/** Of the shell of the first channel. */
	readonly pid: number;
	/** The private directory for spools and pipes there. */
	readonly room: string;
	readonly home: string;
	readonly uid: number;
	readonly gid: number;
	readonly umask: number;
	/** The kernel: Linux, Darwin, … */
	readonly system: string;
	/** Those of ripgrep, git, bash and perl that are there. */
	readonly programs: ReadonlySet<string>;
}

/** Joined to one line: a script that is read line by line. */
export function joined(script: string, replacements: Record<string, string>): string {
	const lines = script.split("\n").map((line) => line.trim());
	const text = lines.filter((line) => line !== "" && !line.startsWith("#")).join(" ");
	return Object.entries(replacements).reduce((all, [name, word]) => all.replaceAll(name, () => word), text);
}

/** `room`: that of the connection before; otherwise one is created, with `id` in its name. */
export function filesSetup({ room, id }: { room: string; id: string }): string {
	const setup = joined(files, {
		"@LOCKS@": String(limits.lockSteps),
		"@HELPERS@": String(limits.helpers),
		"@HELPER@": lineQuote(joined(helper, {})),
		"@ROOM@": lineQuote(room),
		"@ID@": id,
	});
	return id === "" ? setup.replace(/;$/, "") : `${setup} echo ${id} >"$d/lease"`;
}

/** Ends everything that still runs there, and removes its files. */
export const endScript = [
	`if [ -s "$d/shells" ]; then`,
	`for k in $(cat "$d/shells"); do kill -TERM -$k 2>/dev/null; done; sleep 0.1 2>/dev/null || sleep 1;`,
	`for k in $(cat "$d/shells"); do kill -KILL -$k 2>/dev/null; done; fi;`,
	`if [ -n "$d" ]; then rm -rf "$d"; fi; rmdir "$l" 2>/dev/null`,
].join(" ");

/** After the last request: what is still there when nobody has connected again for a while is ended. */
export function masterEnd(id: string): string {
	return [
		`exec </dev/null >/dev/null 2>&1 6>&- 7<&-; trap "" HUP;`,
		`if [ -d "$d" ]; then sleep ${limits.keptSeconds}; fi;`,
		`if [ "$(cat "$d/lease")" = ${id} ]; then ${endScript}; fi`,
	].join(" ");
}

/** The fields that `factsOf` prints, each followed by a NUL, and what follows the last one. */
const factCount = 9;

export function parseFacts(output: string, pid: string): RemoteFacts {
	// A login shell may have printed anything before.
	const [room = "", home = "/", uid = "0", gid = "0", umask = "22", , system = "", programs = ""] = output
		.split("\0")
		.slice(-factCount);
	if (room === "") throw new Error("its directory for temporary files cannot be written.");
	return {
		pid: Number(pid),
		room,
		home,
		uid: Number(uid),
		gid: Number(gid),
		umask: Number.parseInt(umask, 8),
		system,
		programs: new Set(programs.split(" ").filter(Boolean)),
	};
}
