/** `/exit`: the end. `/detach`: the terminal is free, and the session continues. `/cd`: it continues in another directory. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { pathArgument } from "@tau/session-commands";
import { expandHome, shortenHome } from "@tau/utils";

import { limits } from "../limits.ts";
import type { SlashCommand } from "./command.ts";

export const exit: SlashCommand = {
	name: "exit",
	group: "Session",
	aliases: ["quit", "q"],
	description: "Exit",
	run: (_, host) => host.leave(),
};

export const detach: SlashCommand = {
	name: "detach",
	group: "Session",
	description: "Leave the terminal and keep the session running in the background",
	details:
		"The session continues without this terminal; tau attach comes back to it. While the model works, it waits until the turn ends. Background jobs are stopped.",
	run: (_, host) => host.detach(),
};

export const cd: SlashCommand = {
	name: "cd",
	group: "Session",
	aliases: ["cwd"],
	argumentHint: "<directory>",
	description: "Continue this conversation in another directory",
	details:
		"The conversation is copied into a session of that directory, with its trust, settings, instructions, tools and sandbox; this session stays as it is. Background jobs are stopped.",
	complete: (prefix, { cwd }) => directoriesLike(prefix, cwd),
	async run(args, host) {
		if (args === "") return host.notify(shortenHome(host.cwd), "info");
		const directory = pathArgument(args, host.cwd);
		if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
			throw new Error(`${shortenHome(directory)} is not a directory.`);
		if (directory === host.cwd) return host.notify(`This session is in ${shortenHome(directory)}.`, "info");
		await host.detach(directory);
	},
};

/** The directories that a path could become. */
function directoriesLike(prefix: string, cwd: string): { value: string; label: string }[] {
	const base = prefix.endsWith("/") || prefix === "" ? prefix : `${dirname(prefix)}/`;
	const typed = base === "./" && !prefix.startsWith("./") ? "" : base;
	const start = prefix.slice(typed.length);
	try {
		return readdirSync(resolve(cwd, expandHome(typed === "" ? "." : typed)), { withFileTypes: true })
			.filter((entry) => entry.isDirectory() && entry.name.startsWith(start))
			.filter(({ name }) => start.startsWith(".") || !name.startsWith("."))
			.slice(0, limits.completedDirectories)
			.map(({ name }) => ({ value: join(typed, name), label: `${name}/` }));
	} catch {
		// It is still being typed.
		return [];
	}
}
