/** `tau setup lsp`: the language servers that the project would use, and how to install those that are missing. */
import { projectRoot } from "@tau/session/journal";
import { localMachine } from "@tau/sys";
import { projectServers } from "@tau/tools/lsp";
import { shortenHome, stripControls } from "@tau/utils";

import type { Args } from "../../args.ts";
import { openSettings } from "../../launch/load-settings.ts";
import { columns } from "../../text-table.ts";
import { isJson, jsonLine, printed } from "../sessions/output.ts";

export async function listServers(args: Args): Promise<number> {
	const settings = await openSettings(args);
	const cwd = process.cwd();
	const servers = await projectServers({
		files: localMachine().files,
		root: projectRoot(cwd, process.env.HOME) ?? cwd,
		env: process.env,
		servers: settings.get("lsp.servers"),
		signal: new AbortController().signal,
	});
	if (isJson(args)) return printed(servers.map(jsonLine).join(""));
	if (servers.length === 0) return printed("No language server is known for the files of this project.\n");
	const rows = servers.map(({ name, files, languages, command, install }) => [
		name,
		`${files} ${files === 1 ? "file" : "files"}`,
		languages.slice(0, 3).join(", "),
		command ? `installed: ${shortenHome(command[0] ?? "")}` : `missing: ${install}`,
	]);
	const hasMissing = servers.some(({ command }) => !command);
	const hint = hasMissing
		? "\nTau installs nothing by itself: run the commands of those that you want.\n"
		: "";
	return printed(`${columns(rows.map((row) => row.map((cell) => stripControls(cell)))).join("\n")}\n${hint}`);
}
