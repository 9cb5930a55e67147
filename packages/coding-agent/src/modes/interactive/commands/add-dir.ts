/** `/add-dir`: another directory that belongs to the work of this session. */
import { stat } from "node:fs/promises";

import { dirs, shortenHome } from "@tau/utils";

import { linesBlock } from "../views/lines.ts";
import { pathArgument } from "../../../session-commands/command.ts";
import type { SlashCommand } from "./command.ts";

export const addDir: SlashCommand = {
	name: "add-dir",
	group: "Context",
	argumentHint: "[directory]",
	description: "Add a directory to this session",
	async run(args, host) {
		const added = host.settings.get("additionalDirectories");
		if (args === "") {
			const rows = [host.cwd, ...added].map((path): [string, string] => [shortenHome(path), ""]);
			return host.print(linesBlock(host, rows));
		}
		const directory = pathArgument(args, host.cwd);
		const info = await stat(directory).catch(() => undefined);
		if (!info?.isDirectory()) throw new Error(`${shortenHome(directory)} is not a directory.`);
		if (directory === host.cwd || added.includes(directory))
			return host.notify(`${shortenHome(directory)} already belongs to this session.`);
		const value = [...added, directory];
		const outcome = await host.sessionHost.apply({ type: "setting", path: "additionalDirectories", value });
		if (!outcome.ok) throw new Error(outcome.reason);
		const more = (await hasInstructions(directory)) ? " Its instructions are read at the next /reload." : "";
		host.notify(
			`Added ${shortenHome(directory)} for this session.${more} Put it in additionalDirectories to keep it.`,
			"success",
		);
	},
};

async function hasInstructions(directory: string): Promise<boolean> {
	const { contextFileCandidates } = await import("@tau/extensions/context-files");
	const { agent: agentDir, home } = dirs();
	return contextFileCandidates({ cwd: directory, agentDir, home }).some(({ level }) => level === "project");
}
