/** `/import`: continues a session file of Tau, pi, omp or another program. */
import { existsSync, statSync } from "node:fs";

import { shortenHome } from "@tau/utils";
import { SessionManager } from "@tau/session";

import type { InteractiveHost } from "../host.ts";
import { pathArgument } from "../../../session-commands/command.ts";
import type { SlashCommand } from "./command.ts";

export const importCommand: SlashCommand = {
	name: "import",
	group: "Session",
	argumentHint: "<file.jsonl>",
	description: "Import a session file and continue it",
	async run(args, host) {
		if (args === "") return host.notify("Usage: /import <file.jsonl>", "warning");
		const source = pathArgument(args, host.cwd);
		if (!existsSync(source)) throw new Error(`${shortenHome(source)} does not exist.`);
		const file = await importedFile(source, host);
		if (await host.move({ to: "resume", file }))
			host.notify(`Imported from ${shortenHome(source)}.`, "success");
	},
};

/** A copy in the directory of the sessions: the imported file itself is only read. */
async function importedFile(source: string, { log, cwd }: InteractiveHost): Promise<string> {
	const { detect, importFile, programNames } = await import("@tau/session/import");
	const directory = log.getSessionDir() || undefined;
	const program = detect(source);
	if (program === undefined && statSync(source).size > 0)
		throw new Error(
			`${shortenHome(source)} was not imported: it is not a session of Tau, pi, omp, ${programNames}.`,
		);
	if (program === "session") {
		using copy = SessionManager.forkFrom(source, cwd, directory);
		const file = copy.getSessionFile();
		if (file === undefined) throw new Error("The session was not stored.");
		return file;
	}
	const known = new Map((await SessionManager.listAll()).map(({ id, path }) => [id, path]));
	const outcome = importFile(source, { directory, existing: (id) => known.get(id) });
	if (!("session" in outcome)) throw new Error(`${shortenHome(source)} was not imported: ${outcome.reason}.`);
	return outcome.session;
}
